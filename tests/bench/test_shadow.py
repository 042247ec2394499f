"""Whether boosts keep their bounds."""

import pytest
from tests.bench.tiny import data_set, question, text

from recollect.bench.metrics import Interval
from recollect.bench.shadow import ITEMS, Shadow, measure
from recollect.retrieval.request import Request

LEXICAL = Request("", strategy="fts5_bm25")
ONE = Interval(1.0, 1.0, 1.0)
ALIKE = [text(f"{number:02}", "the tide is high") for number in range(30)]


def test_among_equals_boosts_decide_and_the_correlation_says_so() -> None:
    found = measure(data_set(ALIKE, [question("q", "tide", "00")]), LEXICAL)

    assert found.queries == 1
    assert found.correlation.mean < 0.9
    assert not found.within_bounds
    assert found.mrr_plain == 1.0
    assert found.mrr_boosted < 1.0


def test_where_everything_gets_the_same_boost_nothing_moves() -> None:
    few = ALIKE[:ITEMS]

    found = measure(data_set(few, [question("q", "tide", "03")]), LEXICAL)

    assert (found.correlation, found.mrr_ratio) == (ONE, ONE)
    assert found.within_bounds
    assert found.mrr_plain == found.mrr_boosted == 0.25


def test_a_boost_does_not_lift_a_weak_hit_over_a_far_better_one() -> None:
    """The best has every word, the others one of them each."""
    words = "otter lodge river winter flood"
    weak = [
        text(f"{n:02}", f"{word} and a great many other words") for n, word in enumerate(words.split())
    ]
    data = data_set([text("zz", words), *weak, *ALIKE], [question("q", words, "zz")])

    found = measure(data, LEXICAL)

    assert found.mrr_plain == found.mrr_boosted == 1.0


def test_the_same_seed_pays_the_same_attention() -> None:
    data = data_set(ALIKE, [question("q", "tide", "00"), question("r", "high", "09")])

    assert measure(data, LEXICAL) == measure(data, LEXICAL)
    assert measure(data, LEXICAL) != measure(data, LEXICAL, seed=2)


def test_only_labelled_queries_count_and_one_that_finds_nothing_is_no_change() -> None:
    asked = [question("q", "snow", "00"), question("r", "tide")]

    assert measure(data_set(ALIKE, asked), LEXICAL) == Shadow(1, ONE, 0.0, 0.0, ONE)


@pytest.mark.parametrize(
    ("correlation", "ratio", "kept"), [(0.9, 0.95, True), (0.89, 1.0, False), (1.0, 0.94, False)]
)
def test_what_is_promised_is_kept_up_to_and_with_its_bounds(
    correlation: float, ratio: float, *, kept: bool
) -> None:
    one, other = (Interval(mean, 0.0, 1.0) for mean in (correlation, ratio))

    assert Shadow(1, one, 1.0, ratio, other).within_bounds is kept
