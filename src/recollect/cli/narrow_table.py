"""Tables that fit the terminal without breaking a word; where none can, a row takes several lines."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from recollect.cli.output import markup, say

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_GAP = 2  # columns between two columns


def fits(table: "Table", width: int) -> bool:
    """Whether no word has to be broken to draw it; then each column gets the width that it needs."""
    whole = [_longest(texts, _line) for texts in _columns(table)]
    words = [_longest(texts, _word) for texts in _columns(table)]
    least = [
        lines if column.no_wrap else part
        for column, lines, part in zip(table.columns, whole, words, strict=True)
    ]
    room = width - _GAP * (len(least) - 1) - sum(least)
    if room < 0:
        return False
    for column, narrow, lines in zip(table.columns, least, whole, strict=True):
        column.width = narrow + min(lines - narrow, room)
        room -= column.width - narrow
    return True


def stack(table: "Table") -> None:
    """Print each row as its first cell, and below it the others with the names of their columns."""
    if table.title:
        say(str(table.title))
    names = [str(column.header) for column in table.columns]
    for row in zip(*(list(column.cells) for column in table.columns), strict=True):
        first, *others = map(_markup, row)
        if not table.show_header:
            say("  ".join(filter(None, (first, *others))))
            continue
        say(first)
        for name, text in zip(names[1:], others, strict=True):
            if text:
                say(f"  [dim]{name}[/] {text}")


def _columns(table: "Table") -> list[list[str]]:
    """The texts of each column without markup, its name first if it is shown."""
    heads = [[column.header] if table.show_header else [] for column in table.columns]
    return [
        [_plain(cell) for cell in (*head, *column.cells)]
        for head, column in zip(heads, table.columns, strict=True)
    ]


def _markup(cell: "RenderableType") -> str:
    return cell if isinstance(cell, str) else cast("Text", cell).markup


def _plain(cell: "RenderableType") -> str:
    return markup(cell).plain if isinstance(cell, str) else str(cell)


def _longest(texts: Sequence[str], size: Callable[[str], int]) -> int:
    return max(map(size, texts), default=0)


def _word(text: str) -> int:
    return max(map(_cells, text.split()), default=0)


def _line(text: str) -> int:
    return max(map(_cells, text.splitlines()), default=0)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
