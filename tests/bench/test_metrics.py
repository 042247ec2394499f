"""The measures themselves, against cases worked out by hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.bench.metrics import (
    Interval,
    bootstrap,
    bootstrap_ratio,
    ndcg,
    percentile,
    rank_correlation,
    recall,
    reciprocal_rank,
)


@requirement("bench:metrics:by-hand")
def test_ndcg_of_graded_documents_is_the_gain_over_the_best_possible() -> None:
    # found: gain 1 at rank 1, nothing at 2, gain 7 at rank 3: 1/1 + 7/2 = 4.5
    # best: 7 at rank 1, 3 at rank 2 (over log2 3 = 1.58496), 1 at rank 3: 7 + 1.89279 + 0.5 = 9.39279
    grades = {"a": 1, "b": 3, "c": 2}

    assert ndcg(["a", "x", "b"], grades, 10) == pytest.approx(4.5 / 9.39279, abs=1e-5)


@requirement("bench:metrics:by-hand")
def test_ndcg_counts_only_the_first_hits_and_is_one_for_the_best_order() -> None:
    grades = {"a": 2, "b": 1}

    assert ndcg(["a", "b", "x"], grades, 10) == 1
    assert ndcg(["x", "a", "b"], grades, 1) == 0
    assert ndcg(["a", "x", "x"], {"a": 1, "b": 1, "c": 1}, 1) == 1
    assert ndcg(["a"], {}, 10) == 0
    assert ndcg([], grades, 10) == 0


@requirement("bench:metrics:by-hand")
def test_a_grade_below_nothing_is_not_relevant() -> None:
    grades = {"a": -2, "b": 1}

    assert ndcg(["a", "b"], grades, 10) == pytest.approx(1 / 1.58496, abs=1e-5)
    assert ndcg(["a"], {"a": -1}, 10) == 0
    assert recall(["a"], grades, 10) == 0
    assert reciprocal_rank(["a", "b"], grades, 10) == 0.5


@requirement("bench:metrics:by-hand")
def test_recall_is_the_share_of_relevant_documents_among_the_first() -> None:
    grades = {"a": 1, "b": 3, "c": 1, "d": 0}

    assert recall(["a", "x", "b", "c"], grades, 3) == pytest.approx(2 / 3)
    assert recall(["d", "x"], grades, 10) == 0
    assert recall(["a"], {"a": 0}, 10) == 0


@requirement("bench:metrics:by-hand")
def test_the_reciprocal_rank_is_that_of_the_first_relevant_document() -> None:
    grades = {"b": 1, "c": 1, "z": 0}

    assert reciprocal_rank(["z", "b", "c"], grades, 10) == 0.5
    assert reciprocal_rank(["x", "y", "b"], grades, 2) == 0
    assert reciprocal_rank(["c"], grades, 10) == 1


@requirement("bench:metrics:by-hand")
def test_a_percentile_is_one_of_the_values() -> None:
    hundred = [float(value) for value in range(1, 101)]
    random.Random(3).shuffle(hundred)

    assert percentile(hundred, 0.95) == 96
    assert percentile(hundred, 0.0) == 1
    assert percentile(hundred, 1.0) == 100
    assert percentile([7.0], 0.5) == 7
    assert percentile([], 0.5) == 0


@requirement("bench:metrics:by-hand")
def test_rank_correlation_is_spearmans_over_what_both_rankings_have() -> None:
    # a b c d against b a c d: two documents are off by one: 1 - 6 x 2 / (4 x 15) = 0.8
    assert rank_correlation(list("abcd"), list("bacd")) == pytest.approx(0.8)
    assert rank_correlation(list("abcd"), list("dcba")) == -1
    assert rank_correlation(list("axbcd"), list("bacyd")) == pytest.approx(0.8)
    assert rank_correlation(["a"], ["a"]) == 1
    assert rank_correlation(list("ab"), list("cd")) == 1


def test_an_interval_of_equal_values_has_no_width_and_of_none_is_nothing() -> None:
    same = bootstrap([0.5] * 30)

    assert same == Interval(0.5, 0.5, 0.5)
    assert bootstrap([]) == Interval(0, 0, 0)


def test_an_interval_is_as_wide_as_the_standard_error_says() -> None:
    # half of 100 queries answered: the standard error is 0.05, so 95 of 100 means lie within about 0.1
    found = bootstrap([0.0, 1.0] * 50)

    assert found.mean == 0.5
    assert found.low == pytest.approx(0.4, abs=0.03)
    assert found.high == pytest.approx(0.6, abs=0.03)
    assert bootstrap([0.0, 1.0] * 50) == found


def test_a_ratio_is_that_of_the_means_and_pairs_stay_together() -> None:
    # (0.5 + 1) / (1 + 1); a resample is the first pair twice, the second twice, or one of each
    found = bootstrap_ratio([(0.5, 1.0), (1.0, 1.0)])

    assert found == Interval(0.75, 0.5, 1.0)
    assert bootstrap_ratio([(0.2, 0.4), (0.4, 0.8), (0.0, 0.0)] * 9) == Interval(0.5, 0.5, 0.5)


def test_a_ratio_to_nothing_is_one() -> None:
    assert bootstrap_ratio([]) == bootstrap_ratio([(0.0, 0.0)]) == Interval(1, 1, 1)


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-2, 3)),
    st.integers(1, 10),
)
def test_every_measure_of_a_ranking_is_between_none_and_all(
    ranking: list[str], grades: dict[str, int], at: int
) -> None:
    for measure in (ndcg, recall, reciprocal_rank):
        assert 0 <= measure(ranking, grades, at) <= 1 + 1e-12
