"""Output of commands: colour for people, JSON for programs."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect.records.display import one_line, safe_text

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_WIDE = 10_000  # a pipe has no edge


@dataclass(slots=True)
class Verbosity:
    """How much a command says beside its result: `--quiet` and `--verbose`."""

    quiet: bool = False
    verbose: bool = False


verbosity = Verbosity()

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
    """Print a line for people. `text` may contain markup; users' text must pass through `safe`.

    On a terminal it wraps between words, indented; an id, a path or any other word is never broken.
    """
    _print(console(), markup(text), end)


def warn(text: str) -> None:
    """Print a line for people on standard error, so that piped output stays clean."""
    _print(console(stderr=True), markup(text))


def say_text(text: "Text") -> None:
    """Print a text as `say` prints a line."""
    _print(console(), text)


def _print(terminal: "Console", text: "Text", end: str = "\n") -> None:
    from recollect.cli.unbroken_text import wrapped

    lines = [text]
    if terminal.is_terminal:
        parts = text.split(allow_blank=True)
        lines = [line for part in parts for line in wrapped(part, terminal.width)]
    for line in lines[:-1]:
        terminal.print(line, soft_wrap=True)
    terminal.print(lines[-1], soft_wrap=True, end=end)


def hint(text: str) -> None:
    """Print a hint on standard error, unless `--quiet`. `text` may contain markup."""
    if not verbosity.quiet:
        warn(f"[dim]{text}[/]")


def detail(text: str) -> None:
    """Print on standard error what is going on, with `--verbose`. `text` may contain markup."""
    if verbosity.verbose:
        warn(f"[dim]{text}[/]")


def draw(picture: "RenderableType") -> None:
    """Print a table or a tree: wrapped on a terminal, unwrapped in a pipe so that grep works."""
    from rich.table import Table

    from recollect.cli.narrow_table import fits, stack

    terminal = console()
    if not terminal.is_terminal:
        terminal.width = _WIDE
    if isinstance(picture, Table) and not fits(picture, terminal.width):
        stack(picture)
        return
    terminal.width = max(terminal.width, _least_width(picture))  # a tree cuts words that do not fit
    terminal.print(picture, crop=False)


def _least_width(picture: "RenderableType") -> int:
    """The columns that a picture needs so that no word of it is broken."""
    from rich.measure import Measurement

    wide = console()
    wide.width = _WIDE
    return Measurement.get(wide, wide.options, picture).minimum


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


def markup(text: str) -> "Text":
    """A line of markup whose words stay whole. `:word:` stays text and does not become an emoji."""
    from recollect.cli.unbroken_text import UnbrokenText

    return UnbrokenText().append_text(UnbrokenText.from_markup(text, emoji=False))


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A number and its noun: `1 memory`, `2 memories`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def colour(category: str) -> str:
    """The colour of a category; bold if it has none."""
    return _COLOURS.get(category, "bold")


def label(category: str) -> str:
    """A category as people see it, in its colour."""
    return f"[{colour(category)}]{category.upper()}[/]"
