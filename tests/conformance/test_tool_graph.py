"""What every store of the tool graph does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conformance.engines import OpenState
from tests.requirements import requirement

from recollect.gateway import retention
from recollect.gateway.ports import ToolGraphStore
from recollect.gateway.tool_graph import ToolEdge, graph_of

MakeGraph = Callable[[Path], ToolGraphStore]
FIRST, SECOND, THIRD = (f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3))


@pytest.fixture
def make(open_state: OpenState) -> MakeGraph:
    return lambda folder: open_state(folder).tool_graph


@requirement("gateway:discovery:tool-graph")
def test_observations_are_counted_by_direction(make: MakeGraph, tmp_path: Path) -> None:
    graph = make(tmp_path)
    for source, target in (("b:x", "a:y"), ("a:y", "b:x"), ("b:x", "a:y"), ("b:x", "b:x")):
        graph.observe(source, target, FIRST)

    assert make(tmp_path).edges() == [
        ToolEdge("a:y", "b:x"),
        ToolEdge("b:x", "a:y", 2),
        ToolEdge("b:x", "b:x"),
    ]


@requirement("learning:graph:edges")
def test_a_dependency_is_an_edge_of_its_own(make: MakeGraph, tmp_path: Path) -> None:
    graph = make(tmp_path)
    graph.observe("s:a", "s:b", FIRST)
    for _ in range(3):
        graph.observe("s:a", "s:b", FIRST, "dependency")

    dependency, sequence = make(tmp_path).edges()

    assert (dependency, dependency.weight) == (ToolEdge("s:a", "s:b", 3, "dependency"), 1.0)
    assert sequence == ToolEdge("s:a", "s:b")
    assert graph_of([dependency, sequence]).observations == {"s:a": 3, "s:b": 3}


@requirement("learning:graph:edges")
def test_what_nobody_ran_is_a_template_until_it_is_run(make: MakeGraph, tmp_path: Path) -> None:
    graph = make(tmp_path)
    graph.observe("capability:x", "s:a", FIRST, "contains", "template")
    [template] = graph.edges()
    for _ in range(2):
        graph.observe("capability:x", "s:a", FIRST, "contains")
    [inferred] = graph.edges()
    graph.observe("capability:x", "s:a", FIRST, "contains")
    graph.observe("capability:x", "s:a", FIRST, "contains", "template")
    [observed] = graph.edges()

    assert [template.count, inferred.count, observed.count] == [0, 2, 3]
    weights = [template.weight, inferred.weight, observed.weight]
    assert weights == pytest.approx([0.8 * 0.5, 0.8 * 0.7, 0.8])
    assert observed.origin == "inferred"


def test_the_edges_seen_longest_ago_make_room(
    make: MakeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MAX_EDGES", 2)
    graph = make(tmp_path)
    graph.observe("s:a", "s:b", FIRST)
    graph.observe("s:c", "s:d", SECOND)
    graph.observe("s:a", "s:b", THIRD)
    graph.observe("s:e", "s:f", THIRD)

    assert [edge.source for edge in graph.edges()] == ["s:a", "s:e"]


def test_no_observation_of_several_processes_is_lost(make: MakeGraph, tmp_path: Path) -> None:
    make(tmp_path)

    def work(_: int) -> None:
        graph = make(tmp_path)
        for _ in range(10):
            graph.observe("s:a", "s:b", FIRST)

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))

    assert make(tmp_path).edges() == [ToolEdge("s:a", "s:b", 40)]


def test_strange_names_are_stored(make: MakeGraph, tmp_path: Path) -> None:
    graph = make(tmp_path)
    graph.observe("s:\ud800", "s:'; --", FIRST)

    assert len(graph.edges()) == 1
