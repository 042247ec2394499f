"""Statistics of traces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.learning.trace import CandidateTrace, Outcome
from recollect.learning.trace_stats import auc, trace_stats


def trace(scoring: str, score: float, outcome: Outcome | None, **signals: float) -> CandidateTrace:
    return CandidateTrace(
        scoring, "", "gate", "", "", "mem:x", signals, {}, score, 0.5, "accepted", 2.0, outcome
    )


def test_a_kind_is_counted_by_outcome_and_each_signal_by_how_well_it_separates() -> None:
    [stats] = trace_stats(
        [
            trace("a", 0.9, "succeeded", named=1.0, noise=0.5),
            trace("b", 0.8, "selected", named=1.0, noise=0.5),
            trace("c", 0.6, "ignored", named=0.0, noise=0.5),
            trace("d", 0.9, None, named=0.0, noise=0.5),
        ]
    )

    assert (stats.traces, stats.scorings, stats.useful) == (4, 4, 2 / 3)
    assert stats.outcomes == {"succeeded": 1, "selected": 1, "ignored": 1}
    effects = {effect.name: effect.auc for effect in stats.signals}
    assert effects == {"score": 1.0, "named": 1.0, "noise": 0.5}


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
def test_auc_is_the_share_of_pairs_in_order(positives: list[int], negatives: list[int]) -> None:
    pairs = [(p > n) + 0.5 * (p == n) for p in positives for n in negatives]

    expected = sum(pairs) / len(pairs) if pairs else None
    assert auc(positives, negatives) == (None if expected is None else pytest.approx(expected))
