"""The links of all memories, as a walk and a picture of the graph read them."""

import pytest
from tests.conformance.edges import EDGES, MakeEdges
from tests.retrieval.corpora import doc

from recollect.graph.causal import Edge, Edges
from recollect.ids import UnifiedId
from recollect.records.record import Link, LinkType


def u(name: str) -> UnifiedId:
    return UnifiedId(f"mem:{name}")


def caused(source: str, *targets: str) -> tuple[Link, ...]:
    return tuple(Link(LinkType.CAUSED, u(target), f"{source} says so") for target in targets)


@pytest.fixture(params=EDGES, ids=lambda make: make.__name__)
def make_edges(request: pytest.FixtureRequest) -> MakeEdges:
    make: MakeEdges = request.param
    return make


@pytest.fixture
def chain(make_edges: MakeEdges) -> Edges:
    """a -> b -> c -> d, where c is retired and d does not exist."""
    return make_edges(
        [
            doc("a", links=caused("a", "b")),
            doc("b", links=caused("b", "c")),
            doc("c", links=caused("c", "d"), status="retired"),
        ]
    )


def ends(edges: object) -> list[tuple[str, str]]:
    assert isinstance(edges, list | tuple)
    return [(edge.source.removeprefix("mem:"), edge.target.removeprefix("mem:")) for edge in edges]


def test_all_links_come_in_order_with_their_evidence(chain: Edges) -> None:
    assert ends(chain.all()) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert chain.all()[0] == Edge(u("a"), LinkType.CAUSED, u("b"), "a says so")


def test_links_around_a_memory_go_both_ways_and_the_nearest_come_first(chain: Edges) -> None:
    assert ends(chain.around([u("b")], 1)) == [("a", "b"), ("b", "c")]
    assert ends(chain.around([u("a")], 2)) == [("a", "b"), ("b", "c")]
    assert ends(chain.around([u("d")], 3)) == [("c", "d"), ("b", "c"), ("a", "b")]
    assert ends(chain.around([u("a")], 0)) == []
    assert ends(chain.around([u("nobody")], 2)) == []


def test_of_a_hub_only_so_many_links_of_each_type_are_read(make_edges: MakeEdges) -> None:
    spokes = [doc(f"s{number:02}", links=caused("s", "hub")) for number in range(40)]
    rival = doc("z", links=(Link(LinkType.CONTRADICTS, u("hub"), None),))
    edges = make_edges([doc("hub"), *spokes, rival])

    around = edges.around([u("hub")], 1, fan=3)

    types = [edge.type for edge in around]
    assert types.count(LinkType.CONTRADICTS) == 1, "the many do not crowd out the few"
    assert len(around) <= 40


def test_active_leaves_out_the_retired_and_the_missing(chain: Edges) -> None:
    assert chain.active([u(name) for name in "abcd"]) == {u("a"), u("b")}


def test_nodes_are_all_memories_by_id_and_valid_only_while_they_hold(make_edges: MakeEdges) -> None:
    later = "2026-02-01T00:00:00Z"
    edges = make_edges([doc("b", "Second"), doc("a", "First", valid_to="2026-01-15T00:00:00Z")])

    nodes = edges.nodes(later)

    assert [(node.id, node.title, node.valid) for node in nodes] == [
        (u("a"), "First", False),
        (u("b"), "Second", True),
    ]
