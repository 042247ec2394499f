"""Traces of scorings as JSON."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from recollect.learning.predictor_choice import PredictorChoice
from recollect.learning.replay import ParameterEffect, parameter_effects
from recollect.learning.trace import CandidateTrace
from recollect.learning.trace_stats import KindStats, trace_stats


class TraceRow(TypedDict):
    """One candidate of a scoring. `context` is a digest of what was asked."""

    scoring: str
    at: str
    kind: str
    context: str
    session: str
    candidate: str
    score: float
    threshold: float | None
    decision: str
    outcome: str | None
    milliseconds: float


class FullTraceRow(TraceRow):
    """A candidate with the signals that its score was computed from."""

    signals: dict[str, float | None]


class TraceListOutput(TypedDict):
    """`recollect trace list`: the newest traces."""

    traces: list[TraceRow]


class TraceShowOutput(TypedDict):
    """`recollect trace show`: one scoring with its parameters."""

    scoring: str
    params: dict[str, float]
    candidates: list[FullTraceRow]


class SignalRow(TypedDict):
    """How well a signal tells useful candidates from others: `auc` 0.5 is chance."""

    signal: str
    useful_mean: float | None
    other_mean: float | None
    auc: float | None


class EffectRow(TypedDict):
    """What a parameter adds to the quality of decisions, with its interval of 95%."""

    param: str
    value: float
    difference: float
    low: float
    high: float
    verdict: str


class KindStatsRow(TypedDict):
    """The traces of one kind; `useful` is the share of useful candidates of those with an outcome."""

    kind: str
    traces: int
    scorings: int
    decisions: dict[str, int]
    outcomes: dict[str, int]
    useful: float | None
    p50_ms: float
    signals: list[SignalRow]
    effects: list[EffectRow]


class PredictorRow(TypedDict):
    """The predictor of the next tool that is used, and the hits of each on held-out calls, if enough."""

    used: str
    sequences: int
    hits: dict[str, list[float]]


class TraceStatsOutput(TypedDict):
    """`recollect trace stats`. `hits` of a predictor are hit@1 and hit@3."""

    kinds: list[KindStatsRow]
    predictor: PredictorRow


def trace_row(trace: CandidateTrace) -> TraceRow:
    """A trace without its signals."""
    return {
        "scoring": trace.scoring,
        "at": trace.at,
        "kind": trace.kind,
        "context": trace.context,
        "session": trace.session,
        "candidate": trace.candidate,
        "score": trace.score,
        "threshold": trace.threshold,
        "decision": trace.decision,
        "outcome": trace.outcome,
        "milliseconds": trace.milliseconds,
    }


def show_output(traces: Sequence[CandidateTrace]) -> TraceShowOutput:
    """One scoring in full."""
    return {
        "scoring": traces[0].scoring,
        "params": dict(traces[0].params),
        "candidates": [{**trace_row(trace), "signals": dict(trace.signals)} for trace in traces],
    }


def stats_output(
    traces: Sequence[CandidateTrace], sequences: int, choice: PredictorChoice
) -> TraceStatsOutput:
    """Statistics of traces, the effect of each parameter and the predictor in use, rounded."""
    hits = {name: [round(rate, 4) for rate in result.rates] for name, result in choice.results.items()}
    return {
        "predictor": {"used": choice.name, "sequences": sequences, "hits": hits},
        "kinds": [
            _kind_row(stats, parameter_effects(stats.kind, traces)) for stats in trace_stats(traces)
        ],
    }


def _kind_row(stats: KindStats, effects: Sequence[ParameterEffect]) -> KindStatsRow:
    return {
        "kind": stats.kind,
        "traces": stats.traces,
        "scorings": stats.scorings,
        "decisions": _sorted(stats.decisions),
        "outcomes": _sorted(stats.outcomes),
        "useful": _rounded(stats.useful),
        "p50_ms": round(stats.milliseconds, 2),
        "signals": [
            {
                "signal": effect.name,
                "useful_mean": _rounded(effect.useful_mean),
                "other_mean": _rounded(effect.other_mean),
                "auc": _rounded(effect.auc),
            }
            for effect in stats.signals
        ],
        "effects": [
            {
                "param": effect.name,
                "value": effect.value,
                "difference": round(effect.difference, 4),
                "low": round(effect.low, 4),
                "high": round(effect.high, 4),
                "verdict": effect.verdict,
            }
            for effect in effects
        ],
    }


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
