"""Would other parameters have been better? Stored traces are scored again and compared with their outcomes.

Rankings (retrieval, discovery) are judged by the reciprocal rank of the first useful candidate, decisions by
a threshold (gate, capability, speculation) by the share of right ones, other probabilities by the squared
error. A difference comes with an interval of 95%, from a seeded bootstrap over scorings.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Literal

from recollect.errors import RefusedError
from recollect.learning.rescoring import rescored
from recollect.learning.trace import CandidateTrace, Kind, Params

THRESHOLD = "threshold"
ENOUGH = 30  # scorings with an outcome, before a difference is believed
WITHOUT_GRAPH = {"ALPHA_FLOOR": 1.0}  # relevance alone ranks tools
NEUTRAL = WITHOUT_GRAPH  # values that switch a parameter off, where that is not 0
_RESAMPLES = 1_000
_MOST_FOR_EFFECTS = 500
_RANKED: tuple[Kind, ...] = ("retrieval", "discovery")
DECIDED: tuple[Kind, ...] = ("gate", "capability", "speculation")  # by a threshold

Verdict = Literal["helps", "hurts", "no clear difference", "too few outcomes"]
Scorings = Sequence[Sequence[CandidateTrace]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The quality of a set of parameters; precision and recall only where a threshold decides."""

    quality: float
    precision: float | None = None
    recall: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Recorded parameters against changed ones, over scorings whose outcome is known.

    `inexact` counts the traces whose recorded score is not what their recorded parameters compute.
    """

    kind: Kind
    changes: Mapping[str, float]
    scorings: int
    inexact: int
    before: Measured
    after: Measured
    difference: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        if self.scorings < ENOUGH:
            return "too few outcomes"
        if self.low > 0:
            return "helps"
        return "hurts" if self.high < 0 else "no clear difference"


def parameter_change(text: str) -> tuple[str, float]:
    """A parameter and the value to try, from NAME=VALUE. Raises RefusedError."""
    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise RefusedError(f"{text!r} is not a parameter; write NAME=VALUE, such as threshold=0.5.")
    return name.strip(), number


def scorings_of(traces: Iterable[CandidateTrace]) -> list[list[CandidateTrace]]:
    """Traces by scoring, without scorings of which no outcome is known."""
    groups: dict[str, list[CandidateTrace]] = {}
    for trace in traces:
        groups.setdefault(trace.scoring, []).append(trace)
    return [group for group in groups.values() if any(trace.useful is not None for trace in group)]


def compare(kind: Kind, traces: Iterable[CandidateTrace], changes: Params, seed: int = 7) -> Comparison:
    """Replay traces of one kind. Raises RefusedError for a parameter that none of them has."""
    scorings = scorings_of(trace for trace in traces if trace.kind == kind)
    known = {name for group in scorings for name in group[0].params} | {THRESHOLD}
    if scorings and (unknown := sorted(changes.keys() - known)):
        raise RefusedError(
            f"{kind} has no parameter {unknown[0]!r}; choose one of {', '.join(sorted(known))}."
        )
    gains = [merit(group, changes) - merit(group, {}) for group in scorings]
    low, high = interval(gains, seed)
    inexact = sum(rescored(trace) != trace.score for group in scorings for trace in group)
    return Comparison(
        kind,
        changes,
        len(scorings),
        inexact,
        measured(scorings, {}),
        measured(scorings, changes),
        sum(gains) / len(gains) if gains else 0.0,
        low,
        high,
    )


@dataclass(frozen=True, slots=True)
class ParameterEffect:
    """What a parameter adds: the quality with it, less that without it."""

    name: str
    value: float
    difference: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        if self.low > 0:
            return "helps"
        return "hurts" if self.high < 0 else "no clear difference"


def parameter_effects(kind: Kind, traces: Iterable[CandidateTrace]) -> list[ParameterEffect]:
    """The effect of each parameter that is not 0, over the newest scorings; none with too few outcomes."""
    scorings = scorings_of(trace for trace in traces if trace.kind == kind)[:_MOST_FOR_EFFECTS]
    if len(scorings) < ENOUGH:
        return []
    newest = [trace for group in scorings for trace in group]
    effects = []
    for name, value in scorings[0][0].params.items():
        if value != (without := NEUTRAL.get(name, 0.0)):
            lost = compare(kind, newest, {name: without})
            effects.append(ParameterEffect(name, value, -lost.difference, -lost.high, -lost.low))
    return effects


def merit(group: Sequence[CandidateTrace], changes: Params) -> float:
    """How good the scores of one scoring are with these changes, 0..1."""
    if group[0].kind in _RANKED:
        order = sorted(group, key=lambda trace: -rescored(trace, changes))
        ranks = (rank for rank, trace in enumerate(order, start=1) if trace.useful)
        return 1 / next(ranks, len(order) + 1)
    known = [trace for trace in group if trace.useful is not None]
    if known[0].kind in DECIDED:
        return sum(accepts(trace, changes) == trace.useful for trace in known) / len(known)
    return closeness(known[0], changes)


def closeness(trace: CandidateTrace, changes: Params) -> float:
    """1 less the squared error of a probability."""
    return 1.0 - (rescored(trace, changes) - float(bool(trace.useful))) ** 2


def accepts(trace: CandidateTrace, changes: Params) -> bool:
    """Whether the score reaches the threshold, which may be one of the changes."""
    return rescored(trace, changes) >= changes.get(THRESHOLD, trace.threshold or 0.0)


def measured(scorings: Scorings, changes: Params) -> Measured:
    """Mean merit, and precision and recall of decisions by a threshold."""
    if not scorings:
        return Measured(0.0)
    quality = sum(merit(group, changes) for group in scorings) / len(scorings)
    if scorings[0][0].kind not in DECIDED:
        return Measured(quality)
    known = [trace for group in scorings for trace in group if trace.useful is not None]
    decided = [(accepts(trace, changes), bool(trace.useful)) for trace in known]
    hits = sum(accepted and useful for accepted, useful in decided)
    accepted, useful = sum(pair[0] for pair in decided), sum(pair[1] for pair in decided)
    return Measured(quality, hits / accepted if accepted else None, hits / useful if useful else None)


def interval(gains: Sequence[float], seed: int = 7) -> tuple[float, float]:
    """The 95% interval of a mean, by a seeded bootstrap."""
    if not any(gains):
        return 0.0, 0.0
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    count = len(gains)
    means = sorted(sum(chance.choices(gains, k=count)) / count for _ in range(_RESAMPLES))
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]
