"""A look at the whole graph: how much there is, what hangs loose, what goes in circles. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.graph.algorithms import Network, reasons
from recollect.graph.causal import Edge, GraphNode
from recollect.ids import UnifiedId, as_memory
from recollect.records.record import LinkType


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is. `retired` are links from a memory in use to one that is not."""

    memories: int
    links: int
    by_type: Mapping[str, int]
    orphans: tuple[GraphNode, ...]
    dangling: tuple[Edge, ...]
    loops: tuple[Edge, ...]
    retired: tuple[Edge, ...]
    circles: tuple[tuple[UnifiedId, ...], ...]


def survey(nodes: Sequence[GraphNode], edges: Sequence[Edge]) -> Survey:
    """Count the links, and find those that lead nowhere, to themselves, out of use or in a circle.

    A memory in use that no link starts from or leads to is an orphan.
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
    """What others rest on and what rests on nothing itself, what most rests on first; then by id."""
    told = [(edge, edge.reason) for edge in edges if edge.source != edge.target]
    explained = {edge.other(reason) for edge, reason in told if reason is not None}
    counts = Counter(reason for _, reason in told if reason is not None)
    free = [id for id in counts if id not in explained]
    return sorted(free, key=lambda id: (-counts[id], id))


def communities(edges: Sequence[Edge]) -> list[tuple[UnifiedId, ...]]:
    """Memories that belong together by their links, whatever these say; the largest group first."""
    return Network.of((edge.source, edge.target, 1.0) for edge in edges).communities()
