"""A trace: how one candidate was scored, what was decided, and how that turned out. Never what was asked.

A scoring has one trace for each of its candidates. Its context is a digest of the request, so that equal
requests can be recognised and none can be read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, TypeAlias

Kind = Literal["retrieval", "gate", "discovery", "plan", "capability", "prediction", "speculation"]
Decision = Literal["accepted", "below_threshold", "unreliable", "policy"]
Outcome = Literal["selected", "ignored", "rejected", "succeeded", "failed"]

# Numbers by name; None where a signal was not available, such as a cosine without a model.
Signals: TypeAlias = Mapping[str, float | None]
Params: TypeAlias = Mapping[str, float]

USEFUL: tuple[Outcome, ...] = ("selected", "succeeded")  # the others say that a candidate was not


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate with its score, and the signals that the score was computed from."""

    name: str
    signals: Signals
    score: float
    decision: Decision = "accepted"


@dataclass(frozen=True, slots=True)
class Scoring:
    """The candidates of one decision, best first, and the parameters that all their scores share."""

    id: str
    at: str
    kind: Kind
    context: str
    params: Params
    candidates: Sequence[ScoredCandidate]
    threshold: float | None = None
    milliseconds: float = 0.0
    session: str = ""


@dataclass(frozen=True, slots=True)
class CandidateTrace:
    """One candidate of a scoring as it is stored. `outcome` is None until it is known."""

    scoring: str
    at: str
    kind: Kind
    context: str
    session: str
    candidate: str
    signals: Signals
    params: Params
    score: float
    threshold: float | None
    decision: Decision
    milliseconds: float
    outcome: Outcome | None = None

    @property
    def useful(self) -> bool | None:
        """Whether the candidate turned out to be what was needed; None if that is not known."""
        return None if self.outcome is None else self.outcome in USEFUL


def context_digest(text: str) -> str:
    """A digest of a request that does not depend on case or spaces."""
    return blake2b(
        " ".join(text.casefold().split()).encode("utf-8", "replace"), digest_size=8
    ).hexdigest()
