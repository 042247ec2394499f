"""The commands by what they are for, the short names of some, and `recollect help`."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from recollect.cli.command_group import summaries
from recollect.cli.exits import MEANINGS
from recollect.errors import NotFoundError


@dataclass(frozen=True, slots=True)
class Topic:
    """Commands that belong together. `name` is what `recollect help` takes."""

    name: str
    title: str
    commands: tuple[str, ...]


TOPICS = (
    Topic(
        "remember",
        "Remember and find",
        ("remember", "save", "edit", "search", "list", "show", "why", "import", "export"),
    ),
    Topic(
        "order",
        "Keep in order",
        (
            *(
                "review",
                "pin",
                "unpin",
                "retire",
                "restore",
                "archive",
                "forget",
                "gc",
                "link",
                "unlink",
            ),
            *("redact", "doctor", "index", "backup", "migrate", "sync", "config"),
        ),
    ),
    Topic(
        "connect",
        "Connect",
        ("init", "uninstall", "status", "hook-command", "serve", "web", "model", "team"),
    ),
    Topic("tools", "Work with tools", ("gateway", "run", "capability")),
    Topic(
        "inside",
        "Look inside",
        ("session", "rules", "graph", "impact", "trace", "replay", "thresholds"),
    ),
    Topic("measure", "Measure", ("bench",)),
)
ALIASES = {"add": "save", "find": "search", "ls": "list", "rm": "retire"}
_EXIT_CODES = "exit-codes"
_COMPLETION = ("install_completion", "show_completion")

app = typer.Typer()


class TopicGroup(TyperGroup):
    """All commands: listed by topic in help, and found by their short names too."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, or of that short name."""
        return super().get_command(ctx, ALIASES.get(cmd_name, cmd_name))

    def get_params(self, ctx: Any) -> Any:
        """The options. Those of shell completion are not shown: they are needed once."""
        params: list[Any] = super().get_params(ctx)
        for param in params:
            if param.name in _COMPLETION:
                param.hidden = True
        return params

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the library's signature
        """The names of the commands by topic, so that all of them fit on one screen."""
        with formatter.section("Commands"):
            formatter.write_dl([(topic.title, ", ".join(topic.commands)) for topic in TOPICS])


@app.command("help", hidden=True)
def help_(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="TOPIC|COMMAND", help="A topic, or a command."),
    ] = None,
) -> None:
    """Explain a command, or the commands of a topic.

    Topics: remember, order, connect, tools, inside, measure, and exit-codes.
    """
    root = context.find_root()
    match words:
        case None | []:
            print(root.get_help())
        case [name] if topic := next((topic for topic in TOPICS if topic.name == name), None):
            print(_topic_help(topic, root))
        case ["exit-codes"]:
            print("\n".join(f"{code.value:>3}  {text}" for code, text in MEANINGS.items()))
        case _:
            print(_command_help(words, root))


def _topic_help(topic: Topic, root: Any) -> str:
    lines = summaries(root.command, root, topic.commands)
    return "\n".join(
        [f"{topic.title}:", "", *lines, "", "`recollect COMMAND -h` explains one of them."]
    )


def _command_help(words: list[str], root: Any) -> str:
    context, command = root, root.command
    for word in words:
        command = command.get_command(context, word) if hasattr(command, "get_command") else None
        if command is None:
            topics = ", ".join([*(topic.name for topic in TOPICS), _EXIT_CODES])
            raise NotFoundError(
                f"unknown command or topic {' '.join(words)!r}; the topics are {topics}."
            )
        context = typer.Context(command, info_name=word, parent=context)
    return str(command.get_help(context))
