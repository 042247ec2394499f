"""Search within a result: words or a pattern, in the lines of a text or the values of a document."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from recollect import patterns
from recollect.errors import RefusedError
from recollect.gateway.vault.json_path import Step, Steps, show_path
from recollect.gateway.vault.shape import compact
from recollect.records.json_format import Json

_WINDOW, _OVERLAP = 1_000, 100  # characters: a longer line is searched in windows
_AROUND = 120  # characters of context on each side of a match
_LINE = 240  # characters of a line that are shown


@dataclass(frozen=True, slots=True)
class Matches:
    """What a search found, each as a line of text. `partial`: no place has all words, these have some."""

    lines: tuple[str, ...]
    partial: bool = False


Finder = Callable[[str], int | None]  # where in a text the first match is


def search_text(text: str, query: str) -> Matches:
    """The lines that match, numbered from 0, with a line of context on each side, as grep shows them."""
    lines = text.split("\n")
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    if pattern := _pattern(query):
        spans = [start for start, _ in patterns.spans(text, f"(?m){pattern}")]
        hits = [
            (number, at - starts[number]) for at in spans for number in [bisect_right(starts, at) - 1]
        ]
        return Matches(tuple(_text_hit(lines, starts, *hit) for hit in _one_per_window(hits)))
    units = [unit for number, line in enumerate(lines) for unit in _windows(number, line)]
    for partial, finder in _finders(query):
        hits = [
            (number, offset + at)
            for number, offset, window in units
            if (at := finder(window)) is not None
        ]
        if hits:
            return Matches(tuple(_text_hit(lines, starts, *hit) for hit in hits), partial)
    return Matches(())


def search_json(value: Json, query: str, prefix: Steps = ()) -> Matches:
    """The values and keys that match, each with its path and what stands around the match."""
    finders = [(False, _by_pattern(query))] if _pattern(query) else _finders(query)
    for partial, finder in finders:
        hits = [
            f"{show_path(steps)}: {_around(text, at)}"
            for steps, leaf in _leaves(value, prefix)
            for text in [_leaf_text(steps, leaf)]
            if (at := finder(text)) is not None
        ]
        if hits:
            return Matches(tuple(hits), partial)
    return Matches(())


def search_rows(rows: Sequence[str], query: str) -> Matches:
    """The rows that match, numbered from 0."""
    finders = [(False, _by_pattern(query))] if _pattern(query) else _finders(query)
    for partial, finder in finders:
        hits = [
            f"{number}: {_around(row, at)}"
            for number, row in enumerate(rows)
            if (at := finder(row)) is not None
        ]
        if hits:
            return Matches(tuple(hits), partial)
    return Matches(())


def _pattern(query: str) -> str:
    """The pattern in `/pattern/`; '' for words. Raises RefusedError where RE2 does not accept it."""
    if len(query) < 3 or query[0] != "/" or query[-1] != "/":
        return ""
    if reason := patterns.refusal(f"(?m){query[1:-1]}"):
        raise RefusedError(f"the pattern {query!r} cannot be used: {reason}.")
    return query[1:-1]


def _by_pattern(query: str) -> Finder:
    pattern = f"(?m){_pattern(query)}"
    return lambda text: next((start for start, _ in patterns.spans(text, pattern)), None)


def _finders(query: str) -> list[tuple[bool, Finder]]:
    """All words in one place, then any of them. Raises RefusedError without words."""
    words = query.lower().split()
    if not words:
        raise RefusedError("search needs words, or a pattern between slashes such as /id: \\d+/.")

    def every(text: str) -> int | None:
        lower = text.lower()
        return lower.find(words[0]) if all(word in lower for word in words) else None

    def some(text: str) -> int | None:
        lower = text.lower()
        return min((at for word in words if (at := lower.find(word)) >= 0), default=None)

    return [(False, every), (True, some)] if len(words) > 1 else [(False, every)]


def _windows(number: int, line: str) -> Iterator[tuple[int, int, str]]:
    """A line, or the windows of a long one: its number, the offset in it, and the text."""
    for offset in range(0, max(len(line) - _OVERLAP, 1), _WINDOW - _OVERLAP):
        yield number, offset, line[offset : offset + _WINDOW]


def _one_per_window(hits: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """One match for each line, and for each window of a long one."""
    first: dict[tuple[int, int], tuple[int, int]] = {}
    for number, at in hits:
        first.setdefault((number, at // (_WINDOW - _OVERLAP)), (number, at))
    return list(first.values())


def _text_hit(lines: Sequence[str], starts: Sequence[int], number: int, at: int) -> str:
    if len(lines[number]) > _WINDOW:
        return f"{number} (c{starts[number] + at}): {_around(lines[number], at)}"
    near = [
        f"{other}{':' if other == number else '-'} {_cut(lines[other])}"
        for other in range(max(number - 1, 0), min(number + 2, len(lines)))
    ]
    return "\n".join(near)


def _cut(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= _LINE else line[:_LINE] + "…"


def _around(text: str, at: int) -> str:
    """The text on both sides of a match, on one line."""
    start, end = max(at - _AROUND, 0), at + _AROUND
    piece = re.sub(r"\s+", " ", text[start:end])
    return f"{'…' if start else ''}{piece}{'…' if end < len(text) else ''}"


def _leaf_text(steps: Steps, leaf: Json) -> str:
    name = next((step for step in reversed(steps) if isinstance(step, str)), "")
    text = leaf if isinstance(leaf, str) else compact(leaf)
    return f"{name} = {text}" if name else text


def _leaves(value: Json, prefix: Steps) -> Iterator[tuple[Steps, Json]]:
    """Every value that is no object and no list, and those that are empty, in order."""
    stack: list[tuple[Steps, Json]] = [(prefix, value)]
    while stack:
        steps, item = stack.pop()
        children: list[tuple[Step, Json]] = []
        if isinstance(item, dict):
            children = list(item.items())
        elif isinstance(item, list):
            children = list(enumerate(item))
        if not children:
            yield steps, item
        stack += [((*steps, step), child) for step, child in reversed(children)]
