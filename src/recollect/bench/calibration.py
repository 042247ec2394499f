"""Do outcomes of injections make the gate better? A project is simulated with prompts of a labelled set."""

import random
from collections.abc import Sequence
from pathlib import Path

from recollect.bench.data_sets import load
from recollect.bench.gate import GateCase, run_cases
from recollect.errors import InvalidError
from recollect.learning.proposing import fit
from recollect.learning.replay import interval
from recollect.learning.rescoring import rescored
from recollect.learning.trace import CandidateTrace
from recollect.retrieval.gate import LEXICAL, judge, traced
from recollect.retrieval.search import Strategy
from recollect.views.benches import BenchCalibrationOutput

_STRATEGY: Strategy = "fts5_bm25"


def measure(folder: Path, injections: int, rounds: int) -> BenchCalibrationOutput:
    """Learn from the first injections of shuffled prompts, and judge the other prompts, in each round.

    Raises NotFoundError and InvalidError.
    """
    cases = [case for case in run_cases(load(folder), [], _STRATEGY) if case.signals is not None]
    if sum(case.probability >= LEXICAL.threshold for case in cases) < 2 * injections:
        raise InvalidError(f"{str(folder)!r} has too few prompts with injections for {injections}.")
    before, after = [], []
    for seed in range(rounds):
        pair = _precisions(cases, injections, seed)
        before.append(pair[0])
        after.append(pair[1])
    gains = [new - old for old, new in zip(before, after, strict=True)]
    low, high = interval(gains)
    return {
        "set": folder.name,
        "injections": injections,
        "rounds": rounds,
        "precision_before": round_mean(before),
        "precision_after": round_mean(after),
        "difference": round_mean(gains),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def round_mean(values: Sequence[float]) -> float:
    """The mean in four digits."""
    return round(sum(values) / len(values), 4)


def _precisions(cases: Sequence[GateCase], injections: int, seed: int) -> tuple[float, float]:
    """Precision on the prompts that were not learned from: with the weights in use, and with those learned.

    The threshold of the learned ones is where they reach the same recall.
    """
    shuffled = random.Random(seed).sample(list(cases), len(cases))  # noqa: S311 - repeatable
    opened = [case for case in shuffled if case.probability >= LEXICAL.threshold]
    learned = {id(case) for case in opened[:injections]}
    traces = [_trace(case) for case in opened[:injections]]
    recorded = dict(traces[0].params)
    weights = fit([[trace] for trace in traces], recorded)
    others = [_trace(case) for case in shuffled if id(case) not in learned]
    needed = sum(bool(trace.useful) and trace.score >= LEXICAL.threshold for trace in others)
    old = _precision([(trace.score, bool(trace.useful)) for trace in others], needed)
    new = _precision([(rescored(trace, weights), bool(trace.useful)) for trace in others], needed)
    return old, new


def _precision(scored: Sequence[tuple[float, bool]], needed: int) -> float:
    """The precision at the threshold where so many useful ones are accepted."""
    accepted = useful = 0
    for _, is_useful in sorted(scored, reverse=True):
        accepted, useful = accepted + 1, useful + is_useful
        if useful == needed:
            break
    return useful / accepted if accepted else 0.0


def _trace(case: GateCase) -> CandidateTrace:
    numbers = traced(judge(case.signals))
    assert numbers is not None
    outcome = "succeeded" if any(case.hits) else "ignored"
    facts = ("", "", "gate", "", "", "mem:best", *numbers, case.probability, LEXICAL.threshold)
    return CandidateTrace(*facts, "accepted", 0.0, outcome)  # type: ignore[arg-type]
