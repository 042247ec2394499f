"""Is the check of patterns right, and how slow can one that it accepts be?

Every accepted pattern is given texts made from itself to slow it down, with each engine that may search with
it. A deadline ends what takes too long, so that a hang is measured and not suffered.
"""

import gzip
import json
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import InvalidError, NotFoundError
from recollect.patterns.automaton import TooComplexError
from recollect.patterns.matcher import RefusedPatternError, compiled
from recollect.patterns.regex_safety import attacks

CHARACTERS = 32_000  # as much of an output as a hook looks at
HARMLESS_MS = 250  # that a pattern called vulnerable may take on a whole text; a hook has 900
_DEADLINE = 2.0  # seconds
_ENDS = ("", "!", "\n", "\x00")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A pattern, and whether it is known to hang on some text."""

    pattern: str
    vulnerable: bool


@dataclass(frozen=True, slots=True)
class PatternOutcome:
    """What became of one pattern: refused with a reason, or the longest it took."""

    labelled: Labelled
    refused: str | None
    worst_ms: float = 0.0

    @property
    def harmless(self) -> bool:
        """Whether it cannot hurt: it is not used, or it is quick on whatever was made to slow it down."""
        return self.refused is not None or self.worst_ms <= HARMLESS_MS


@dataclass(frozen=True, slots=True)
class RegexScores:
    """All outcomes of a set."""

    outcomes: tuple[PatternOutcome, ...]

    def of(self, *, vulnerable: bool) -> list[PatternOutcome]:
        return [one for one in self.outcomes if one.labelled.vulnerable is vulnerable]

    @property
    def vulnerable_handled(self) -> float:
        found = self.of(vulnerable=True)
        return sum(one.harmless for one in found) / len(found) if found else 1.0

    @property
    def safe_refused(self) -> float:
        found = self.of(vulnerable=False)
        return sum(one.refused is not None for one in found) / len(found) if found else 0.0

    @property
    def worst_ms(self) -> float:
        return max((one.worst_ms for one in self.outcomes), default=0.0)


def load(folder: Path) -> list[Labelled]:
    """The patterns of a set: `patterns.jsonl.gz` of {pattern, vulnerable}."""
    path = folder / "patterns.jsonl.gz"
    try:
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        return [Labelled(str(row["pattern"]), bool(row["vulnerable"])) for row in rows]
    except FileNotFoundError:
        raise NotFoundError(f"there is no {str(path)!r}; --data names a folder that has one.") from None
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise InvalidError(
            f"{str(path)!r} is not lines of pattern and vulnerable: {error!r}."
        ) from None


def measure(patterns: list[Labelled], report: Callable[[int, int], None]) -> RegexScores:
    """Check every pattern, and try to slow down the accepted ones."""
    outcomes = []
    for done, labelled in enumerate(patterns, start=1):
        outcomes.append(_outcome(labelled))
        report(done, len(patterns))
    return RegexScores(tuple(outcomes))


def _outcome(labelled: Labelled) -> PatternOutcome:
    try:
        engines = [compiled(labelled.pattern, linear=linear) for linear in (True, False)]
    except RefusedPatternError as error:
        return PatternOutcome(labelled, str(error))
    texts = list(_texts(labelled.pattern))
    return PatternOutcome(
        labelled, None, max(_milliseconds(one.found, text) for one in engines for text in texts)
    )


def _texts(pattern: str) -> Iterator[str]:
    """Texts that a pattern may take long for: what it repeats, many times, and then something else."""
    yield ""
    try:
        for before, repeated in attacks(pattern):
            body = before + repeated * ((CHARACTERS - len(before)) // len(repeated))
            yield from (body + end for end in _ENDS)
    except TooComplexError:
        return


class _Late(BaseException):
    """The deadline has passed."""


def _milliseconds(search: Callable[[str], bool], text: str) -> float:
    def late(*_told: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    start = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, _DEADLINE)
        search(text)
    except _Late:
        return _DEADLINE * 1000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return (time.perf_counter() - start) * 1000
