"""Better weights from outcomes: few, bounded, each with its own reason. Nobody applies them but the user.

A proposal is fitted to one half of the scorings and checked on the other; it stands only if the other half
agrees. Every weight stays within half and one and a half times its value and keeps its sign, and a change
costs a little, so that weights that matter little stay as they are.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from recollect.learning.replay import (
    ENOUGH,
    Comparison,
    Scorings,
    closeness,
    compare,
    merit,
    scorings_of,
)
from recollect.learning.trace import CandidateTrace, Kind

_STEPS = (0.8, 1.25)  # of a weight, in turn
_LEAST, _MOST = 0.5, 1.5
_SWEEPS = 4
_COST = 0.002  # of a change by the whole weight; squared, so that small ones are nearly free


@dataclass(frozen=True, slots=True)
class WeightChange:
    """One weight of a proposal, and what it alone changes on the half that was not fitted."""

    name: str
    value: float
    proposed: float
    alone: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """Weights to try, with what they change on scorings that they were not fitted to."""

    changes: tuple[WeightChange, ...]
    checked: Comparison

    @property
    def stands(self) -> bool:
        """Whether the half that was not fitted agrees."""
        return bool(self.changes) and self.checked.verdict == "helps"


def propose(kind: Kind, traces: Iterable[CandidateTrace]) -> Proposal | None:
    """Weights that fit the outcomes better; None with too few outcomes."""
    scorings = scorings_of(trace for trace in traces if trace.kind == kind)
    if len(scorings) < 2 * ENOUGH:
        return None
    fitted, checked = scorings[::2], scorings[1::2]
    recorded = dict(fitted[0][0].params)
    same = [group for group in fitted if group[0].params == recorded]
    weights = fit(same, recorded)
    changed = {name: value for name, value in weights.items() if value != recorded[name]}
    others = [trace for group in checked for trace in group if group[0].params == recorded]
    return Proposal(
        tuple(
            WeightChange(name, recorded[name], value, compare(kind, others, {name: value}).difference)
            for name, value in changed.items()
        ),
        compare(kind, others, changed),
    )


def fit(scorings: Scorings, recorded: dict[str, float]) -> dict[str, float]:
    """The weights that suit these scorings best, one weight at a time, within their bounds."""
    weights = dict(recorded)
    best = _objective(scorings, recorded, weights)
    for _ in range(_SWEEPS):
        before = best
        for name, value in recorded.items():
            for step in _STEPS:
                tried = {**weights, name: _bounded(weights[name] * step, value)}
                reached = _objective(scorings, recorded, tried)
                if reached > best:
                    best, weights = reached, tried
        if best <= before:
            break
    return weights


def _bounded(value: float, recorded: float) -> float:
    low, high = sorted((_LEAST * recorded, _MOST * recorded))
    return round(min(max(value, low), high), 4)


def _objective(scorings: Scorings, recorded: dict[str, float], weights: dict[str, float]) -> float:
    changes = {name: value for name, value in weights.items() if value != recorded[name]}
    cost = sum((value / recorded[name] - 1) ** 2 for name, value in changes.items() if recorded[name])
    quality: Callable[[Sequence[CandidateTrace]], float] = (
        (lambda group: closeness(group[0], changes))  # smooth, unlike decisions
        if scorings[0][0].kind == "gate"
        else (lambda group: merit(group, changes))
    )
    return sum(map(quality, scorings)) / len(scorings) - _COST * cost
