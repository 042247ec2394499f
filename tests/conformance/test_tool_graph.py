"""What every store of the tool graph does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.gateway.ports import ToolGraphStore
from recollect.gateway.tool_graph import ToolEdge, graph_of
from recollect.storage.sqlite import tool_edges
from recollect.storage.sqlite.state import StateDatabase

MakeGraph = Callable[[Path], ToolGraphStore]
FIRST, SECOND, THIRD = (f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3))


def sqlite_tool_graph(folder: Path) -> ToolGraphStore:
    return StateDatabase(str(folder / "state.db")).tool_graph


@pytest.fixture(params=[sqlite_tool_graph], ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> MakeGraph:
    factory: MakeGraph = request.param
    return factory


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


def test_the_edges_seen_longest_ago_make_room(
    make: MakeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_edges, "MAX_EDGES", 2)
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
