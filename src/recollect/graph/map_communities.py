"""A map from afar: its communities as nodes, and how many links lead from one to another. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.graph.algorithms import Network
from recollect.graph.graph_map import GraphMap
from recollect.ids import UnifiedId

MOST_COMMUNITIES = 80  # the largest; more are no picture that a person can read


@dataclass(frozen=True, slots=True)
class MapCommunity:
    """Nodes that belong together, the most linked first: that one gives the community its name."""

    members: tuple[UnifiedId, ...]
    kinds: Mapping[str, int]
    in_force: int

    @property
    def id(self) -> UnifiedId:
        return self.members[0]


@dataclass(frozen=True, slots=True)
class CommunityLinks:
    """How many links lead from one community to another, in either direction."""

    source: UnifiedId
    target: UnifiedId
    links: int


def member_groups(whole: GraphMap) -> list[tuple[UnifiedId, ...]]:
    """The members of each community, the most linked first; the largest community first.

    Every node that has a link is in one. This takes most of the time, and depends on no moment.
    """
    groups = Network.of((link.source, link.target, 1.0) for link in whole.links).communities()
    return [tuple(whole.by_links(group)) for group in groups]


def communities(
    whole: GraphMap, groups: Iterable[tuple[UnifiedId, ...]], at: str
) -> list[MapCommunity]:
    """The communities of these members; `at` decides what is in force."""
    rows = []
    for group in groups:
        nodes = [whole.nodes[id] for id in group]
        kinds = Counter(node.kind for node in nodes)
        in_force = sum(node.state(at) == "in_force" for node in nodes)
        rows.append(MapCommunity(group, dict(kinds.most_common()), in_force))
    return rows


def links_between(whole: GraphMap, some: Sequence[MapCommunity]) -> list[CommunityLinks]:
    """The links between these communities, the most first."""
    home = {id: community.id for community in some for id in community.members}
    counts: Counter[tuple[UnifiedId, UnifiedId]] = Counter()
    for link in whole.links:
        ends = home.get(link.source), home.get(link.target)
        if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            counts[min(ends[0], ends[1]), max(ends[0], ends[1])] += 1
    return [CommunityLinks(*ends, links) for ends, links in sorted(counts.items(), key=_most_first)]


def _most_first(
    row: tuple[tuple[UnifiedId, UnifiedId], int],
) -> tuple[int, tuple[UnifiedId, UnifiedId]]:
    return -row[1], row[0]
