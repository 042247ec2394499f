"""What the screen of `recollect review` shows: a pure function of what waits and the size of the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, chop_cells, set_cell_size

from recollect.app.review.source import ReviewAct, ReviewItem
from recollect.records.display import one_line
from recollect.records.json_format import Json

ACTS: dict[str, ReviewAct] = {"y": "keep", "e": "edit", "m": "merge", "d": "drop"}
_LABELS = {
    "approval": "approval",
    "draft": "draft",
    "statement": "statement",
    "tool": "changed tool",
    "drift": "code changed",
    "contradiction": "contradicts",
    "pin": "still true?",
    "unused": "never used",
    "link": "missing link",
}
_LABEL_WIDTH = 13
_BOLD, _DIM, _REVERSE, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[7m", "\x1b[0m"
_HELP = (
    ("y", "keep: save, accept, approve, or confirm it"),
    ("e", "edit it in $EDITOR"),
    ("m", "merge it into a memory"),
    ("d", "drop: delete, retire, reject, or stop suggesting it"),
    ("l", "later: leave it and continue"),
    ("u", "undo the last decision"),
    ("j k", "next and previous; the arrows do the same"),
    ("space b", "scroll what is shown"),
    ("?", "this help"),
    ("q", "quit; your decisions are saved"),
)


@dataclass(frozen=True, slots=True)
class ReviewScreen:
    """What waits, which item is chosen, how far its text is scrolled, and what to say below."""

    items: tuple[ReviewItem, ...]
    at: int = 0
    scrolled: int = 0
    message: str = ""
    shows_help: bool = False

    @property
    def item(self) -> ReviewItem | None:
        """The chosen item; None when nothing is waiting."""
        return self.items[self.at] if self.items else None

    def moved(self, by: int) -> "ReviewScreen":
        """The same with another item chosen, the first or last at most."""
        at = min(max(self.at + by, 0), max(len(self.items) - 1, 0))
        return replace(self, at=at, scrolled=0, message="")

    def without_item(self, message: str) -> "ReviewScreen":
        """The same without the chosen item, which was decided."""
        items = (*self.items[: self.at], *self.items[self.at + 1 :])
        at = min(self.at, max(len(items) - 1, 0))
        return ReviewScreen(items, at, message=message)

    def lines(self, columns: int, rows: int) -> list[str]:
        """The screen: one line for each row at most, none wider than the columns."""
        if self.shows_help:
            return _fitted(_help_lines(columns), rows)
        listed = self._list_lines(columns, max(rows // 3, 2))
        room = max(rows - len(listed) - 4, 1)
        detail = _detail_lines(self.item, columns)[self.scrolled :]
        more = f"{_DIM}… space shows more{_PLAIN}" if len(detail) > room else ""
        shown = [*detail[: room - 1], more] if more else detail
        shown += [""] * (room - len(shown))
        foot = [
            _cut(one_line(self.message), columns),
            f"{_DIM}{_cut(self._keys(columns), columns)}{_PLAIN}",
        ]
        return [self._head(columns), *listed, f"{_DIM}{'─' * columns}{_PLAIN}", *shown, *foot]

    def _head(self, columns: int) -> str:
        count = f"{self.at + 1} of {len(self.items)}" if self.items else "nothing is waiting"
        return f"{_BOLD}{_cut(f'Review: {count}', columns)}{_PLAIN}"

    def _list_lines(self, columns: int, rows: int) -> list[str]:
        first = min(max(self.at - rows // 2, 0), max(len(self.items) - rows, 0))
        lines = []
        for place, item in enumerate(self.items[first : first + rows], start=first):
            label = _cut(_LABELS.get(item.kind, item.kind), _LABEL_WIDTH - 1)
            text = _cut(f"{label:<{_LABEL_WIDTH}}{one_line(item.title)}", columns - 2)
            lines.append(f"{_REVERSE}> {text}{_PLAIN}" if place == self.at else f"  {text}")
        return lines

    def _keys(self, columns: int) -> str:
        acts = self.item.acts if self.item else {}
        keys = [f"{key} {act}" for key, act in ACTS.items() if act in acts]
        keys += ["l later"] if self.items else []
        keys += ["u undo", "? help", "q quit"]
        wide = "   ".join(["j/k move", *keys])
        return wide if cell_len(wide) <= columns else " ".join(keys)


def _detail_lines(item: ReviewItem | None, columns: int) -> list[str]:
    if item is None:
        return ["Nothing is waiting for you."]
    lines = [f"{_BOLD}{line}{_PLAIN}" for line in _wrapped(item.title, columns)]
    lines += [f"{_DIM}{line}{_PLAIN}" for line in _wrapped(item.reason, columns)]
    for detail in item.details:
        lines += _wrapped(detail, columns, "  ")
    if item.document is not None:
        lines += _document_lines(item.document, columns)
    lines.append("")
    letters = {act: letter for letter, act in ACTS.items()}
    lines += [
        line
        for act, text in item.acts.items()
        for line in _wrapped(f"{letters[act]}  {act}: {text}", columns)
    ]
    return lines


def _document_lines(document: dict[str, Json], columns: int) -> list[str]:
    content = document.get("content")
    rows: dict[str, Json] = {name: document.get(name) for name in ("category", "tags")}
    rows |= content if isinstance(content, dict) else {}
    return [
        line
        for name, value in rows.items()
        if value not in (None, "", [], {})
        for line in _wrapped(f"{name.replace('_', ' ')}: {_plain(value)}", columns, "  ")
    ]


def _plain(value: Json) -> str:
    match value:
        case list():
            return "; ".join(_plain(item) for item in value)
        case dict():
            return ", ".join(f"{name} {_plain(item)}" for name, item in value.items())
        case _:
            return str(value)


def _help_lines(columns: int) -> list[str]:
    lines = [f"{_BOLD}Keys{_PLAIN}", ""]
    lines += [_cut(f"  {keys:<9}{text}", columns) for keys, text in _HELP]
    return [*lines, "", _cut("Any key goes back.", columns)]


def _wrapped(text: str, columns: int, indent: str = "") -> list[str]:
    """A text on lines of the terminal's width; characters that a terminal would obey are taken out."""
    width = max(columns - len(indent), 1)
    pieces = [piece for word in one_line(text).split(" ") for piece in chop_cells(word, width)]
    lines, line = list[str](), ""
    for piece in pieces:
        longer = f"{line} {piece}" if line else piece
        if line and cell_len(longer) > width:
            lines.append(indent + line)
            longer = piece
        line = longer
    return [*lines, indent + line]


def _cut(text: str, columns: int) -> str:
    """A line of at most so many cells."""
    return text if cell_len(text) <= columns else set_cell_size(text, max(columns - 1, 0)) + "…"


def _fitted(lines: Sequence[str], rows: int) -> list[str]:
    return [*lines[:rows], *[""] * (rows - len(lines))]
