"""Which commands of ours are a person's to give? Decisions that exist to bind the agent.

Read from the text of a shell command, as in `shell_writes`: a program or a script file that runs one is not
seen through. Nothing here raises, for any text.
"""

from __future__ import annotations

from recollect.hook.shell_writes import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    SHELLS,
    nested_script,
    program_of,
    simple_commands,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# These name commands and run none.
_READERS = frozenset("echo printf cat grep egrep rg ag ack man which type git ls".split())  # noqa: SIM905
# These run a command that stands in one of their arguments.
_RUNNERS = frozenset("env su script watch ssh tmux screen eval unbuffer python python3".split())  # noqa: SIM905
_WITH_VALUE = ("-C", "--project", "-k", "--kind")  # options whose value is no command
_SPLIT = str.maketrans(dict.fromkeys("'\"", "\n"))


def person_command(text: str, depth: int = 0) -> str:
    """What only a person may run in a shell command, such as `gateway login`; '' if there is nothing."""
    text, *substituted = _without_backticks(text[:MAX_CHARACTERS])
    for script in substituted if depth < MAX_DEPTH else ():
        if name := person_command(script, depth + 1):
            return name
    for words, _ in simple_commands(text):
        program, _ = program_of(words)
        if program not in _READERS and (name := _decision(_own_words(words))):
            return name
        if depth < MAX_DEPTH:
            for script in _scripts(words, text):
                if name := person_command(script, depth + 1):
                    return name
    return ""


def _without_backticks(text: str) -> list[str]:
    """The text outside backticks, then each script between two of them."""
    parts = text.split("`")
    return [" ".join(parts[::2]), *parts[1::2]]


def _scripts(words: Sequence[str], text: str) -> Iterator[str]:
    """Texts that a simple command of `text` runs as commands."""
    names = [word.rsplit("/", 1)[-1] for word in words]
    is_runner = not _RUNNERS.isdisjoint(names) or " " in "".join(words[:1])
    for at, word in enumerate(words):
        if names[at] in SHELLS:
            yield nested_script("sh", list(words[at + 1 :]))
            if all(option.startswith("-") for option in words[at + 1 :]):  # a pipe or a here-document
                yield text.replace("<<", ";").translate(_SPLIT)
        elif is_runner and " " in word:
            yield word
        if "$(" in word:
            yield word.split("$(", 1)[1].rstrip(")")


def _own_words(words: Sequence[str]) -> list[str]:
    """The arguments of `recollect`, wherever it stands: after `sudo`, `uv run`, `timeout 5`, `python -m`."""
    for at, word in enumerate(words):
        if word.rsplit("/", 1)[-1] in ("recollect", "recollect.__main__", "recollect.exe"):
            return list(words[at + 1 :])
    return []


def _about_memories(arguments: Sequence[str]) -> str:
    """A decision about what waits for review, or the deletion of a memory."""
    operands, rest = [], iter(arguments)
    for word in rest:
        if word in _WITH_VALUE:
            next(rest, "")
        elif not word.startswith("-"):
            operands.append(word)
    match operands:
        case ["forget", *_]:
            return "forget"
        case ["review", "keep" | "drop" | "merge" | "undo" as action, *_]:
            return f"review {action}"
        case ["session", "keep", *_]:
            return "session keep"
    return ""


def _decision(arguments: Sequence[str]) -> str:
    if "run" in arguments:
        action = "".join(arguments[arguments.index("run") + 1 :][:1])
        if action in ("approve", "reject", "grant"):
            return f"run {action}"
        if action == "start" and "--yes-read-only" in arguments:
            return "run start --yes-read-only"
    if name := _about_memories(arguments):
        return name
    if "gateway" not in arguments:
        return ""
    rest = arguments[arguments.index("gateway") + 1 :]
    options = {word.partition("=")[0] for word in rest if word.startswith("-")}
    operands = [word for word in rest if not word.startswith("-")]
    match operands:
        case ["policy", *more] if (more and more[0] != "deny") or "--remove" in options:
            return "gateway policy"
        case ["review", *_] if options & {"--accept", "--accept-all"}:
            return "gateway review --accept"
        case ["import", *_] if options & {"--take-over", "--yes", "-y"} and "--dry-run" not in options:
            return "gateway import --take-over"
        case ["secret", "set" | "remove" as action, *_]:
            return f"gateway secret {action}"
        case ["projection", "accept" | "remove" as action, *_]:
            return f"gateway projection {action}"
        case ["login", *_]:
            return "gateway login"
        case ["trust", *_] if "--no" not in options:
            return "gateway trust"
    return ""
