"""Scorings of capabilities: by a request, and by the tools that a session called."""

from collections.abc import Sequence

from recollect.learning import weights
from recollect.learning.capabilities import Capability
from recollect.learning.capability_overlap import OverlapHit
from recollect.learning.capability_search import CapabilityHit
from recollect.learning.trace import Decision, Params, ScoredCandidate


def capability_params() -> Params:
    """What makes a score of the signals of a capability."""
    return {
        "UNRELIABLE": float(weights.UNRELIABLE),
        "UNRELIABLE_FACTOR": float(weights.UNRELIABLE_FACTOR),
        "RELIABLE": float(weights.RELIABLE),
        "RELIABLE_FACTOR": float(weights.RELIABLE_FACTOR),
    }


def request_candidates(hits: Sequence[CapabilityHit]) -> list[ScoredCandidate]:
    """Capabilities that were scored by a request."""
    limit = float(weights.CAPABILITY_FITS)
    return [_candidate(hit.capability, "semantic", hit.semantic, hit.score, limit) for hit in hits]


def overlap_candidates(hits: Sequence[OverlapHit], threshold: float) -> list[ScoredCandidate]:
    """Capabilities that were scored by the tools of a session."""
    return [_candidate(hit.capability, "overlap", hit.overlap, hit.score, threshold) for hit in hits]


def _candidate(
    capability: Capability, signal: str, value: float, score: float, threshold: float
) -> ScoredCandidate:
    decision: Decision = "accepted"
    if score < threshold:
        decision = "unreliable" if value >= threshold else "below_threshold"
    signals = {signal: value, "success": capability.success}
    return ScoredCandidate(capability.name, signals, score, decision)
