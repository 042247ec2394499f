"""Cycles are broken at their least certain dependency, whatever the order of the input."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.workflow.planning_tools import edge

from recollect.workflow.dependencies import Dependency, StatedOrder
from recollect.workflow.ordering import order_only, ordered, topological
from recollect.workflow.tool_paths import ToolPaths


def after(source: str, target: str, certainty: float) -> Dependency:
    return Dependency(source, target, (StatedOrder(certainty),))


@requirement("workflow:plan:cycles")
@pytest.mark.parametrize("length", range(2, 7))
def test_a_cycle_is_broken_at_its_least_certain_edge_and_says_so(length: int) -> None:
    for weakest in range(length):
        circle = [
            after(f"t{n}", f"t{(n + 1) % length}", 0.3 if n == weakest else 0.5 + n / 100)
            for n in range(length)
        ]
        ordering = ordered(circle)

        [broken] = ordering.broken
        assert broken.dependency == circle[weakest]
        assert broken.cycle == tuple(f"t{(weakest + 1 + n) % length}" for n in range(length))
        assert set(ordering.dependencies) == set(circle) - {circle[weakest]}


NAMES = st.sampled_from("abcdefg")
DEPENDENCIES = st.lists(
    st.builds(after, NAMES, NAMES, st.sampled_from([0.2, 0.4, 0.6, 0.8])).filter(
        lambda d: d.source != d.target
    ),
    unique_by=lambda d: (d.source, d.target),
)


@given(DEPENDENCIES, st.integers(0, 99))
def test_random_graphs_become_acyclic_at_edges_no_surer_than_their_cycle(
    graph: list[Dependency], seed: int
) -> None:
    ordering = ordered(graph)
    shuffled = Random(seed).sample(graph, len(graph))

    assert ordered(shuffled) == ordering
    certainties = {(each.source, each.target): each.certainty for each in ordering.dependencies}
    for broken in ordering.broken:
        circle = broken.cycle
        rest = [certainties[pair] for pair in pairwise(circle)]
        assert (broken.dependency.source, broken.dependency.target) == (circle[-1], circle[0])
        assert min(rest) >= broken.dependency.certainty
    order = topological("abcdefg", ordering.dependencies)
    assert all(order.index(each.source) < order.index(each.target) for each in ordering.dependencies)


@given(DEPENDENCIES)
def test_waiting_only_for_the_last_before_it_orders_all_the_same(graph: list[Dependency]) -> None:
    ordering = ordered(graph)
    waits = order_only(ordering)
    reached: dict[str, set[str]] = {}
    for name in topological("abcdefg", ordering.dependencies):
        direct = waits.get(name, ())
        reached[name] = {*direct, *(before for other in direct for before in reached[other])}

    assert all(each.source in reached[each.target] for each in ordering.dependencies)
    assert sum(map(len, waits.values())) <= len(ordering.dependencies)


def test_a_path_of_at_most_three_hops_is_an_observed_order() -> None:
    paths = ToolPaths([edge("a", "b", 3), edge("b", "c", 3), edge("c", "d", 3), edge("d", "e", 3)])
    way = paths.best("s:a", "s:d")

    assert way is not None
    assert way.tools == ("s:a", "s:b", "s:c", "s:d")
    assert paths.best("s:a", "s:e") is None
    assert paths.best("s:d", "s:a") is None


def test_the_direction_that_was_seen_more_often_is_more_certain() -> None:
    paths = ToolPaths([edge("a", "b", 9), edge("b", "a", 3), edge("a", "a", 50)])
    forth, back = paths.best("s:a", "s:b"), paths.best("s:b", "s:a")

    assert forth is not None
    assert back is None or forth.certainty > back.certainty


def test_tools_in_between_are_usual_only_if_most_calls_came_from_them() -> None:
    everything = {"s:clone", "s:install", "s:deploy", "s:other"}
    taught = [edge("clone", "install"), edge("install", "deploy")]

    assert ToolPaths(taught).usual("s:clone", "s:deploy", everything) == ("s:install",)
    assert ToolPaths(taught).usual("s:clone", "s:deploy", {"s:other"}) == ()
    often_direct = [*taught, edge("clone", "deploy", 5)]
    assert ToolPaths(often_direct).usual("s:clone", "s:deploy", everything) == ()
