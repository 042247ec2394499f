"""Redacting a text of any length in bounded memory. Pure: pieces in, redacted pieces out.

A window of the text is scanned at a time. What is before it stays visible to the scanners, and a window ends
at a line, outside of anything that looks like a secret, so that the result is that of the whole text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.redaction.spans import Span, without

WINDOW = 1 << 20  # characters that are scanned at a time
_CONTEXT = 16 << 10  # characters before a window that the scanners see again
_MARGIN = 64 << 10  # characters at the end of a window that wait for what follows
_LONGEST = 8 << 20  # characters that may wait for the end of one secret

Find = Callable[[str], Sequence[Span]]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text without its secrets: those it had, and the line on which it begins, from 1."""

    text: str
    original: str
    spans: tuple[Span, ...]
    line: int


def redacted_pieces(texts: Iterable[str], find: Find) -> Iterator[Piece]:
    """The pieces of a text, in order; their texts joined are the redacted text."""
    context, waiting, line = "", "", 1
    for text in texts:
        waiting += text
        while len(waiting) >= WINDOW:
            spans = _spans(context, waiting, find)
            end = _end_of_piece(waiting, spans)
            if not end:
                break  # one secret fills the window: wait for its end
            yield _piece(waiting, end, spans, line)
            line += waiting.count("\n", 0, end)
            context, waiting = (context + waiting[:end])[-_CONTEXT:], waiting[end:]
    if waiting:
        yield _piece(waiting, len(waiting), _spans(context, waiting, find), line)


def _spans(context: str, waiting: str, find: Find) -> list[Span]:
    """The secrets of a window, found with what is before it in view."""
    start = len(context)
    return [
        Span(span.kind, max(span.start - start, 0), span.end - start)
        for span in find(context + waiting)
        if span.end > start
    ]


def _end_of_piece(waiting: str, spans: Sequence[Span]) -> int:
    """Where a window is cut: after a line, outside of a secret; 0 when it must grow first."""
    if len(waiting) >= _LONGEST:
        return len(waiting)
    most = len(waiting) - _MARGIN
    inside = [span.start for span in spans if span.start < most < span.end or span.end == len(waiting)]
    most = min([most, *inside])
    end = waiting.rfind("\n", 0, most) + 1
    if not end and len(waiting) >= WINDOW + _MARGIN:
        end = most  # one endless line
    overlapping = [span.start for span in spans if span.start < end < span.end]
    return min([end, *overlapping])


def _piece(waiting: str, end: int, spans: Sequence[Span], line: int) -> Piece:
    original = waiting[:end]
    inside = tuple(span for span in spans if span.start < end)
    return Piece(without(original, list(inside)), original, inside, line)
