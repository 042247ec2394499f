"""The causal graph: what is near, which way counts, and what no web of links can bring about."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graph.webs import told, u, web
from tests.requirements import requirement

from recollect.graph.causal import DECAY, MOST, CausalSearch, Edges, hops_from
from recollect.ids import UnifiedId
from recollect.records.record import LinkType


def found(edges: Edges, *seeds: str, limit: int = MOST) -> list[str]:
    hits = CausalSearch(edges).search([(u(seed), 1.0) for seed in seeds], limit)
    return [id.removeprefix("mem:") for id, _ in hits]


@requirement("graph:causal:search")
def test_a_search_finds_what_is_one_and_two_links_away_nearest_first() -> None:
    edges = web("a derived_from b\nb derived_from c\nc derived_from d")

    assert found(edges, "a") == ["b", "c"]


@requirement("graph:causal:search")
def test_the_score_decays_with_every_hop() -> None:
    edges = web("a derived_from b\nb derived_from c")

    (_, near), (_, far) = CausalSearch(edges).search([(u("a"), 0.8)])

    assert near == pytest.approx(0.8 * DECAY)
    assert 0 < far < near * DECAY


@pytest.mark.parametrize(
    "links",
    [
        "effect derived_from cause\nlater derived_from effect",
        "cause caused effect\neffect caused later",
        "cause enabled effect\neffect enabled later",
        "cause supports effect\neffect supports later",
    ],
)
def test_from_an_effect_its_cause_comes_before_what_followed_from_it(links: str) -> None:
    assert found(web(links), "effect") == ["cause", "later"]


def test_from_what_was_replaced_its_successor_comes_first_and_the_other_way_counts_little() -> None:
    edges = web("new supersedes old\nold derived_from reason\nnew derived_from lesson")

    assert found(edges, "old")[0] in ("new", "reason")
    assert found(edges, "new")[0] == "lesson"
    scores = dict(CausalSearch(edges).search([(u("new"), 1.0)]))
    back = dict(CausalSearch(edges).search([(u("old"), 1.0)]))
    assert scores[u("old")] < back[u("new")]


@pytest.mark.parametrize("state", ["retired", "archived", "gone"])
def test_what_is_out_of_use_is_neither_found_nor_walked_through(state: str) -> None:
    edges = web("a derived_from old\nold derived_from b", old=state)

    assert found(edges, "a") == []
    assert hops_from({u("a")}, edges) == {}


def test_a_skill_is_no_memory_and_joins_none() -> None:
    edges = web("a supports skill:deploy\nb supports skill:deploy")

    assert found(edges, "a") == []


def test_what_several_seeds_lead_to_comes_before_what_one_leads_to() -> None:
    edges = web("a derived_from both\nb derived_from both\na derived_from one")

    assert found(edges, "a", "b")[0] == "both"


def test_a_seed_is_found_from_another_one_and_never_from_itself() -> None:
    edges = web("a derived_from b\nb derived_from a")

    assert found(edges, "a") == ["b"]
    assert found(edges, "a", "b") == ["a", "b"]


@requirement("graph:causal:hostile")
def test_links_of_a_memory_to_itself_lead_nowhere() -> None:
    edges = web("a caused a\na derived_from b\nb contradicts b")

    assert found(edges, "a") == ["b"]
    assert hops_from({u("a")}, edges) == {u("b"): 1}


@requirement("graph:causal:hostile")
def test_a_circle_is_walked_no_further_than_two_hops() -> None:
    edges = web("a caused b\nb caused c\nc caused d\nd caused e\ne caused a")

    assert sorted(found(edges, "a")) == ["b", "c", "d", "e"]
    assert hops_from({u("a")}, edges) == {u("b"): 1, u("e"): 1, u("c"): 2, u("d"): 2}


@requirement("graph:causal:hostile")
def test_a_hub_of_ten_thousand_links_neither_hangs_nor_hides_the_few_that_tell_something() -> None:
    spokes = [(f"m{number}", "derived_from", "hub") for number in range(10_000)]
    edges = web([*spokes, ("hub", "derived_from", "reason"), ("proof", "supports", "hub")])

    start = time.perf_counter()
    hits = found(edges, "hub")
    assert time.perf_counter() - start < 2

    assert set(hits[:2]) == {"reason", "proof"}
    assert len(hits) == MOST
    assert found(edges, "m5")[0] == "hub"


@requirement("graph:causal:hostile")
def test_what_hangs_on_a_hub_counts_less_than_what_hangs_on_a_memory_of_few_links() -> None:
    crowd = [(f"m{number}", "derived_from", "hub") for number in range(200)]
    edges = web(
        [*crowd, ("a", "derived_from", "hub"), ("a", "derived_from", "quiet"), *told("quiet caused x")]
    )

    assert found(edges, "a")[2] == "x"


def test_hops_are_counted_to_two_either_way_from_the_nearest_item_in_attention() -> None:
    edges = web("a derived_from b\nc derived_from b\nc caused d\nd caused e")

    assert hops_from({u("a")}, edges) == {u("b"): 1, u("c"): 2}
    assert hops_from({u("a"), u("d")}, edges) == {u("b"): 1, u("c"): 1, u("e"): 1}
    assert hops_from(set(), edges) == {}


def test_what_something_in_attention_replaced_is_not_near_it_and_its_successor_is() -> None:
    edges = web("new supersedes old\nold derived_from reason")

    assert hops_from({u("new")}, edges) == {}
    assert hops_from({u("old")}, edges) == {u("new"): 1, u("reason"): 1}


def test_nothing_comes_of_no_seeds_and_of_seeds_that_are_not_there() -> None:
    edges = web("a derived_from b")

    assert found(edges) == []
    assert found(edges, "nobody") == []
    assert CausalSearch(edges).search([(UnifiedId("skill:x"), 1.0)]) == []


NAMES = st.sampled_from("abcdefgh")
LINKS = st.lists(st.tuples(NAMES, st.sampled_from([*LinkType][:6]), NAMES), max_size=30)


@given(LINKS, st.lists(NAMES, unique=True, max_size=4))
def test_whatever_the_links_scores_fall_and_hops_are_one_or_two(
    links: list[tuple[str, LinkType, str]], seeds: list[str]
) -> None:
    edges = web([(source, type.value, target) for source, type, target in links])
    hits = CausalSearch(edges).search([(u(seed), 1.0) for seed in seeds])
    scores = [score for _, score in hits]

    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= DECAY * len(seeds) for score in scores)
    assert set(hops_from({u(seed) for seed in seeds}, edges).values()) <= {1, 2}
