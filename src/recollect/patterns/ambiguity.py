"""In how many ways can an automaton read the same text? The two shapes that make them many, with the text.

A doubling: a state that can be left and reached again in two ways over one text; each repetition of that
text doubles the ways. A handover: a loop that can pass to a later one over a text that both repeat; the ways
grow with the number of repetitions. Either only hurts when all ways fail in the end, which is tried.
"""

from __future__ import annotations

from collections import deque

from recollect.patterns.automaton import ACCEPT, ACCEPT_END, BEGIN, Automaton, TooComplexError
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BUDGET = 20_000  # steps in search of one shape
_REPEATED = 8  # times; longer than what the patterns we have seen need to match after all
_PREFIXES = 24  # ways to come to a state that are tried
_CONFIGURATIONS = 400
_ENDINGS = 2_000

Word = tuple[int, ...]  # for each character, the symbols it may be


class Doubling(Frozen):
    """A state, and the text over which it is reached from itself in two ways."""

    state: int
    word: Word
    nested: bool  # the same leaf comes next by two ways: a quantifier within a quantifier


class Handover(Frozen):
    """Two loops, and the text that both repeat and that leads from the first to the second."""

    first: int
    second: int
    word: Word


class Ways:
    """Questions about one automaton. What can be reached from where is worked out once."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.onward = [tuple(state for state in ways if state > 0) for ways in automaton.follow]
        self.reached = _closure(self.onward)
        self.symbols = _representatives(automaton)
        self.loops = [state for state in range(1, len(self.onward)) if self.leads(state, state)]

    def leads(self, first: int, second: int) -> bool:
        """Whether something leads from one state to the other."""
        return bool(self.reached[first] >> second & 1)

    def doublings(self) -> Iterator[Doubling]:
        """Every kind of doubling, the shortest first."""
        masks, waiting = self.automaton.masks, deque[tuple[int, int]]()
        came: dict[tuple[int, int], tuple[int, Word]] = {}
        for state in self.loops:
            inside = [after for after in self.onward[state] if self.leads(after, state)]
            for number, one in enumerate(inside):
                for other in inside[number + 1 :]:
                    both = masks[one] & masks[other]
                    if both and one == other:
                        yield Doubling(state, (both, *self.way(one, state)), nested=True)
                    elif both and (one, other) not in came:
                        came[one, other] = (state, (both,))
                        waiting.append((one, other))
        while waiting:
            pair = waiting.popleft()
            state, word = came[pair]
            for one, other, both in self.steps(pair, state):
                if one == other:
                    yield Doubling(state, (*word, both, *self.way(one, state)), nested=False)
                elif (one, other) not in came:
                    came[one, other] = (state, (*word, both))
                    waiting.append((one, other))
            if len(came) > _BUDGET:
                raise TooComplexError("its repeats overlap in too many ways to tell")

    def steps(self, pair: tuple[int, int], home: int) -> Iterator[tuple[int, int, int]]:
        """Where a pair of states can go together without losing the way home, over which symbols."""
        masks = self.automaton.masks
        for one in self.onward[pair[0]]:
            if self.leads(one, home):
                for other in self.onward[pair[1]]:
                    both = masks[one] & masks[other]
                    if both and self.leads(other, home):
                        yield one, other, both

    def way(self, start: int, end: int) -> Word:
        """A shortest text that leads from one state to another, which it does."""
        if start == end:
            return ()
        words: dict[int, Word] = {start: ()}
        waiting = deque([start])
        while end not in words:
            state = waiting.popleft()
            for after in self.onward[state]:
                if after not in words:
                    words[after] = (*words[state], self.automaton.masks[after])
                    waiting.append(after)
        return words[end]

    def handovers(self) -> Iterator[Handover]:
        """Every pair of loops that hands over."""
        for first in self.loops:
            for second in self.loops:
                if self.leads(first, second) and not self.leads(second, first):
                    word = self.shared(first, second)
                    if word:
                        yield Handover(first, second, word)

    def shared(self, first: int, second: int) -> Word:
        """A text that leads from each of two loops to itself, and from the first to the second; or ()."""
        begin, goal = (first, first, second), (first, second, second)
        words: dict[tuple[int, int, int], Word] = {begin: ()}
        waiting = deque([begin])
        while waiting:
            at = waiting.popleft()
            for after, mask in self.together(at, first, second):
                if after == goal:
                    return (*words[at], mask)
                if after not in words:
                    words[after] = (*words[at], mask)
                    waiting.append(after)
            if len(words) > _BUDGET:
                raise TooComplexError("its repeats follow each other in too many ways to tell")
        return ()

    def together(
        self, at: tuple[int, int, int], first: int, second: int
    ) -> Iterator[tuple[tuple[int, int, int], int]]:
        """Where one that stays in the first loop, one that leaves it and one in the second can go."""
        masks = self.automaton.masks
        for stays in self.onward[at[0]]:
            if not self.leads(stays, first):
                continue
            for waits in self.onward[at[2]]:
                both = masks[stays] & masks[waits]
                if not both or not self.leads(waits, second):
                    continue
                for leaves in self.onward[at[1]]:
                    if both & masks[leaves] and (leaves == second or self.leads(leaves, second)):
                        yield (stays, leaves, waits), both & masks[leaves]

    def can_fail(self, state: int, word: Word) -> bool:
        """Whether some text comes to a state, repeats a word, and then lets every way fail.

        Ways that a matcher tries only after all of these cannot help; those it tries before can.
        """
        choices = [[symbol for symbol in self.symbols if symbol & mask] for mask in word]
        words = {tuple(some[0] for some in choices), tuple(some[-1] for some in choices)}
        for number, ahead in enumerate(self.arrivals(state)):
            if number >= _PREFIXES:
                return True
            for repeated in words:
                left = self.after_repeating(ahead, repeated)
                if left is not None and self.has_bad_end(left):
                    return True
        return False

    def arrivals(self, state: int) -> Iterator[tuple[int, ...]]:
        """What a matcher may be at when it is at a state: that, and all it prefers to it."""
        begin: tuple[int, ...] = (BEGIN,)
        known, waiting = {begin}, deque([begin])
        while waiting:
            threads = waiting.popleft()
            if state in threads:
                yield threads[: threads.index(state) + 1]
            for symbol in self.symbols:
                after = self.preferred(threads, symbol)
                if after and after not in known and len(known) < _CONFIGURATIONS:
                    known.add(after)
                    waiting.append(after)

    def preferred(self, threads: tuple[int, ...], symbol: int) -> tuple[int, ...]:
        """The states after a symbol, preferred first; none of those that a match makes pointless."""
        after: dict[int, None] = {}
        for state in threads:
            for next_one in self.automaton.follow[state]:
                if next_one == ACCEPT:
                    return tuple(after)
                if next_one > 0 and self.automaton.masks[next_one] & symbol:
                    after[next_one] = None
        return tuple(after)

    def after_repeating(self, threads: tuple[int, ...], word: tuple[int, ...]) -> set[int] | None:
        """The states after a word was repeated; None when one of them matches meanwhile."""
        at = set(threads)
        for symbol in word * _REPEATED:
            ways = {after for state in at for after in self.automaton.follow[state]}
            if ACCEPT in ways:
                return None
            at = {state for state in ways if state > 0 and self.automaton.masks[state] & symbol}
        return at - self.automaton.searching

    def has_bad_end(self, at: set[int]) -> bool:
        """Whether some text lets every one of these states fail."""
        begin = frozenset(at)
        known, waiting = {begin}, deque([begin])
        while waiting:
            ways = {after for state in waiting.popleft() for after in self.automaton.follow[state]}
            if ACCEPT in ways:
                continue
            if ACCEPT_END not in ways or len(known) > _ENDINGS:
                return True
            for symbol in self.symbols:
                left = frozenset(
                    state for state in ways if state > 0 and self.automaton.masks[state] & symbol
                )
                if not left:
                    return True
                if left not in known:
                    known.add(left)
                    waiting.append(left)
        return False

    def counted(self, symbol: int, length: int) -> int:
        """In how many ways at most a run of one symbol is read without repeating anything."""
        counts, most = {BEGIN: 1}, 1
        while length and counts:
            after: dict[int, int] = {}
            for state, count in counts.items():
                for later in self.onward[state]:
                    if self.automaton.masks[later] & symbol and not self.leads(later, state):
                        after[later] = after.get(later, 0) + count
            counts, length = after, length - 1
            most = max(most, sum(counts.values()))
        return most

    def spelled(self, word: Word) -> str:
        """A word in characters, printable ones where there are any."""
        return "".join(self._character(mask) for mask in word)

    def _character(self, mask: int) -> str:
        for low, high in (("a", "z"), ("0", "9"), ("!", "~"), (" ", " ")):
            some = mask & ((2 << ord(high)) - (1 << ord(low)))
            if some:
                return self.automaton.symbols[(some & -some).bit_length() - 1]
        return self.automaton.symbols[(mask & -mask).bit_length() - 1]


def _closure(onward: list[tuple[int, ...]]) -> list[int]:
    """For each state, as bits, all that it leads to."""
    reached = [0] * len(onward)
    for state, ways in enumerate(onward):
        for after in ways:
            reached[state] |= 1 << after
    for through in range(len(onward)):
        bit, more = 1 << through, reached[through]
        for state, bits in enumerate(reached):
            if bits & bit:
                reached[state] |= more
    return reached


def _representatives(automaton: Automaton) -> list[int]:
    """One symbol of each kind that no leaf tells apart."""
    kinds = [(1 << len(automaton.symbols)) - 1]
    for mask in set(automaton.masks):
        kinds = [part for kind in kinds for part in (kind & mask, kind & ~mask) if part]
    return [kind & -kind for kind in kinds]
