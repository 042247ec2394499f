"""Which patterns are refused, and how slow can an accepted one be?

Every accepted pattern searches texts that repeat what it is written with, which is what makes a backtracking
engine slow.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from recollect.bench.json_lines import read
from recollect.bench.timing import timed
from recollect.patterns import contains, refusal

CHARACTERS = 32_000  # as much of an output as a hook looks at
HARMLESS_MS = 250  # that a vulnerable pattern may take on the longest text; a hook has 900
_OPERATORS = frozenset("\\^$|()[]{}?*+.")
_COMMON = "a0 -\n"
_MAX_UNITS = 24
_ENDS = ("", "!", "\x00")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A pattern, and whether it is known to hang on some text."""

    pattern: str
    vulnerable: bool


@dataclass(frozen=True, slots=True)
class PatternOutcome:
    """What happened to one pattern: refused with a reason, or the longest search in milliseconds."""

    labelled: Labelled
    refused: str | None
    worst_ms: float = 0.0

    @property
    def harmless(self) -> bool:
        """Whether it cannot hurt: it is not used, or it is fast on every text that may slow it down."""
        return self.refused is not None or self.worst_ms <= HARMLESS_MS


@dataclass(frozen=True, slots=True)
class RegexScores:
    """All outcomes of a set."""

    outcomes: tuple[PatternOutcome, ...]

    def of(self, *, vulnerable: bool) -> list[PatternOutcome]:
        return [outcome for outcome in self.outcomes if outcome.labelled.vulnerable is vulnerable]

    @property
    def vulnerable_handled(self) -> float:
        outcomes = self.of(vulnerable=True)
        return sum(outcome.harmless for outcome in outcomes) / len(outcomes) if outcomes else 1.0

    @property
    def safe_refused(self) -> float:
        outcomes = self.of(vulnerable=False)
        refused = sum(outcome.refused is not None for outcome in outcomes)
        return refused / len(outcomes) if outcomes else 0.0

    @property
    def worst_ms(self) -> float:
        return max((outcome.worst_ms for outcome in self.outcomes), default=0.0)


def load(folder: Path) -> list[Labelled]:
    """The patterns of a set: `patterns.jsonl.gz` of {pattern, vulnerable}."""
    lines = read(folder / "patterns.jsonl.gz")
    return [Labelled(line.text("pattern"), line.flag("vulnerable")) for line in lines]


def measure(patterns: list[Labelled], report: Callable[[int, int], None]) -> RegexScores:
    """Check every pattern, and time the accepted ones."""
    outcomes = []
    for done, labelled in enumerate(patterns, start=1):
        outcomes.append(_outcome(labelled))
        report(done, len(patterns))
    return RegexScores(tuple(outcomes))


def _outcome(labelled: Labelled) -> PatternOutcome:
    pattern = labelled.pattern
    if reason := refusal(pattern):
        return PatternOutcome(labelled, reason)
    searches = (partial(contains, text, pattern) for text in _texts(pattern))
    return PatternOutcome(labelled, None, max(map(timed, searches)))


def _texts(pattern: str) -> Iterator[str]:
    """Texts that may slow a pattern down: what it is written with, repeated, then another character."""
    literals = "".join(sign for sign in pattern if sign not in _OPERATORS)
    units = dict.fromkeys([literals or "a", *_COMMON, *literals])
    for unit in list(units)[:_MAX_UNITS]:
        repeated = (unit * CHARACTERS)[: CHARACTERS - 1]
        yield from (repeated + end for end in _ENDS)
