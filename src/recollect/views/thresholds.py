"""Adaptive thresholds as JSON."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:  # `recollect --help` declares the shapes and needs nothing of learning
    from recollect.learning.thresholds import AdaptiveThreshold


class AdjustmentRow(TypedDict):
    """A move of a threshold; `success` is the share of accepted executions before it that succeeded."""

    at: str
    before: float
    after: float
    success: float | None


class ThresholdRow(TypedDict):
    """A threshold, its bounds, and the success of the last accepted executions."""

    kind: str
    value: float
    start: float
    lowest: float
    highest: float
    executions: int
    success: float | None
    history: list[AdjustmentRow]


class ThresholdsOutput(TypedDict):
    """`recollect thresholds`."""

    thresholds: list[ThresholdRow]


def threshold_row(threshold: "AdaptiveThreshold") -> ThresholdRow:
    """A threshold with its history, the newest move last."""
    from recollect.learning.thresholds import STARTS, bounds, success  # noqa: PLC0415 - as above

    low, high = bounds(threshold.kind)
    return {
        "kind": threshold.kind,
        "value": threshold.value,
        "start": STARTS[threshold.kind],
        "lowest": low,
        "highest": high,
        "executions": threshold.executions,
        "success": success(threshold.recent),
        "history": [
            {"at": move.at, "before": move.before, "after": move.after, "success": move.success}
            for move in threshold.history
        ],
    }
