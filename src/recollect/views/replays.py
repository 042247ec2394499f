"""Replays of traces as JSON."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:  # `recollect --help` declares the shapes and needs nothing of learning
    from recollect.learning.proposing import Proposal
    from recollect.learning.replay import Comparison, Measured


class MeasuredRow(TypedDict):
    """How good a set of parameters is; precision and recall are null where no threshold decides."""

    quality: float
    precision: float | None
    recall: float | None


class ReplayRow(TypedDict):
    """Recorded parameters against changed ones. `low` and `high` bound `difference` in 95 of 100 resamples.

    `inexact` counts traces whose recorded parameters do not compute their recorded score.
    """

    kind: str
    changes: dict[str, float]
    scorings: int
    inexact: int
    before: MeasuredRow
    after: MeasuredRow
    difference: float
    low: float
    high: float
    verdict: str


class WeightChangeRow(TypedDict):
    """A weight that is proposed, and the difference that it makes alone."""

    name: str
    value: float
    proposed: float
    alone: float


class ReplayOutput(ReplayRow):
    """`recollect replay`. `proposed` is empty without `--propose`; `stands` is whether they are advised."""

    proposed: list[WeightChangeRow]
    stands: bool


def replay_row(comparison: "Comparison") -> ReplayRow:
    """A comparison, rounded."""
    return {
        "kind": comparison.kind,
        "changes": dict(comparison.changes),
        "scorings": comparison.scorings,
        "inexact": comparison.inexact,
        "before": _measured(comparison.before),
        "after": _measured(comparison.after),
        "difference": round(comparison.difference, 4),
        "low": round(comparison.low, 4),
        "high": round(comparison.high, 4),
        "verdict": comparison.verdict,
    }


def replay_output(comparison: "Comparison", proposal: "Proposal | None" = None) -> ReplayOutput:
    """A replay, with what it proposes."""
    changes = proposal.changes if proposal else ()
    return {
        **replay_row(comparison),
        "proposed": [
            {
                "name": change.name,
                "value": change.value,
                "proposed": change.proposed,
                "alone": round(change.alone, 4),
            }
            for change in changes
        ],
        "stands": proposal is not None and proposal.stands,
    }


def _measured(measured: "Measured") -> MeasuredRow:
    def rounded(value: float | None) -> float | None:
        return None if value is None else round(value, 4)

    return {
        "quality": round(measured.quality, 4),
        "precision": rounded(measured.precision),
        "recall": rounded(measured.recall),
    }
