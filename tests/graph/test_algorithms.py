"""Rank, communities, likeness and ways, against what can be worked out by hand."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.graph.algorithms import AUTHORITY, Network, authority
from recollect.graph.causal import Edge
from recollect.ids import UnifiedId
from recollect.records.record import LinkType


def u(name: str) -> UnifiedId:
    return UnifiedId(f"mem:{name}")


def network(*pairs: str) -> Network:
    """A network of pairs such as `ab`: from a to b."""
    return Network.of((u(pair[0]), u(pair[1]), 1.0) for pair in pairs)


def near(found: dict[UnifiedId, float], **wanted: float) -> bool:
    return found == pytest.approx({u(name): value for name, value in wanted.items()}, abs=1e-4)


@requirement("graph:algorithms:pagerank")
def test_pagerank_of_two_that_point_to_a_third_is_as_computed_by_hand() -> None:
    """a and b have nothing coming in. With s the share of one of them and t that of c, whose walker
    starts anew anywhere: s = 0.15/3 + 0.85 t/3, t = s + 2 x 0.85 s, and 2s + t = 1; so s = 1/4.7.
    """
    s = 1 / 4.7

    assert near(network("ac", "bc").pagerank(), a=s, b=s, c=1 - 2 * s)


@requirement("graph:algorithms:pagerank")
def test_in_a_circle_all_have_the_same_rank() -> None:
    assert near(network("ab", "bc", "ca").pagerank(), a=1 / 3, b=1 / 3, c=1 / 3)


@requirement("graph:algorithms:personalised")
def test_a_walker_who_starts_at_one_id_is_there_most_and_never_where_no_way_leads() -> None:
    """Back and forth between a and b: at a the share is 1 / (1 + 0.85), at b 0.85 of that."""
    found = network("ab", "ba", "ca").pagerank_from({u("a"): 1.0})

    assert near(found, a=1 / 1.85, b=0.85 / 1.85, c=0.0)


def test_seeds_that_are_not_in_the_network_rank_nothing() -> None:
    assert network("ab").pagerank_from({u("z"): 1.0}) == {}


@requirement("graph:algorithms:communities")
@pytest.mark.parametrize("method", ["leiden", "louvain"])
def test_two_triangles_joined_by_one_edge_are_two_communities(method: str) -> None:
    joined = network("ab", "bc", "ca", "xy", "yz", "zx", "cx")

    found = joined.communities(method)  # type: ignore[arg-type]

    assert found == [(u("a"), u("b"), u("c")), (u("x"), u("y"), u("z"))]


@requirement("graph:algorithms:communities")
def test_communities_are_the_same_every_time() -> None:
    pairs = [(u(str(n % 37)), u(str(n * n % 41)), 1.0) for n in range(200)]

    assert len({tuple(Network.of(pairs).communities()) for _ in range(5)}) == 1
    assert Network.of(reversed(pairs)).communities() == Network.of(pairs).communities()


@requirement("graph:algorithms:adamic-adar")
def test_likeness_is_the_sum_over_shared_neighbours_of_one_over_the_log_of_their_degree() -> None:
    found = network("ap", "bp", "aq", "bq", "cq", "dz").adamic_adar(u("a"))

    assert near(found, b=1 / log(2) + 1 / log(3), c=1 / log(3))


@requirement("graph:algorithms:path")
def test_the_shortest_way_goes_along_edges_either_way_unless_told_otherwise() -> None:
    web = network("ab", "cb", "cd", "xy")

    assert web.path(u("a"), u("d")) == [u("a"), u("b"), u("c"), u("d")]
    assert web.path(u("c"), u("d"), directed=True) == [u("c"), u("d")]
    assert web.path(u("a"), u("a")) == [u("a")]
    assert web.path(u("a"), u("z")) == []


@requirement("graph:algorithms:path")
def test_where_no_way_leads_the_path_is_empty() -> None:
    assert network("ab", "xy").path(u("a"), u("y")) == []
    assert network("ab").path(u("b"), u("a"), directed=True) == []


def test_circles_are_groups_that_all_lead_to_each_other() -> None:
    assert network("ab", "ba", "bc", "xy", "yz", "zx").circles() == [
        (u("x"), u("y"), u("z")),
        (u("a"), u("b")),
    ]


@requirement("graph:algorithms:authority")
def test_what_much_rests_on_has_authority_and_what_was_superseded_passes_it_on() -> None:
    edges = [
        Edge(u("a"), LinkType.DERIVED_FROM, u("law")),
        Edge(u("b"), LinkType.DERIVED_FROM, u("law")),
        Edge(u("law"), LinkType.CAUSED, u("c")),
        Edge(u("new"), LinkType.SUPERSEDES, u("old")),
        Edge(u("x"), LinkType.CONTRADICTS, u("law")),
    ]

    found = authority(edges)

    assert found[u("law")] == AUTHORITY
    assert found[u("new")] > found[u("old")] == 0
    assert u("x") not in found


@requirement("graph:algorithms:authority")
def test_authority_of_nothing_or_of_equals_is_none() -> None:
    assert authority([]) == {}
    assert (
        authority([Edge(u("a"), LinkType.CAUSED, u("b")), Edge(u("b"), LinkType.CAUSED, u("a"))]) == {}
    )


IDS = st.sampled_from([u(name) for name in "abcdefg"])


@given(st.lists(st.tuples(IDS, st.sampled_from(list(LinkType)), IDS), max_size=40))
def test_authority_stays_within_its_bounds_whatever_the_links(
    told: list[tuple[UnifiedId, LinkType, UnifiedId]],
) -> None:
    found = authority(Edge(source, type, target) for source, type, target in told)

    assert all(0 <= value <= AUTHORITY + 1e-12 for value in found.values())
