"""The next tool from the last few calls: contexts of several lengths, the longer ones before the shorter.

Each context's counts are interpolated with what the next shorter one says (Witten-Bell): the fewer calls
followed it, and the more different ones, the more the shorter one counts. Tools that followed some calls
later count between the shortest context and general frequencies.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from recollect.workflow.prediction import NextTool, ranked

Sequences = Sequence[Sequence[str]]
LATER = 4  # calls back that still count for what follows some calls later

_Context = tuple[str, ...]


class ContextPredictor:
    """Knows sequences of calls. `order` is the longest context, `later` the share of what follows later."""

    def __init__(self, sequences: Sequences, order: int = 2, later: float = 0.3) -> None:
        self._order, self._later = order, later
        self._calls: Counter[str] = Counter()
        self._following: dict[_Context, Counter[str]] = {}
        self._after: dict[str, Counter[str]] = {}
        for calls in sequences:
            for place, tool in enumerate(calls):
                self.add(calls[max(place - LATER, 0) : place], tool)

    def add(self, recent: Sequence[str], tool: str) -> None:
        self._calls[tool] += 1
        for length in range(1, min(self._order, len(recent)) + 1):
            self._following.setdefault(tuple(recent[-length:]), Counter())[tool] += 1
        for earlier in recent[-LATER:-1]:
            self._after.setdefault(earlier, Counter())[tool] += 1

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]:
        return ranked(self.probabilities(recent))

    def probabilities(self, recent: Sequence[str]) -> Mapping[str, float]:
        """The probability of each known tool; they add up to 1."""
        total = sum(self._calls.values())
        shares = {tool: count / total for tool, count in self._calls.items()}
        if self._later:
            for earlier in recent[-LATER:-1]:
                if counts := self._after.get(earlier):
                    seen = sum(counts.values())
                    shares = _mixed(shares, counts, self._later * seen / (seen + len(counts)))
        for length in range(1, min(self._order, len(recent)) + 1):
            counts = self._following.get(tuple(recent[-length:]))
            if counts is None:
                break
            seen = sum(counts.values())
            shares = _mixed(shares, counts, seen / (seen + len(counts)))
        return shares


def _mixed(shares: Mapping[str, float], counts: Counter[str], weight: float) -> dict[str, float]:
    """Shares, with so much of the frequencies of `counts` in them."""
    unit, rest = weight / sum(counts.values()), 1 - weight
    mixed = {tool: rest * share for tool, share in shares.items()}
    for tool, count in counts.items():
        mixed[tool] += unit * count
    return mixed
