"""Can a text make this pattern slow? Decided from the pattern alone, before it meets any text.

A backtracking matcher is slow when many of its ways read the same text and all of them fail. A pattern whose
ways double with every repetition of some text is refused. One whose ways multiply with the text's length is
measured on paper: what a window of text can cost at most, against what we are ready to pay.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recollect.patterns.ambiguity import Handover, Ways

MOST_CHARACTERS = 1_000  # of a pattern
WINDOW = 600  # characters that a pattern of more than linear time is given at once
_MOST_STEPS = 400_000  # that a window may cost: a few milliseconds
_RUN, _MOST_WAYS = 64, 100_000  # of one character, and the ways that may read them


class Verdict(Frozen):
    """Why a pattern is refused, None when it is not, and the power of the length its time grows with."""

    refused: str | None
    degree: int = 1


def check(pattern: str) -> str | None:
    """Why this pattern is refused; None when no text can make it slow."""
    return examine(pattern).refused


def examine(pattern: str) -> Verdict:
    """What is to be said about a pattern that the standard library would search with."""
    if len(pattern) > MOST_CHARACTERS:
        return Verdict(f"it has {len(pattern)} characters; at most {MOST_CHARACTERS} are read")
    import re
    import warnings

    from recollect.patterns.automaton import TooComplexError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern)
        return max(
            map(_judged, _ways(pattern)), key=lambda verdict: (bool(verdict.refused), verdict.degree)
        )
    except (re.error, OverflowError, RecursionError, Warning) as error:
        return Verdict(f"it does not compile: {error}")
    except TooComplexError as error:
        return Verdict(f"{error}; write it in a simpler way")


def attacks(pattern: str) -> Iterator[tuple[str, str]]:
    """Texts meant to make a pattern slow: what to begin with, and what to repeat after it."""
    for ways in _ways(pattern):
        told = [(one.state, one.word) for one in ways.doublings()]
        told += [(one.first, one.word) for one in ways.handovers()]
        told += [(state, _cycle(ways, state)) for state in ways.loops]
        for state, word in told[:40]:
            yield ways.spelled(ways.way(0, state)), ways.spelled(word)


def _ways(pattern: str) -> Iterator[Ways]:
    """The pattern's ways, and those of each of its look-arounds."""
    from re import _parser  # type: ignore[attr-defined]

    from recollect.patterns.ambiguity import Ways
    from recollect.patterns.automaton import build

    waiting = [build(_parser.parse(pattern))]
    while waiting:
        automaton = waiting.pop()
        waiting += automaton.asides
        yield Ways(automaton)


def _judged(ways: Ways) -> Verdict:
    for doubling in ways.doublings():
        if ways.can_fail(doubling.state, doubling.word):
            why = (
                "a repeat within a repeat"
                if doubling.nested
                else "alternatives under a repeat that overlap"
            )
            return Verdict(f"{why}: each further {ways.spelled(doubling.word)!r} can double its time")
    if any(ways.counted(symbol, _RUN) > _MOST_WAYS for symbol in ways.symbols):
        return Verdict("too many optional parts in a row match the same text")
    found = [link for link in ways.handovers() if ways.can_fail(link.first, link.word)]
    worst = max(
        (_worst(ways, link, found, {}) for link in found), key=lambda row: row.steps, default=None
    )
    if worst and worst.steps > _MOST_STEPS:
        return Verdict(
            f"repeats in a row can match the same text, such as many {ways.spelled(worst.word)!r}: its time "
            f"grows with the length to the power of {worst.degree}; bound them, as in {{0,80}}"
        )
    return Verdict(None, worst.degree if worst else 1)


class _Row(Frozen):
    """Loops in a row that hand over: what a window of text can cost, the power, and a text of the last."""

    steps: float
    degree: int
    word: tuple[int, ...]


def _worst(ways: Ways, link: Handover, found: Sequence[Handover], known: dict[Handover, _Row]) -> _Row:
    """The dearest row that begins with a handover; each next one begins where it ended, or later."""
    if link not in known:
        bounds = ways.automaton.bounds
        choices = min(WINDOW, bounds.get(link.first, WINDOW)) / len(link.word) / 2
        known[link] = _Row(choices * min(WINDOW, bounds.get(link.second, WINDOW)), 2, link.word)
        for later in found:
            if later.first == link.second or ways.leads(link.second, later.first):
                rest = _worst(ways, later, found, known)
                row = _Row(choices * rest.steps, 1 + rest.degree, rest.word)
                known[link] = max(known[link], row, key=lambda row: row.steps)
    return known[link]


def _cycle(ways: Ways, state: int) -> tuple[int, ...]:
    """A shortest text that leads from a state back to it."""
    masks = ways.automaton.masks
    some = (
        (masks[after], *ways.way(after, state))
        for after in ways.onward[state]
        if ways.leads(after, state)
    )
    return min(some, key=len)
