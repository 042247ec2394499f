"""Tables with a column of secrets: CSV, tabs, Markdown, the output of a database."""

from __future__ import annotations

from recollect.redaction.assignment_check import QUOTED, is_secret
from recollect.redaction.secret_names import PASSWORD, SECRET, name_strength
from recollect.redaction.spans import Span
from recollect.redaction.value_check import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DELIMITERS = "|\t,;"
_AROUND_CELL = " \t\r\"'`*"
_LONGEST_HEADER = 400  # characters
_MOST_ROWS = 10_000
_CODE = word_set(
    "return import from def for in yield with lambda case select insert if elif while and or"
)


def table_values(text: str, places: list[int]) -> Iterator[Span]:
    """The secrets in columns whose header has a name at one of `places`."""
    after = -1
    for place in places:
        if place <= after:
            continue
        start = text.rfind("\n", max(0, place - _LONGEST_HEADER), place) + 1
        end = text.find("\n", place, place + _LONGEST_HEADER)
        if end < 0:
            continue
        after = end
        header = text[start:end]
        for delimiter in _DELIMITERS:
            if delimiter in header and (columns := _secret_columns(header, delimiter)):
                yield from _rows(text, end + 1, delimiter, header.count(delimiter), columns)
                break


def _secret_columns(header: str, delimiter: str) -> dict[int, str]:
    """Which columns have the name of a secret; none when the line is no header."""
    names = [cell.strip(_AROUND_CELL) for cell in header.split(delimiter)]
    inner = [name for name in names if name]
    if len(inner) < 2 or (delimiter != "|" and len(inner) < len(names)):
        return {}
    if not all(_is_title(name) for name in inner) or inner[0].split()[0].lower() in _CODE:
        return {}
    return {
        number: name
        for number, name in enumerate(names)
        if name and name_strength(name.replace(" ", "_")) in (PASSWORD, SECRET)
    }


def _is_title(name: str) -> bool:
    """Whether it may head a column: one to four words of letters and digits."""
    plain = name.replace("_", "").replace("-", "").replace(" ", "").replace(".", "")
    return len(name) <= 40 and plain.isalnum() and not name.endswith(".") and len(name.split()) <= 4


def _rows(text: str, at: int, delimiter: str, size: int, columns: dict[int, str]) -> Iterator[Span]:
    """The secrets in the rows below a header, as long as they have as many cells."""
    for _ in range(_MOST_ROWS):
        end = text.find("\n", at)
        row = text[at : end if end >= 0 else len(text)]
        if row.count(delimiter) != size and row.strip("-+=|: \t\r"):
            return
        place = at
        for number, cell in enumerate(row.split(delimiter)):
            value = cell.strip(_AROUND_CELL)
            name = columns.get(number)
            if name and value and is_secret(value, name_strength(name.replace(" ", "_")), name, QUOTED):
                begin = place + cell.index(value)
                yield Span("assigned secret", begin, begin + len(value))
            place += len(cell) + 1
        if end < 0 or not row.strip():
            return
        at = end + 1
