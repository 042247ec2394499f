"""The piece of a text that shows why it was found."""

import re
from collections.abc import Callable, Collection

LENGTH = 160
_WORD = re.compile(r"[^\W_](?:\w|[.\-](?=[^\W_]))*")


def snippet(text: str, matches: Callable[[str], bool], length: int = LENGTH) -> str:
    """The window of `text` with the most words that match, cut at words, marked where it was cut."""
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    places = [match.start() for match in _WORD.finditer(flat) if matches(match.group())]
    start = _best_start(places, length)
    start = flat.rfind(" ", 0, start) + 1 if start else 0
    end = start + length
    if end < len(flat):
        end = flat.rfind(" ", start, end + 1) if " " in flat[start : end + 1] else end
    return ("… " if start else "") + flat[start:end].strip() + (" …" if end < len(flat) else "")


def _best_start(places: list[int], length: int) -> int:
    best, best_count = 0, 0
    for position, start in enumerate(places):
        count = sum(place < start + length for place in places[position:])
        if count > best_count:
            best, best_count = start, count
    return max(best - 20, 0) if best_count else 0


def spans(text: str, matches: Callable[[str], bool]) -> Collection[tuple[int, int]]:
    """Where in `text` the words stand that match, for highlighting."""
    return [match.span() for match in _WORD.finditer(text) if matches(match.group())]
