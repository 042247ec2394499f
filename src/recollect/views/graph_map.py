"""The graph as the page draws it: a part of it, or its communities."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict

from recollect.graph.graph_map import GraphMap, MapLink, MapNode, MapPart
from recollect.graph.map_communities import MOST_COMMUNITIES, MapCommunity, links_between
from recollect.ids import UnifiedId
from recollect.records.display import one_line
from recollect.views.edges import EdgeRow, short_id


class MapNodeRow(TypedDict):
    """A node. `kind` is a category, skill or missing; it was in force from `begins` until `ends`.

    `links` counts its neighbours in the whole graph; `community` is the id that names its community.
    """

    id: str
    title: str
    kind: str
    status: str
    begins: str
    ends: str | None
    links: int
    community: str | None


class MapCommunityRow(TypedDict):
    """A community: the id and title of its most linked member, and how many of which kinds it has."""

    id: str
    title: str
    size: int
    in_force: int
    kinds: dict[str, int]


class CommunityLinkRow(TypedDict):
    """How many links join two communities."""

    source: str
    target: str
    links: int


class GraphMapOutput(TypedDict):
    """A part of the graph. `level` says what `nodes` would be too many for: then `communities` has rows.

    `total_*` count the whole graph, `unlinked` the memories and skills without any link, `left_out` the nodes
    or communities that the limit leaves out. `earliest` is when the first memory came into force.
    """

    level: Literal["nodes", "communities"]
    nodes: list[MapNodeRow]
    links: list[EdgeRow]
    communities: list[MapCommunityRow]
    between: list[CommunityLinkRow]
    total_nodes: int
    total_links: int
    unlinked: int
    left_out: int
    earliest: str | None


class GraphMatchesOutput(TypedDict):
    """Nodes whose title or id has the words."""

    nodes: list[MapNodeRow]


def map_node_row(node: MapNode, whole: GraphMap, homes: Mapping[UnifiedId, UnifiedId]) -> MapNodeRow:
    """A node with what the whole graph says of it."""
    home = homes.get(node.id)
    return {
        "id": short_id(node.id),
        "title": one_line(node.title),
        "kind": node.kind,
        "status": node.status,
        "begins": node.begins,
        "ends": node.ends,
        "links": whole.degree(node.id),
        "community": short_id(home) if home else None,
    }


def part_output(
    part: MapPart, whole: GraphMap, groups: Sequence[MapCommunity], left_out: int = 0
) -> GraphMapOutput:
    """Nodes and the links between them."""
    homes = {id: group.id for group in groups for id in group.members}
    return {
        **_totals(whole),
        "level": "nodes",
        "nodes": [map_node_row(node, whole, homes) for node in part.nodes],
        "links": [_link_row(link) for link in part.links],
        "left_out": left_out,
    }


def far_output(whole: GraphMap, groups: Sequence[MapCommunity]) -> GraphMapOutput:
    """The largest communities and the links between them."""
    shown = groups[:MOST_COMMUNITIES]
    return {
        **_totals(whole),
        "level": "communities",
        "communities": [_community_row(group, whole) for group in shown],
        "between": [
            {"source": short_id(row.source), "target": short_id(row.target), "links": row.links}
            for row in links_between(whole, shown)
        ],
        "left_out": len(groups) - len(shown),
    }


def matches_output(nodes: Iterable[MapNode], whole: GraphMap) -> GraphMatchesOutput:
    """Nodes that a search found."""
    return {"nodes": [map_node_row(node, whole, {}) for node in nodes]}


def _totals(whole: GraphMap) -> GraphMapOutput:
    linked = sum(bool(near) for near in whole.neighbours.values())
    return {
        "level": "nodes",
        "nodes": [],
        "links": [],
        "communities": [],
        "between": [],
        "total_nodes": len(whole.nodes),
        "total_links": len(whole.links),
        "unlinked": len(whole.nodes) - linked,
        "left_out": 0,
        "earliest": min((node.begins for node in whole.nodes.values() if node.begins), default=None),
    }


def _link_row(link: MapLink) -> EdgeRow:
    evidence = one_line(link.evidence) if link.evidence else None
    ends = {"source": short_id(link.source), "target": short_id(link.target)}
    return {"source": ends["source"], "type": link.type, "target": ends["target"], "evidence": evidence}


def _community_row(group: MapCommunity, whole: GraphMap) -> MapCommunityRow:
    return {
        "id": short_id(group.id),
        "title": one_line(whole.nodes[group.id].title) or short_id(group.id),
        "size": len(group.members),
        "in_force": group.in_force,
        "kinds": dict(group.kinds),
    }
