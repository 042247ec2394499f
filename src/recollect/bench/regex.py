"""Which patterns are refused, and how slow can an accepted one be?

Every accepted pattern searches texts that repeat what it is written with, which is what makes a backtracking
engine slow.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from recollect.bench.json_lines import read
from recollect.bench.timing import timed
from recollect.patterns import contains, refusal
from recollect.views.benches import BenchRegexOutput

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


def load(folder: Path) -> list[Labelled]:
    """The patterns of a set: `patterns.jsonl.gz` of {pattern, vulnerable}."""
    lines = read(folder / "patterns.jsonl.gz")
    return [Labelled(line.text("pattern"), line.flag("vulnerable")) for line in lines]


def measure(patterns: list[Labelled], report: Callable[[int, int], None]) -> BenchRegexOutput:
    """Check every pattern, and time the accepted ones."""
    outcomes = []
    for done, labelled in enumerate(patterns, start=1):
        outcomes.append(_outcome(labelled))
        report(done, len(patterns))
    return scores(outcomes)


def scores(outcomes: Sequence[PatternOutcome]) -> BenchRegexOutput:
    """The outcomes of a set as shares, and the patterns that went wrong."""
    vulnerable = [outcome for outcome in outcomes if outcome.labelled.vulnerable]
    sound = [outcome for outcome in outcomes if not outcome.labelled.vulnerable]
    missed = [outcome.labelled.pattern for outcome in vulnerable if not outcome.harmless]
    refused = [outcome.labelled.pattern for outcome in sound if outcome.refused]
    return {
        "vulnerable_handled": round(1 - len(missed) / (len(vulnerable) or 1), 4),
        "safe_refused": round(len(refused) / (len(sound) or 1), 4),
        "worst_ms": round(max((outcome.worst_ms for outcome in outcomes), default=0.0), 2),
        "vulnerable": len(vulnerable),
        "safe": len(sound),
        "characters": CHARACTERS,
        "missed": missed,
        "refused": refused,
    }


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
