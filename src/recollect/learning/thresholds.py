"""Adaptive thresholds: a decision is accepted from a score on, and what follows moves that score.

Of the accepted executions 85% should succeed. Accepted ones that fail raise the threshold, rejected ones that
were needed after all lower it. Every tenth execution moves it by one small step, by the last 50. Steps shrink
as executions accumulate (Robbins and Monro 1951), so that the threshold averages all of them: 50 alone
measure success only to within 5 to 10 points. A threshold that has settled moves only so far on one day, so
that a bad day does not swing it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from recollect.learning import weights
from recollect.workflow.weights import SPECULATION_LEAST, SPECULATION_MOST, SPECULATION_THRESHOLD

DecisionKind = Literal["speculation", "capability"]
STARTS: dict[DecisionKind, float] = {
    "speculation": float(SPECULATION_THRESHOLD),
    "capability": float(weights.START),
}
HISTORY = 100  # adjustments that are stored
_DECIMALS, _ROUNDING = 4, 1e-4  # of values


@dataclass(frozen=True, slots=True)
class Execution:
    """A decision and what came of it.

    `right` says of an accepted one that it succeeded and was used, of a rejected one that it was not needed.
    """

    score: float
    accepted: bool
    right: bool


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A move of the threshold: when, from what to what, and the success that it answers."""

    at: str
    before: float
    after: float
    success: float | None


@dataclass(frozen=True, slots=True)
class AdaptiveThreshold:
    """The threshold of one kind of decision in one project, with what it was learned from."""

    kind: DecisionKind
    value: float
    recent: tuple[Execution, ...] = ()
    executions: int = 0  # so far
    day: str = ""  # of the last execution
    day_value: float = 0.0  # when that day began
    day_executions: int = 0  # before that day
    history: tuple[Adjustment, ...] = ()


def started(kind: DecisionKind) -> AdaptiveThreshold:
    """A threshold that nothing was learned for yet."""
    return AdaptiveThreshold(kind, STARTS[kind])


def bounds(kind: DecisionKind) -> tuple[float, float]:
    """What a threshold may fall and rise to."""
    if kind == "speculation":
        return float(SPECULATION_LEAST), float(SPECULATION_MOST)
    return float(weights.LOWEST), float(weights.HIGHEST)


def after(threshold: AdaptiveThreshold, execution: Execution, at: str) -> AdaptiveThreshold:
    """The threshold one execution later, which happened at a moment in ISO 8601."""
    if at[:10] != threshold.day:
        threshold = _next_day(threshold, at[:10])
    recent = (*threshold.recent, execution)[-int(weights.WINDOW) :]
    later = replace(threshold, recent=recent, executions=threshold.executions + 1)
    return _adjusted(later, at) if later.executions % int(weights.ADJUST_EVERY) == 0 else later


def _next_day(threshold: AdaptiveThreshold, day: str) -> AdaptiveThreshold:
    """The threshold as a day begins. A day that moved it as far as one may is not counted again."""
    is_settled = threshold.day_executions >= weights.SETTLED
    moved = abs(threshold.value - threshold.day_value)
    recent = () if is_settled and moved >= weights.MOST_DAY - _ROUNDING else threshold.recent
    return replace(
        threshold,
        recent=recent,
        day=day,
        day_value=threshold.value,
        day_executions=threshold.executions,
    )


def excess(value: float, recent: Sequence[Execution]) -> float:
    """By how much executions from `value` on would fail too often; negative when they succeed too often.

    What was rejected says as much as what was accepted: it was needed, or it was not. Where a threshold
    accepts next to nothing, the best that it rejected may lower it, and never raises it.
    """
    above = [each for each in recent if each.score >= value]
    failing = _failing(above)
    if failing > 0 or len(above) >= weights.LEAST_EVIDENCE:
        return failing
    best = sorted(recent, key=lambda each: -each.score)[: int(weights.LEAST_EVIDENCE)]
    return min(failing, _failing(best))


def _failing(executions: Sequence[Execution]) -> float:
    """The share that failed beyond what the target allows, drawn to zero where executions are few."""
    succeeded = sum(each.right == each.accepted for each in executions)
    return (weights.TARGET * len(executions) - succeeded) / (len(executions) + weights.PRIOR_EXECUTIONS)


def success(recent: Sequence[Execution]) -> float | None:
    """The share of accepted executions that succeeded; None without any."""
    accepted = [each.right for each in recent if each.accepted]
    return sum(accepted) / len(accepted) if accepted else None


def _adjusted(threshold: AdaptiveThreshold, at: str) -> AdaptiveThreshold:
    most = float(weights.MOST_STEP)
    step = _gain(threshold.executions) * excess(threshold.value, threshold.recent)
    value = _limited(threshold, threshold.value + min(max(step, -most), most))
    if value == threshold.value:
        return threshold
    adjustment = Adjustment(at, threshold.value, value, success(threshold.recent))
    return replace(threshold, value=value, history=(*threshold.history, adjustment)[-HISTORY:])


def _gain(executions: int) -> float:
    """How far a threshold moves for each point of success: ever less, but enough to follow a change."""
    adjustments = executions / weights.ADJUST_EVERY
    return max(weights.GAIN / (adjustments + weights.GAIN_DELAY), weights.LEAST_GAIN)


def _limited(threshold: AdaptiveThreshold, value: float) -> float:
    """Within the bounds, and within a day's move once it has settled."""
    low, high = bounds(threshold.kind)
    if threshold.day_executions >= weights.SETTLED:
        low = max(low, threshold.day_value - weights.MOST_DAY)
        high = min(high, threshold.day_value + weights.MOST_DAY)
    return round(min(max(value, low), high), _DECIMALS)
