"""Where a ranking ends."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.retrieval.fusion import AUTO_MOST, auto, page


@dataclass(frozen=True)
class Scored:
    score: float


def hits(*scores: float) -> list[Scored]:
    return [Scored(score) for score in scores]


@requirement("retrieval:cutoff:auto")
def test_a_prompt_is_given_at_most_three_each_half_as_good_as_the_best() -> None:
    assert auto(hits(0.8, 0.7, 0.6, 0.5)) == hits(0.8, 0.7, 0.6)
    assert auto(hits(0.8, 0.4, 0.39)) == hits(0.8, 0.4)
    assert auto(hits(0.01)) == hits(0.01)
    assert auto([]) == []
    assert auto(hits(0.8, 0.7), most=0) == []


@requirement("retrieval:cutoff:no-second")
def test_a_second_hit_far_below_the_best_is_not_given_to_a_prompt() -> None:
    assert auto(hits(0.8, 0.39)) == hits(0.8)


@requirement("retrieval:cutoff:page")
def test_a_search_gives_a_page() -> None:
    found = hits(*(1 - number / 100 for number in range(25)))

    assert page(found) == found[:10]
    assert page(found, 10, 20) == found[20:]
    assert page(found, 10, 99) == []


@given(st.lists(st.floats(0, 1)).map(lambda scores: sorted(scores, reverse=True)))
def test_a_cut_is_the_start_of_the_ranking(scores: list[float]) -> None:
    kept = auto(hits(*scores))

    assert kept == hits(*scores)[: len(kept)]
    assert len(kept) == min(AUTO_MOST, sum(score >= scores[0] / 2 for score in scores))


@requirement("retrieval:cutoff:auto")
def test_never_more_are_given_than_are_wanted() -> None:
    assert auto(hits(0.8, 0.7, 0.6), most=1) == hits(0.8)
