"""One search over both graphs, whatever becomes of either."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.graph.cross_edges import CrossEdge, CrossType
from recollect.graph.unified import (
    EACH,
    TOP,
    GraphHits,
    GraphQuery,
    GraphSearch,
    Hits,
    converging,
    scaled,
    search_graphs,
)
from recollect.ids import UnifiedId


def searched(text: str = "x", *, seconds: float = 1.0, **graphs: GraphSearch) -> GraphHits:
    return search_graphs(graphs, GraphQuery(text), lambda: seconds)


def answering(*hits: tuple[str, float]) -> GraphSearch:
    def search(query: GraphQuery, limit: int, seconds: float) -> Hits:
        return [(UnifiedId(id), score) for id, score in hits]

    return search


def many(prefix: str, count: int, score: float = 1.0) -> GraphSearch:
    return answering(*((f"{prefix}:{prefix}-{n:03}", score - n / 1000) for n in range(count)))


def raising(query: GraphQuery, limit: int, seconds: float) -> Hits:
    raise OSError("the disk is gone")


def test_both_graphs_get_the_same_query_and_the_seconds_that_are_left() -> None:
    calls: list[tuple[GraphQuery, int, float]] = []
    remaining = iter([1.0, 0.4])

    def search(query: GraphQuery, limit: int, seconds: float) -> Hits:
        calls.append((query, limit, seconds))
        return []

    query = GraphQuery("roll back", ((UnifiedId("mem:a"), 0.5),))
    search_graphs({"causal": search, "skill": search}, query, lambda: next(remaining))

    assert calls == [(query, EACH, 1.0), (query, EACH, 0.4)]


@requirement("skills:unified:caps")
def test_each_graph_gives_ten_at_most_however_good_the_other_is() -> None:
    found = searched(causal=many("mem", 50, 1.0), skill=many("skill", 50, 0.3))

    kinds = [id.partition(":")[0] for id, _ in found.hits]
    assert (kinds.count("mem"), kinds.count("skill")) == (10, 10)
    assert found.warnings == ()


@requirement("skills:unified:scale")
def test_a_graph_with_scores_above_1_is_scaled_by_its_best_and_one_within_keeps_its_own() -> None:
    found = searched(
        causal=answering(("mem:a", 40.0), ("mem:b", 10.0)), skill=answering(("skill:s", 0.4))
    )

    assert found.hits == (("mem:a", 1.0), ("skill:s", 0.4), ("mem:b", 0.25))


def test_a_hit_of_both_graphs_appears_once_with_the_better_score() -> None:
    found = searched(causal=answering(("mem:a", 0.2)), skill=answering(("mem:a", 0.6)))

    assert found.hits == (("mem:a", 0.6),)


@pytest.mark.parametrize("broken", ["causal", "skill"])
@requirement("skills:unified:fail-soft")
def test_a_graph_that_raises_costs_a_warning_and_not_the_others_results(broken: str) -> None:
    graphs: dict[str, GraphSearch] = {"causal": many("mem", 3), "skill": many("skill", 3)}
    graphs[broken] = raising

    found = searched(causal=graphs["causal"], skill=graphs["skill"])

    assert len(found.hits) == 3
    assert found.warnings == (
        f"the {broken} graph failed (OSError: the disk is gone); the results do not include it",
    )


@requirement("skills:unified:one-deadline")
def test_a_graph_that_runs_out_of_time_costs_a_warning() -> None:
    def slow(query: GraphQuery, limit: int, seconds: float) -> Hits:
        raise TimeoutError

    found = searched(causal=slow, skill=many("skill", 3))

    assert len(found.hits) == 3
    assert found.warnings == ("the causal graph timed out; the results do not include it",)


@requirement("skills:unified:one-deadline")
def test_a_graph_whose_time_the_other_has_used_is_not_asked() -> None:
    remaining = iter([1.0, 0.0])

    found = search_graphs(
        {"causal": many("mem", 3), "skill": raising}, GraphQuery("x"), lambda: next(remaining)
    )

    assert len(found.hits) == 3
    assert found.warnings == ("the skill graph timed out; the results do not include it",)


def test_invalid_ids_and_scores_of_a_graph_are_left_out() -> None:
    invalid = answering(
        ("raw-id", 1.0), ("mem:a", float("nan")), ("mem:b", -1.0), ("mem:c", float("inf"))
    )
    good = answering(("skill:s", 0.5))

    def no_ranking(query: GraphQuery, limit: int, seconds: float) -> Hits:
        return 5  # type: ignore[return-value]

    assert searched(causal=invalid, skill=good).hits == (("skill:s", 0.5),)
    worse = searched(causal=no_ranking, skill=good)
    assert worse.hits == (("skill:s", 0.5),)
    assert len(worse.warnings) == 1


IDS = st.integers(0, 40).map(lambda n: f"mem:m-{n}") | st.integers(0, 40).map(lambda n: f"skill:s-{n}")
RANKINGS = st.lists(st.tuples(IDS, st.floats()), max_size=30)


@given(RANKINGS)
@requirement("skills:unified:scale")
def test_whatever_a_graph_says_its_scores_end_within_0_and_1(ranking: list[tuple[str, float]]) -> None:
    found = scaled([(UnifiedId(id), score) for id, score in ranking])

    assert len(found) <= EACH
    assert all(0 <= score <= 1 for _, score in found)
    assert list(found) == sorted(found, key=lambda hit: (-hit[1], hit[0]))


MEMORY, SKILL = UnifiedId("mem:m"), UnifiedId("skill:s")
EDGE = CrossEdge(SKILL, CrossType.GOVERNS, MEMORY)
OTHERS = [UnifiedId(f"mem:other-{n}") for n in range(30)]


def test_a_memory_and_a_skill_in_the_top_twenty_that_an_edge_joins_converge() -> None:
    ranked = [MEMORY, *OTHERS[: TOP - 2], SKILL, *OTHERS[TOP:]]

    assert converging(ranked, [EDGE]) == {MEMORY, SKILL}
    assert converging(ranked, [CrossEdge(MEMORY, CrossType.IMPLEMENTS, SKILL)]) == {MEMORY, SKILL}


@pytest.mark.parametrize(
    ("ranked", "edges"),
    [
        ([MEMORY, SKILL], []),
        ([MEMORY, *OTHERS[: TOP - 1], SKILL], [EDGE]),
        ([MEMORY], [EDGE]),
        ([SKILL, *OTHERS], [EDGE]),
    ],
)
def test_without_an_edge_or_with_one_end_below_the_twentieth_nothing_converges(
    ranked: list[UnifiedId], edges: list[CrossEdge]
) -> None:
    assert converging(ranked, edges) == frozenset()
