"""Scores computed again from stored signals: with the recorded parameters exactly the recorded scores."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from recollect.gateway.tool_graph import relevance_share
from recollect.learning.capabilities import reliability_of
from recollect.learning.scorings import BOOST, HIGH, LOW, RERANK_WEIGHT, RERANKED, WEIGHT
from recollect.learning.trace import CandidateTrace, Kind, Params, Signals
from recollect.retrieval import gate
from recollect.retrieval.reranking import blended
from recollect.workflow.plan import PlanConfidence
from recollect.workflow.prediction import calibrated

_NOT_CHANNELS = ("scale", "bonus", "faded", "authority")


def rescored(trace: CandidateTrace, changes: Params = MappingProxyType({})) -> float:
    """The score of a candidate with some parameters changed."""
    return _SCORES[trace.kind](trace.signals, trace.params, {**trace.params, **changes})


def _retrieval(signals: Signals, recorded: Params, params: Params) -> float:
    """As `Explanation.score`; the scale follows the sum of the channels' weights."""
    shares = [
        value * params[WEIGHT + name]
        for name, value in signals.items()
        if value is not None and WEIGHT + name in params
    ]
    scale = _number(signals, "scale") * (_weights(params) / _weights(recorded))
    fused = sum(shares) * (1 + _number(signals, "bonus")) / scale
    boosts = (_number(signals, name) for name in signals if name.startswith(BOOST))
    boost = min(sum(boosts), params["boost_cap"])
    faded = fused * (1 - _number(signals, "faded"))
    score = faded * (1 + boost) * (1 + _number(signals, "authority"))
    if RERANKED not in signals:
        return score
    scaled, low, high = (_number(signals, name) for name in (RERANKED, LOW, HIGH))
    return blended(score, scaled, low, high, params[RERANK_WEIGHT])


def _weights(params: Params) -> float:
    return sum(value for name, value in params.items() if name.startswith(WEIGHT)) or 1.0


def _gate(signals: Signals, _: Params, params: Params) -> float:
    models = {
        model: gate.Weights(
            **{
                name.partition(".")[2]: value
                for name, value in params.items()
                if name.startswith(model)
            }
        )
        for model in ("about.", "included.")
    }
    shifts = (params.get(f"{gate.WANTED}{name}", 0.0) for name in gate.SHIFTS)
    calibration = gate.Calibration(models["about."], models["included."], 0.0, *shifts)
    return gate.probability(gate.Signals(**signals), calibration)  # type: ignore[arg-type]


def _discovery(signals: Signals, _: Params, params: Params) -> float:
    """As `ToolExplanation.score`; without tools in use, evidence is 0 and relevance alone counts."""
    if signals["exact"]:
        return 1.0
    limits = params["ALPHA_FLOOR"], params["DENSITY_SLOPE"]
    alpha = relevance_share(_number(signals, "density"), _number(signals, "evidence"), *limits)
    own = alpha * _number(signals, "relevance") * _number(signals, "reliability")
    return own + (1 - alpha) * _number(signals, "graph")


def _plan(signals: Signals, _: Params, params: Params) -> float:
    parts = (_number(signals, name) for name in ("relevance", "dependencies", "arguments"))
    exponents = (params[name] for name in ("RELEVANCE_PART", "DEPENDENCY_PART", "ARGUMENT_PART"))
    return PlanConfidence(*parts).weighted(*exponents)


def _prediction(signals: Signals, _: Params, params: Params) -> float:
    limits = params["PREDICTION_SLOPE"], params["PREDICTION_SHIFT"]
    return calibrated(_number(signals, "raw"), *limits)


def _speculation(signals: Signals, recorded: Params, params: Params) -> float:
    """By the prediction that it comes from; a task of a plan has a probability of its own."""
    return _number(signals, "plan") if "plan" in signals else _prediction(signals, recorded, params)


def _capability(signals: Signals, _: Params, params: Params) -> float:
    """As `CapabilityHit.score` for a request, and as `OverlapHit.score` for the tools of a session."""
    names = ("UNRELIABLE", "UNRELIABLE_FACTOR", "RELIABLE", "RELIABLE_FACTOR")
    factor = reliability_of(_number(signals, "success"), *(params[name] for name in names))
    return _number(signals, "semantic" if "semantic" in signals else "overlap") * factor


def _number(signals: Signals, name: str) -> float:
    return signals.get(name) or 0.0


_SCORES: Mapping[Kind, Callable[[Signals, Params, Params], float]] = {
    "retrieval": _retrieval,
    "gate": _gate,
    "discovery": _discovery,
    "plan": _plan,
    "prediction": _prediction,
    "speculation": _speculation,
    "capability": _capability,
}
