"""Statistics of the graph: counts, orphans, broken links, circles. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.graph.algorithms import Network, reasons
from recollect.graph.causal import Edge, GraphNode
from recollect.ids import UnifiedId, as_memory
from recollect.records.record import LinkType


@dataclass(frozen=True, slots=True)
class Survey:
    """Statistics of a graph. `retired` are links from a memory in use to one that is not."""

    memories: int
    links: int
    by_type: Mapping[str, int]
    orphans: tuple[GraphNode, ...]
    dangling: tuple[Edge, ...]
    loops: tuple[Edge, ...]
    retired: tuple[Edge, ...]
    circles: tuple[tuple[UnifiedId, ...], ...]


def survey(nodes: Sequence[GraphNode], edges: Sequence[Edge]) -> Survey:
    """Count the links; find broken ones, loops, links to retired memories, and circles.

    A memory in use without any link is an orphan.
    """
    known = {node.id: node for node in nodes}
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    counts = Counter(edge.type.value for edge in edges)
    return Survey(
        len(nodes),
        len(edges),
        {type.value: counts[type.value] for type in LinkType},
        tuple(node for node in nodes if node.status == "active" and node.id not in ends),
        tuple(edge for edge in edges if as_memory(edge.target) and edge.target not in known),
        tuple(edge for edge in edges if edge.source == edge.target),
        tuple(edge for edge in edges if _leaves_use(edge, known)),
        tuple(Network.of(reasons(edges)).circles()),
    )


def _leaves_use(edge: Edge, known: Mapping[UnifiedId, GraphNode]) -> bool:
    source, target = known.get(edge.source), known.get(edge.target)
    return bool(source and target and source.status == "active" != target.status)


def roots(edges: Sequence[Edge]) -> list[UnifiedId]:
    """Reasons that have no reason themselves; those with most effects first, then by id."""
    pairs = [(edge, edge.reason) for edge in edges if edge.source != edge.target]
    explained = {edge.other(reason) for edge, reason in pairs if reason is not None}
    counts = Counter(reason for _, reason in pairs if reason is not None)
    unexplained = [id for id in counts if id not in explained]
    return sorted(unexplained, key=lambda id: (-counts[id], id))


def communities(edges: Sequence[Edge]) -> list[tuple[UnifiedId, ...]]:
    """Groups of memories that are closely linked, by links of any type; the largest group first."""
    return Network.of((edge.source, edge.target, 1.0) for edge in edges).communities()
