"""The snippet of a text that shows its matches."""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator

from recollect.text.tokens import UNSPACED

LENGTH = 160
_LEAD = 20  # characters shown before the first match, or fewer, so that a window begins at a word
_UNSPACED_RUN = re.compile(f"([{UNSPACED}]+)")
_WORD = re.compile(r"[^\W_](?:\w|[.\-](?=[^\W_]))*")


def snippet(text: str, matches: Callable[[str], bool], length: int = LENGTH) -> str:
    """The window of `text` with the most words that match, cut at words, marked where it was cut."""
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    match = _best_start([start for start, _ in spans(flat, matches)], length)
    start = _word_start(flat, match)
    end = start + length
    if end < len(flat) and (space := flat.rfind(" ", match, end + 1)) > 0:
        end = space
    return ("… " if start else "") + flat[start:end].strip() + (" …" if end < len(flat) else "")


def _best_start(places: list[int], length: int) -> int:
    best, best_count = 0, 0
    for position, start in enumerate(places):
        count = bisect_left(places, start + length - _LEAD) - position
        if count > best_count:
            best, best_count = start, count
    return best


def _word_start(flat: str, match: int) -> int:
    """Where a window that shows the match begins: at a word a little before it, if there is one."""
    if match <= _LEAD:
        return 0
    space = flat.find(" ", match - _LEAD - 1, match)
    return match - _LEAD if space < 0 else space + 1


def spans(text: str, matches: Callable[[str], bool]) -> Collection[tuple[int, int]]:
    """The positions of matching words in `text`, for highlighting; they do not overlap."""
    matching: list[tuple[int, int]] = []
    for start, end in _words(text):
        if matches(text[start:end]):
            joined = bool(matching) and start < matching[-1][1]
            matching.append((matching.pop()[0] if joined else start, end))
    return matching


def _words(text: str) -> Iterator[tuple[int, int]]:
    """The places of words; of text written without spaces, of its pairs of characters."""
    for run in _WORD.finditer(text):
        if text.isascii() or not _UNSPACED_RUN.search(run.group()):
            yield run.span()
            continue
        place = run.start()
        for piece in _UNSPACED_RUN.split(run.group()):
            if _UNSPACED_RUN.fullmatch(piece):
                last = place + len(piece)
                starts = range(place, max(last - 1, place + 1))
                yield from ((start, min(start + 2, last)) for start in starts)
            elif piece:
                yield place, place + len(piece)
            place += len(piece)
