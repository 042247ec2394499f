"""One search over both graphs, whatever becomes of either."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.graph.cross_edges import CrossEdge, CrossType
from recollect.graph.unified import EACH, TOP, Asked, UnifiedGraph, converging, scaled
from recollect.ids import UnifiedId, skill_id

if TYPE_CHECKING:
    from recollect.graph.unified import GraphSearch, Hits

PATIENCE = 20.0  # seconds that nothing here comes near, unless it hangs


def answering(*hits: tuple[str, float]) -> GraphSearch:
    def search(asked: Asked, limit: int) -> Hits:
        return [(UnifiedId(id), score) for id, score in hits]

    return search


def many(prefix: str, count: int, score: float = 1.0) -> GraphSearch:
    return answering(*((f"{prefix}:{prefix}-{n:03}", score - n / 1000) for n in range(count)))


def raising(asked: Asked, limit: int) -> Hits:
    raise OSError("the disk is gone")


def test_both_graphs_are_asked_the_same() -> None:
    seen: list[tuple[Asked, int]] = []

    def search(asked: Asked, limit: int) -> Hits:
        seen.append((asked, limit))
        return []

    asked = Asked("roll back", ((UnifiedId("mem:a"), 0.5),))
    UnifiedGraph({"causal": search, "skill": search}).search(asked)

    assert seen == [(asked, EACH)] * 2


@requirement("skills:unified:caps")
def test_each_graph_gives_ten_at_most_however_good_the_other_is() -> None:
    graph = UnifiedGraph({"causal": many("mem", 50, 1.0), "skill": many("skill", 50, 0.3)}, PATIENCE)

    found = graph.search(Asked("x"))

    kinds = [id.partition(":")[0] for id, _ in found.hits]
    assert (kinds.count("mem"), kinds.count("skill")) == (10, 10)
    assert found.warnings == ()


@requirement("skills:unified:scale")
def test_a_graph_with_scores_above_1_is_scaled_by_its_best_and_one_within_keeps_its_own() -> None:
    graph = UnifiedGraph(
        {"causal": answering(("mem:a", 40.0), ("mem:b", 10.0)), "skill": answering(("skill:s", 0.4))},
        PATIENCE,
    )

    assert graph.search(Asked("x")).hits == (("mem:a", 1.0), ("skill:s", 0.4), ("mem:b", 0.25))


def test_what_both_graphs_found_is_told_once_with_the_better_score() -> None:
    graph = UnifiedGraph(
        {"causal": answering(("mem:a", 0.2)), "skill": answering(("mem:a", 0.6))}, PATIENCE
    )

    assert graph.search(Asked("x")).hits == (("mem:a", 0.6),)


@pytest.mark.parametrize("broken", ["causal", "skill"])
@requirement("skills:unified:fail-soft")
def test_a_graph_that_raises_costs_a_warning_and_not_the_others_results(broken: str) -> None:
    graphs: dict[str, GraphSearch | None] = {"causal": many("mem", 3), "skill": many("skill", 3)}
    graphs[broken] = raising

    found = UnifiedGraph(graphs, PATIENCE).search(Asked("x"))

    assert len(found.hits) == 3
    assert found.warnings == (
        f"the {broken} graph failed (OSError: the disk is gone); results are without it",
    )


@requirement("skills:unified:fail-soft")
def test_a_graph_that_is_missing_costs_a_warning() -> None:
    found = UnifiedGraph({"causal": many("mem", 3), "skill": None}, PATIENCE).search(Asked("x"))

    assert len(found.hits) == 3
    assert found.warnings == ("the skill graph is missing; results are without it",)


@requirement("skills:unified:fail-soft")
def test_a_graph_that_hangs_is_left_behind_and_not_asked_again_until_it_is_back() -> None:
    go, calls = threading.Event(), list[str]()

    def hanging(asked: Asked, limit: int) -> Hits:
        calls.append(asked.text)
        go.wait(PATIENCE)
        return [(skill_id("late"), 1.0)]

    graph = UnifiedGraph({"causal": many("mem", 3), "skill": hanging}, seconds=0.05)
    began = time.monotonic()
    first, second = graph.search(Asked("first")), graph.search(Asked("second"))
    took = time.monotonic() - began
    go.set()
    while len(calls) < 2 and time.monotonic() < began + PATIENCE:
        third = graph.search(Asked("third"))

    assert took < PATIENCE / 2
    assert len(first.hits) == len(second.hits) == 3
    assert first.warnings == ("the skill graph did not answer within 50 ms; results are without it",)
    assert second.warnings == ("the skill graph is still busy; results are without it",)
    assert calls[:2] == ["first", "third"]
    assert (skill_id("late"), 1.0) in third.hits


@requirement("skills:unified:concurrent")
def test_the_graphs_are_asked_at_the_same_time() -> None:
    """Each waits for the other: one after the other, neither would ever answer."""
    meeting = threading.Barrier(2, timeout=PATIENCE)

    def meet(asked: Asked, limit: int) -> Hits:
        meeting.wait()
        return [(skill_id(threading.current_thread().name), 1.0)]

    found = UnifiedGraph({"causal": meet, "skill": meet}, PATIENCE).search(Asked("x"))

    assert found.warnings == ()
    assert len(found.hits) == 2


@requirement("skills:unified:prefixed")
def test_a_graph_that_gives_nonsense_is_not_believed() -> None:
    nonsense = answering(
        ("raw-id", 1.0), ("mem:a", float("nan")), ("mem:b", -1.0), ("mem:c", float("inf"))
    )
    good = answering(("skill:s", 0.5))

    found = UnifiedGraph({"causal": nonsense, "skill": good}, PATIENCE).search(Asked("x"))
    worse = UnifiedGraph({"causal": lambda asked, limit: 5, "skill": good}, PATIENCE)  # type: ignore[dict-item]

    assert found.hits == (("skill:s", 0.5),)
    assert worse.search(Asked("x")).hits == (("skill:s", 0.5),)
    assert len(worse.search(Asked("x")).warnings) == 1


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


@requirement("skills:unified:convergence")
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
@requirement("skills:unified:convergence")
def test_without_an_edge_or_with_one_end_below_the_twentieth_nothing_converges(
    ranked: list[UnifiedId], edges: list[CrossEdge]
) -> None:
    assert converging(ranked, edges) == frozenset()
