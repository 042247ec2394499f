"""Text that wraps between words only: an id, a path or a command is there to be copied."""

import re
from typing import Any

from rich.cells import cell_len
from rich.containers import Lines
from rich.text import Text

_WORD = re.compile(r"\S+\s*")
_LABEL = re.compile(r"\S+(?: \S+)?\s{2,}")


class UnbrokenText(Text):
    """A text whose words stay whole. One that is wider than the line is alone on it, and runs over."""

    def wrap(self, console: Any, width: int, **_settings: Any) -> Lines:  # noqa: ARG002 - rich calls it
        """The lines of the text."""
        lines = Lines()
        for part in self.split(allow_blank=True):
            for line in part.divide(breaks(part.plain, width)):
                line.rstrip()
                lines.append(line)
        return lines


def breaks(text: str, width: int, first: int | None = None) -> list[int]:
    """Where lines begin after the first one, so that it is at most `first` cells wide, others `width`."""
    starts: list[int] = []
    used = cell_len(text) - cell_len(text.lstrip()) + width - (width if first is None else first)
    for word in _WORD.finditer(text):
        if (
            used + cell_len(word.group().rstrip()) > width
            and word.start()
            and text[: word.start()].strip()
        ):
            starts.append(word.start())
            used = 0
        used += cell_len(word.group())
    return starts


def wrapped(text: Text, width: int) -> list[Text]:
    """A line as lines that fit, those after the first one below its text: `label   text`, or indented."""
    if text.cell_len <= width:
        return [text]
    indent = len(text.plain) - len(text.plain.lstrip(" "))
    body = text[indent:]
    label = _LABEL.match(body.plain)
    deeper = label.end() if label and label.end() <= width // 4 else 2
    rest = min(indent + deeper, width // 2)
    lines = list(body.divide(breaks(body.plain, width - rest, width - indent)))
    for number, line in enumerate(lines):
        line.rstrip()
        line.pad_left(rest if number else indent)
    return lines
