"""How related tools are, worked out by hand."""

from math import log

import pytest
from tests.requirements import requirement

from recollect.gateway import weights
from recollect.gateway.tool_graph import (
    ToolEdge,
    ToolGraph,
    evidence,
    expansion,
    graph_of,
    local_density,
    relatedness,
    relevance_share,
    tool_graph,
)
from recollect.workflow.tool_paths import ToolPaths

# a - hub - b, and hub - c: `a` and `b` share one neighbour that has three.
STAR = tool_graph([("a", "hub", 1.0), ("hub", "b", 0.5), ("hub", "c", 1.0)], {})


def test_edges_lead_both_ways_and_the_heaviest_of_several_counts() -> None:
    graph = tool_graph([("a", "b", 0.3), ("b", "a", 0.7), ("a", "a", 1.0)], {})

    assert graph.of("a") == {"b": 0.7}
    assert graph.of("b") == {"a": 0.7}


def test_a_direct_neighbour_and_a_tool_in_use_are_fully_related() -> None:
    assert relatedness(STAR, "hub", ["a"]) == 1.0
    assert relatedness(STAR, "a", ["a"]) == 1.0


def test_tools_that_share_a_neighbour_are_related_by_adamic_adar() -> None:
    assert relatedness(STAR, "b", ["a"]) == pytest.approx(1.0 * 0.5 / log(3) / 2)
    assert relatedness(STAR, "c", ["a"]) > relatedness(STAR, "b", ["a"])


@requirement("learning:graph:edges")
def test_tools_of_one_capability_are_related_and_nothing_else_changes() -> None:
    called = [ToolEdge("s:a", "s:x", 3), ToolEdge("s:x", "s:a", 3)]
    contains = [ToolEdge("capability:1", tool, 3, "contains") for tool in ("s:a", "s:b", "s:c")]
    plain, graph = graph_of(called), graph_of([*called, *contains])

    assert relatedness(graph, "s:b", ["s:a"]) == pytest.approx(0.8 * 0.8 / log(3) / 2)
    assert relatedness(plain, "s:b", ["s:a"]) == relatedness(graph, "s:b", ["s:x"]) == 0.0
    assert graph.beside("s:a") == {"s:b", "s:c"}
    assert (graph.neighbours, graph.observations) == (plain.neighbours, plain.observations)
    assert local_density(graph, ["s:a"]) == local_density(plain, ["s:a"])
    assert ToolPaths([*called, *contains]).best("capability:1", "s:b") is None


def test_a_stranger_and_an_empty_context_are_unrelated() -> None:
    assert relatedness(STAR, "stranger", ["a"]) == 0.0
    assert relatedness(STAR, "b", []) == 0.0


def test_density_counts_the_edges_around_the_tools_in_use_only() -> None:
    many = tool_graph([("a", "b", 1.0), *((f"x{n}", f"y{n}", 1.0) for n in range(100))], {})

    assert local_density(many, ["a"]) == 1.0
    assert local_density(STAR, ["hub"]) == pytest.approx(3 / 6)
    assert local_density(STAR, ["stranger"]) == 0.0
    assert local_density(ToolGraph(), ["a"]) == 0.0


@pytest.mark.parametrize(
    ("density", "alpha", "candidates"),
    [(0.0, 1.0, 1.5), (0.05, 0.9, 2.0), (0.10, 0.8, 3.0), (0.25, 0.5, 3.0), (1.0, 0.5, 3.0)],
)
def test_the_denser_the_graph_the_more_it_says(density: float, alpha: float, candidates: float) -> None:
    assert relevance_share(density) == pytest.approx(alpha)
    assert expansion(density) == candidates


def test_a_graph_is_believed_the_more_the_oftener_its_tools_were_observed() -> None:
    once, often = tool_graph([("a", "b", 1.0)], {"a": 1}), tool_graph([("a", "b", 1.0)], {"a": 97})

    assert evidence(ToolGraph(), ["a"]) == evidence(once, ["b"]) == evidence(once, []) == 0.0
    assert evidence(once, ["a"]) == pytest.approx(1 / 4)
    assert evidence(often, ["b", "a"]) == pytest.approx(0.97)
    assert relevance_share(1.0, evidence(once, ["a"])) == pytest.approx(1 - 0.5 / 4)
    assert relevance_share(1.0, 0.0) == 1.0


@pytest.mark.parametrize(
    ("edge", "weight"),
    [
        (ToolEdge("a", "b"), 0.5 * 0.7),
        (ToolEdge("a", "b", 3), 0.5),
        (ToolEdge("a", "b", 1, "dependency"), 0.7),
        (ToolEdge("a", "b", 9, "contains", "template"), 0.8),
        (ToolEdge("a", "b", 2, "dependency", "template"), 0.5),
    ],
)
def test_an_edge_weighs_by_its_type_and_its_origin(edge: ToolEdge, weight: float) -> None:
    assert edge.weight == pytest.approx(weight)


def test_stored_edges_make_a_graph_without_loops() -> None:
    graph = graph_of(
        [ToolEdge("a", "b", 4), ToolEdge("a", "c"), ToolEdge("a", "a", 9), ToolEdge("c", "a", 2)]
    )

    assert graph.of("a") == {"b": 0.5, "c": pytest.approx(0.35)}
    assert graph.observations == {"a": 5, "b": 4, "c": 2}


def test_every_weight_says_what_it_is_for_and_where_it_comes_from() -> None:
    table = weights.table()

    assert table["NAME"] == 3.0
    assert all(weight.about and weight.source for weight in table.values())
    assert {weight.status for weight in table.values()} <= {"measured", "inherited", "unproved"}
