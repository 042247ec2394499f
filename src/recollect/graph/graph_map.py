"""Both graphs as one map, and the parts of it that fit on a screen. Pure.

A map has memories, skills and their links of any type; a link's end that does not exist is a node too.
However large the map is, a part of it has a bounded number of nodes, the most linked first.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from recollect.graph.causal import Edge
from recollect.graph.skills import SkillGraph, SkillNode
from recollect.ids import UnifiedId
from recollect.records.record import LinkType

MOST_NODES = 150  # of a part: more are no picture that a person can read
MOST_STARTS = 40
FAN = 40  # neighbours of one start: a hub leaves room for the others

NodeState = Literal["in_force", "ended", "not_yet"]


@dataclass(frozen=True, slots=True)
class MapNode:
    """A memory, a skill, or the missing end of a link.

    `kind` is the category of a memory, "skill" or "missing". It was in force from `begins` until `ends`;
    a skill has neither.
    """

    id: UnifiedId
    title: str
    kind: str
    status: str = ""
    begins: str = ""
    ends: str | None = None

    def state(self, at: str) -> NodeState:
        """What it was at a moment."""
        if self.begins > at:
            return "not_yet"
        return (
            "ended"
            if self.kind == "missing" or (self.ends is not None and self.ends <= at)
            else "in_force"
        )


class MapLink(NamedTuple):
    """A link of any type; `source` is the end that states it."""

    source: UnifiedId
    type: str
    target: UnifiedId
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class GraphMap:
    """Every node and link. Links from a node to itself are left out."""

    nodes: Mapping[UnifiedId, MapNode]
    links: tuple[MapLink, ...]
    neighbours: Mapping[UnifiedId, frozenset[UnifiedId]]

    def degree(self, id: UnifiedId) -> int:
        """How many other nodes a node is linked to."""
        return len(self.neighbours.get(id, ()))

    def find(self, text: str) -> MapNode | None:
        """The node of an id; a memory's may lack its prefix."""
        return self.nodes.get(UnifiedId(text)) or self.nodes.get(UnifiedId(f"mem:{text}"))

    def by_links(self, ids: Iterable[UnifiedId]) -> list[UnifiedId]:
        """These ids, the most linked first, then by id."""
        return sorted(ids, key=lambda id: (-self.degree(id), id))


@dataclass(frozen=True, slots=True)
class MapPart:
    """Some nodes, and every link between them."""

    nodes: tuple[MapNode, ...]
    links: tuple[MapLink, ...]


def joined(nodes: Iterable[MapNode], edges: Iterable[Edge], skills: SkillGraph) -> GraphMap:
    """The map of these memories, their links, and the skills."""
    links = [*_memory_links(edges, skills), *_skill_links(skills)]
    known = {node.id: node for node in nodes}
    known |= {id: MapNode(id, _title(page), "skill") for id, page in skills.nodes.items()}
    for id in sorted({end for link in links for end in (link.source, link.target)} - known.keys()):
        known[id] = MapNode(id, "", "missing")
    neighbours: dict[UnifiedId, set[UnifiedId]] = defaultdict(set)
    for link in links:
        neighbours[link.source].add(link.target)
        neighbours[link.target].add(link.source)
    return GraphMap(known, tuple(links), {id: frozenset(ids) for id, ids in neighbours.items()})


def _title(page: SkillNode) -> str:
    return page.title or page.name


def _memory_links(edges: Iterable[Edge], skills: SkillGraph) -> Iterable[MapLink]:
    for edge in edges:
        target = edge.target
        if edge.type is LinkType.IMPLEMENTS and (page := skills.find(target)):
            target = page.id
        if edge.source != target:
            yield MapLink(edge.source, edge.type.value, target, edge.evidence)


def _skill_links(skills: SkillGraph) -> Iterable[MapLink]:
    for edge in skills.edges:
        yield MapLink(edge.source, edge.type.value, edge.target)
    for crossing in skills.crossing:
        yield MapLink(crossing.source, crossing.type.value, crossing.target)


def part_of(whole: GraphMap, ids: Iterable[UnifiedId], most: int = MOST_NODES) -> MapPart:
    """The first of these ids, and every link between them."""
    chosen = list(dict.fromkeys(ids))[:most]
    among = frozenset(chosen)
    links = tuple(link for link in whole.links if link.source in among and link.target in among)
    return MapPart(tuple(whole.nodes[id] for id in chosen), links)


def neighbourhood(
    whole: GraphMap,
    starts: Sequence[UnifiedId],
    also: Sequence[UnifiedId] = (),
    most: int = MOST_NODES,
) -> MapPart:
    """The starts, what is wanted beside them, and then the neighbours of the starts in turn."""
    starts = starts[:MOST_STARTS]
    fans = [whole.by_links(whole.neighbours.get(start, ()))[:FAN] for start in starts]
    ranked = [id for rank in range(FAN) for fan in fans for id in fan[rank : rank + 1]]
    return part_of(whole, [*starts, *also, *ranked], most)


def matches(whole: GraphMap, text: str, most: int) -> list[MapNode]:
    """The nodes whose title or id contains every word, the most linked first."""
    words = text.casefold().split()
    ids = [
        id
        for id, node in whole.nodes.items()
        if words and all(word in f"{node.title} {id}".casefold() for word in words)
    ]
    return [whole.nodes[id] for id in whole.by_links(ids)[:most]]
