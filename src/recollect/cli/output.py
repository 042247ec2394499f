"""Output of commands: colour for people, JSON for programs, progress on standard error."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.records.display import one_line, safe_text
from recollect.records.store import Progress

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_WORTH_A_BAR = 500  # files; fewer are read before a bar could be drawn
_WIDE = 10_000  # a pipe has no edge

_COLOURS = {
    "decision": "cyan",
    "constraint": "red",
    "preference": "magenta",
    "runbook": "green",
    "tech_debt": "yellow",
    "session_summary": "blue",
    "skill": "bright_cyan",
}


def console(*, stderr: bool = False) -> "Console":
    """A terminal, or a plain stream when there is none."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, emoji=False)


def say(text: str, end: str = "\n") -> None:
    """Print a line for people. `text` may contain markup; users' text must pass through `safe`."""
    console().print(text, soft_wrap=True, end=end)


def warn(text: str) -> None:
    """Print a line for people on standard error, so that piped output stays clean."""
    console(stderr=True).print(text, soft_wrap=True)


def draw(picture: "RenderableType") -> None:
    """Print a table or a tree: wrapped on a terminal, unwrapped in a pipe so that grep works."""
    terminal = console()
    if not terminal.is_terminal:
        terminal.width = _WIDE
    terminal.print(picture)


def safe(text: str) -> str:
    """Users' text on one line, without escape sequences that a terminal would obey."""
    from rich.markup import escape

    return escape(one_line(text))


def safe_piece(text: str) -> str:
    """A part of a line, made safe; its spaces stay."""
    from rich.markup import escape

    return escape(safe_text(text.replace("\n", " ")))


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON document, in ASCII so that no terminal or locale can break it."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


@contextmanager
def progress(what: str, worth: int = _WORTH_A_BAR) -> Iterator[Progress]:
    """A progress bar on standard error, drawn only on a terminal and for long work."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeRemainingColumn(), console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, visible=False)

        def report(done: int, total: int) -> None:
            if done % 50 == 0 or done == total:
                bar.update(task, completed=done, total=total, visible=total > worth)

        yield report


def markup(text: str) -> "Text":
    """A line of markup. `:word:` stays text and does not become an emoji."""
    from rich.text import Text

    return Text.from_markup(text, emoji=False)


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A number and its noun: `1 memory`, `2 memories`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def colour(category: str) -> str:
    """The colour of a category; bold if it has none."""
    return _COLOURS.get(category, "bold")


def label(category: str) -> str:
    """A category as people see it, in its colour."""
    return f"[{colour(category)}]{category.upper()}[/]"
