"""What scanners read and return: a prepared text, and spans, which are joined, removed and mapped back."""

from __future__ import annotations

from bisect import bisect_right

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

REDACTED = "[REDACTED]"
# Characters that show nothing, as the inside of a character class: one of them in a token would hide it.
INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
CONTROLS = "".join(map(chr, [*range(0x09), *range(0x0E, 0x1C), 0x7F]))  # those of them in ASCII
SHORTEST_KEY = 16  # no key that a provider issues is shorter
_SEPARATORS = {ord(sign): " " for sign in "\"'`=:;,|&?!#%@$*^\\<>()[]{}"}


class ScannedText(Frozen):
    """A text, the same in ASCII and in lower case (of equal length), and its tokens that may be a key.

    In ASCII, other letters are question marks: looking for a mark in it takes a tenth of the time.
    """

    text: str
    plain: str
    lower: str
    tokens: list[str]


def scanned(text: str) -> ScannedText:
    """Prepare a text for the scanners."""
    plain = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
    tokens = plain.replace("\\n", " ").translate(_SEPARATORS).split()
    long = [piece for token in tokens if len(token) >= SHORTEST_KEY for piece in _pieces(token)]
    return ScannedText(text, plain, plain.lower(), long)


def _pieces(token: str) -> list[str]:
    """A token as it is, or its parts where an arrow or a control code divides it."""
    if token.isascii() and token.isprintable():
        return [token]
    divided = "".join([sign if sign.isalnum() or sign in "_+/.~-" else " " for sign in token])
    return [piece for piece in divided.split() if len(piece) >= SHORTEST_KEY]


class Span(Frozen):
    """Where a secret is in a text, and what kind it is."""

    kind: str
    start: int
    end: int


def joined(spans: Iterable[Span]) -> list[Span]:
    """Spans by position; those that overlap become one, of the kind that comes first in `spans`."""
    result: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in sorted(
        (span.start, span.end, rank, span.kind) for rank, span in enumerate(spans)
    ):
        if result and start < result[-1][1]:
            first, last, best, name = result[-1]
            result[-1] = (first, max(last, end), *min((best, name), (rank, kind)))
        else:
            result.append((start, end, rank, kind))
    return [Span(kind, start, end) for start, end, _, kind in result]


def without(text: str, spans: list[Span]) -> str:
    """The text with `REDACTED` in place of each span."""
    parts, last = [], 0
    for span in spans:
        parts += [text[last : span.start], REDACTED]
        last = span.end
    return "".join([*parts, text[last:]])


def restored(spans: list[Span], removed: list[Span]) -> list[Span]:
    """Where spans of the text without `removed` are in the original text.

    One that begins or ends inside a mark takes in what the mark stands for.
    """
    marks, growth = (
        list[int](),
        [0],
    )  # where each mark begins, and how much longer the original is there
    for span in removed:
        marks.append(span.start - growth[-1])
        growth.append(growth[-1] + span.end - span.start - len(REDACTED))

    def mark_at(place: int) -> int | None:
        number = bisect_right(marks, place) - 1
        return number if number >= 0 and place < marks[number] + len(REDACTED) else None

    def moved(place: int) -> int:
        return place + growth[bisect_right(marks, place)]

    result = []
    for span in spans:
        first, last = mark_at(span.start), mark_at(span.end - 1)
        start = moved(span.start) if first is None else removed[first].start
        end = moved(span.end - 1) + 1 if last is None else removed[last].end
        result.append(Span(span.kind, start, end))
    return result
