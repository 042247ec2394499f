"""Tables with ids. An id is never broken over two lines: it is there to be copied."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.cli.output import console, draw, markup, say

_LEAST_TEXT = 20  # columns that a title needs to be readable


@dataclass(frozen=True, slots=True)
class Column:
    """A column: an id, a value of a fixed width, a text that wraps, or one that is left out first."""

    name: str
    kind: Literal["id", "fixed", "text", "extra"]
    justify: Literal["left", "right"] = "left"


def show_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of markup as a table; where that is too wide, without extras, then two lines a row."""
    if not rows:
        return
    terminal = console()
    if not terminal.is_terminal:
        _draw(columns, rows)
        return
    if _width(columns, rows) > terminal.width:
        chosen = [number for number, column in enumerate(columns) if column.kind != "extra"]
        columns = [columns[number] for number in chosen]
        rows = [[row[number] for number in chosen] for row in rows]
    if _width(columns, rows) > terminal.width:
        _stack(columns, rows)
    else:
        _draw(columns, rows)


def _width(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    """The columns that a table needs so that no id is broken and its texts can be read."""
    widths = []
    for number, column in enumerate(columns):
        longest = max(markup(text).cell_len for text in (column.name, *(row[number] for row in rows)))
        widths.append(min(longest, _LEAST_TEXT) if column.kind == "text" else longest)
    return sum(widths) + 2 * (len(widths) - 1)


def _draw(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        wraps = column.kind in ("text", "extra")
        table.add_column(column.name, overflow="fold", no_wrap=not wraps, justify=column.justify)
    for row in rows:
        table.add_row(*row)
    draw(table)


def _stack(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Two lines for each row: what has a fixed width and the id, then as much of the texts as fits."""
    terminal = console()
    for row in rows:
        cells = list(zip(columns, row, strict=True))
        say("  ".join(text for column, text in cells if column.kind != "text" and text))
        texts = markup("    " + "  ".join(text for column, text in cells if column.kind == "text"))
        texts.truncate(terminal.width, overflow="ellipsis")
        terminal.print(texts, soft_wrap=True)
