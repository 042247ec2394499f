"""What traces say: how often each kind of decision was right, and which signals told right from wrong."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from recollect.learning.trace import CandidateTrace, Kind


@dataclass(frozen=True, slots=True)
class SignalEffect:
    """A signal among candidates whose outcome is known.

    `auc` is the probability that a useful candidate has more of it than one that was not, 0.5 for a signal
    that says nothing; None if all outcomes are alike.
    """

    name: str
    useful_mean: float | None
    other_mean: float | None
    auc: float | None


@dataclass(frozen=True, slots=True)
class KindStats:
    """The traces of one kind. `useful` is the share of useful candidates among those with an outcome."""

    kind: Kind
    traces: int
    scorings: int
    decisions: Mapping[str, int]
    outcomes: Mapping[str, int]
    useful: float | None
    milliseconds: float
    signals: tuple[SignalEffect, ...]


def trace_stats(traces: Iterable[CandidateTrace]) -> list[KindStats]:
    """Statistics of each kind, by name."""
    kinds: dict[Kind, list[CandidateTrace]] = {}
    for trace in traces:
        kinds.setdefault(trace.kind, []).append(trace)
    return [_of_kind(kind, kinds[kind]) for kind in sorted(kinds)]


def _of_kind(kind: Kind, traces: Sequence[CandidateTrace]) -> KindStats:
    known = [trace for trace in traces if trace.useful is not None]
    durations = {trace.scoring: trace.milliseconds for trace in traces}
    names = dict.fromkeys(name for trace in traces for name in ("score", *trace.signals))
    return KindStats(
        kind,
        len(traces),
        len(durations),
        dict(Counter(trace.decision for trace in traces)),
        dict(Counter(trace.outcome for trace in known if trace.outcome)),
        sum(bool(trace.useful) for trace in known) / len(known) if known else None,
        median(durations.values()),
        tuple(_effect(name, known) for name in names),
    )


def _effect(name: str, known: Sequence[CandidateTrace]) -> SignalEffect:
    useful = [_value(name, trace) for trace in known if trace.useful]
    others = [_value(name, trace) for trace in known if not trace.useful]
    return SignalEffect(name, _mean(useful), _mean(others), auc(useful, others))


def _value(name: str, trace: CandidateTrace) -> float:
    return trace.score if name == "score" else trace.signals.get(name) or 0.0


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """The probability that a positive is above a negative, ties counting half; None without both."""
    if not positives or not negatives:
        return None
    values = sorted([(value, 1) for value in positives] + [(value, 0) for value in negatives])
    ranks, start = 0.0, 0
    while start < len(values):
        end = start
        while end < len(values) and values[end][0] == values[start][0]:
            end += 1
        ranks += (start + 1 + end) / 2 * sum(is_positive for _, is_positive in values[start:end])
        start = end
    count = len(positives)
    return (ranks - count * (count + 1) / 2) / (count * len(negatives))
