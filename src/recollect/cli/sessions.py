"""`hook-command` and `impact`: what the harnesses run, and what came of it."""

from typing import Annotated

import typer

from recollect.cli import wire
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import console, print_json, safe, say
from recollect.errors import NotFoundError

GIVEN_BEFORE_REVIEW = 5  # times in vain; then a person should look at it


def register(app: typer.Typer) -> None:
    command(
        app,
        "hook-command",
        "recollect hook-command UserPromptSubmit",
        "recollect hook-command BeforeAgent --harness gemini --json",
    )(hook_command)
    command(app, "impact", "recollect impact", "recollect impact --json")(impact)


def hook_command(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="The harness's name of the event.")],
    harness: Annotated[
        str, typer.Option(help="claude-code, codex, cursor, gemini or opencode.")
    ] = "claude-code",
    as_json: JsonFlag = False,
) -> None:
    """Print the command that a harness runs for an event.

    Exactly what `recollect init` writes into its configuration.
    """
    import shlex

    from recollect.app import hook_command as made

    parts = made(harness, event)
    if as_json:
        out: wire.HookCommandOutput = {"command": parts}
        print_json(out)
    else:
        print(shlex.join(parts))


def impact(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Which memories help, and which never do.

    For each memory: how often a prompt was given it, and how often the agent then read it, touched what
    it is about, or spoke of it. One that was given often and never used is worth a look; nothing is
    dropped by itself.
    """
    recollect = opened(context)
    rows: list[wire.ImpactRow] = []
    for row in recollect.impact():
        id = row.memory.removeprefix("mem:")
        try:
            title: str | None = recollect.get(id).memory.title
        except NotFoundError:
            title = None
        review = row.given >= GIVEN_BEFORE_REVIEW and not row.used
        rows.append({"id": id, "title": title, "given": row.given, "used": row.used, "review": review})
    if as_json:
        out: wire.ImpactOutput = {"memories": rows}
        print_json(out)
        return
    if not rows:
        say("[dim]No prompt has been given a memory yet.[/]")
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("memory", "title", "given", "used", ""):
        table.add_column(
            name, justify="right" if name in ("given", "used") else "left", overflow="fold"
        )
    for found in rows:
        note = "[yellow]never used: worth a look[/]" if found["review"] else ""
        title = safe(found["title"] or "(gone)")
        table.add_row(found["id"], title, str(found["given"]), str(found["used"]), note)
    console().print(table)
