"""Scorings of discovery and planning: the signals and parameters that their scores come from."""

from recollect.gateway import weights
from recollect.gateway.discovery import Discovery, ToolExplanation
from recollect.learning.trace import Decision, Params, ScoredCandidate, Signals
from recollect.workflow import weights as plan_weights
from recollect.workflow.plan import Plan


def discovery_candidates(discovery: Discovery) -> tuple[Params, list[ScoredCandidate]]:
    """The tools of a discovery. All of them are below the threshold if no tool fits."""
    params = {"ALPHA_FLOOR": float(weights.ALPHA_FLOOR), "DENSITY_SLOPE": float(weights.DENSITY_SLOPE)}
    shared = {
        "density": discovery.density,
        "evidence": discovery.evidence,
        "confidence": discovery.confidence,
    }
    decision: Decision = "accepted" if discovery.fits else "below_threshold"
    return params, [
        ScoredCandidate(hit.tool.id, {**_tool_signals(hit.why), **shared}, hit.why.score, decision)
        for hit in discovery.hits
    ]


def _tool_signals(why: ToolExplanation) -> Signals:
    return {
        "words": why.words,
        "meaning": why.meaning,
        "relevance": why.relevance,
        "reliability": why.reliability,
        "graph": why.graph,
        "exact": float(why.exact),
    }


def plan_candidate(name: str, plan: Plan) -> tuple[Params, ScoredCandidate]:
    """A plan by its confidence; one without tasks is below every threshold."""
    parts = plan.confidence
    params = {
        "RELEVANCE_PART": float(plan_weights.RELEVANCE_PART),
        "DEPENDENCY_PART": float(plan_weights.DEPENDENCY_PART),
        "ARGUMENT_PART": float(plan_weights.ARGUMENT_PART),
    }
    signals = {
        "relevance": parts.relevance,
        "dependencies": parts.dependencies,
        "arguments": parts.arguments,
    }
    decision: Decision = "below_threshold" if plan.status == "empty" else "accepted"
    return params, ScoredCandidate(name, signals, parts.value, decision)
