"""The causal graph: which memories lead to which, and how close they are. Pure; edges come through a port.

A walk follows links in both directions with different weights: from an effect to its cause, and from a
superseded memory to its successor, counts more than the way back. Only memories in use are visited, so
a link never returns a retired memory.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import NamedTuple, Protocol

from recollect.ids import UnifiedId, as_memory
from recollect.records.links import MEANINGS
from recollect.records.record import LinkType, Memory

HOPS = 2  # memories that are further away have little to do with the start
SEEDS = 10  # hits that the walk starts from
BEAM = 30  # best memories of the first hop that the walk continues from
MOST = 10  # hits of this graph
FAN = 20  # links of one memory, of each type and direction; a link of a hub says little
DECAY = 0.5  # factor of the score at each hop
BACK, FORTH, ACROSS = 1.0, 0.5, 0.5  # to a reason, to an effect, to a contradiction
TO_SUCCESSOR, TO_REPLACED = 1.0, 0.25


class Edge(NamedTuple):
    """One link, read from the memory that holds it: `source` is that memory."""

    source: UnifiedId
    type: LinkType
    target: UnifiedId
    evidence: str | None = None

    @property
    def reason(self) -> UnifiedId | None:
        """The end that explains the other; None when neither does."""
        end = MEANINGS[self.type].reason
        return None if end is None else self.source if end == "holder" else self.target

    def other(self, end: UnifiedId) -> UnifiedId:
        """The end that is not `end`."""
        return self.target if end == self.source else self.source


@dataclass(frozen=True, slots=True)
class GraphNode:
    """The fields of a memory that graph listings and exports show."""

    id: UnifiedId
    title: str
    category: str
    status: str
    valid: bool


class Edges(Protocol):
    """The links of all memories in the index, including loops and links to missing memories."""

    def around(self, ids: Sequence[UnifiedId], hops: int, *, fan: int = FAN) -> Sequence[Edge]:
        """The links within `hops` of these ids: the nearest first, then by source, type and target.

        Of a memory with very many links, at most `fan` of each type and direction are read.
        """
        ...

    def all(self) -> Sequence[Edge]:
        """Every link, by source, type and target."""
        ...

    def nodes(self, now: str) -> Sequence[GraphNode]:
        """Every memory, by id, and whether it is valid at `now`."""
        ...

    def active(self, ids: Collection[UnifiedId]) -> frozenset[UnifiedId]:
        """Those of `ids` that name a memory in use: not retired, not archived, not missing."""
        ...


def edges_of(memories: Iterable[Memory]) -> list[Edge]:
    """The links that these memories hold."""
    return [
        Edge(memory.unified_id, link.type, link.target, link.evidence)
        for memory in memories
        for link in memory.links
    ]


@dataclass(frozen=True, slots=True)
class CausalSearch:
    """Finds the memories that are linked to the hits of other channels."""

    edges: Edges

    def search(
        self, seeds: Sequence[tuple[UnifiedId, float]], limit: int = MOST
    ) -> Sequence[tuple[UnifiedId, float]]:
        """The memories that links lead to from `seeds`, best first; ties by id.

        A memory gets from each seed the seed's score times the weight of the best path. A seed may be
        reached from another seed, not from itself. The more links a memory has, the less each counts; only
        the best memories of the first hop are expanded further.
        """
        best = [(id, score) for id, score in seeds if as_memory(id) is not None][:SEEDS]
        steps = self._steps([id for id, _ in best])
        first_hop = _ranked(best, steps)
        steps |= self._steps([id for id, _ in first_hop[:BEAM] if id not in steps])
        return _ranked(best, steps)[:limit]

    def _steps(self, ids: Sequence[UnifiedId]) -> dict[UnifiedId, dict[UnifiedId, float]]:
        """The neighbours of each id, with the factor of the score on that step."""
        steps: dict[UnifiedId, dict[UnifiedId, float]] = {id: {} for id in ids}
        for source, type, target, _ in walkable(self.edges, ids, 1):
            to_target, to_source = WEIGHTS[type]
            for here, there, weight in ((source, target, to_target), (target, source, to_source)):
                leads = steps.get(here)
                if leads is not None and weight > leads.get(there, 0.0):
                    leads[there] = weight
        return {
            here: {id: DECAY * weight / log2(1 + len(leads)) for id, weight in leads.items()}
            for here, leads in steps.items()
        }


def _ranked(
    seeds: Sequence[tuple[UnifiedId, float]], steps: Mapping[UnifiedId, Mapping[UnifiedId, float]]
) -> list[tuple[UnifiedId, float]]:
    """The memories that `steps` reach from `seeds`, best first; ties by id."""
    scores: dict[UnifiedId, float] = {}
    for seed, score in seeds:
        for id, share in _spread(seed, steps).items():
            scores[id] = scores.get(id, 0.0) + score * share
    return sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))


def walkable(edges: Edges, ids: Sequence[UnifiedId], hops: int) -> list[Edge]:
    """The links within `hops` of `ids` that a walk may follow: both ends are memories in use."""
    return _between_active(edges.around(ids, hops) if ids else (), edges)


def in_use(edges: Edges) -> list[Edge]:
    """Every link between two memories that are both in use."""
    return _between_active(edges.all(), edges)


def _between_active(some: Sequence[Edge], edges: Edges) -> list[Edge]:
    active = edges.active({end for edge in some for end in (edge.source, edge.target)})
    return [
        edge
        for edge in some
        if edge.source != edge.target and edge.source in active and edge.target in active
    ]


def _weights(type: LinkType) -> tuple[float, float]:
    """How much a step along a link counts: to its target, and to its holder."""
    if type is LinkType.SUPERSEDES:
        return TO_REPLACED, TO_SUCCESSOR
    match MEANINGS[type].reason:
        case "target":
            return BACK, FORTH
        case "holder":
            return FORTH, BACK
        case None:
            return ACROSS, ACROSS


WEIGHTS = {type: _weights(type) for type in LinkType}


def _spread(
    seed: UnifiedId, steps: Mapping[UnifiedId, Mapping[UnifiedId, float]]
) -> dict[UnifiedId, float]:
    """The share of a seed's score that each reachable memory gets, by the best path."""
    shares: dict[UnifiedId, float] = {}
    front = {seed: 1.0}
    for _ in range(HOPS):
        reached: dict[UnifiedId, float] = {}
        for here, share in front.items():
            for there, factor in steps.get(here, {}).items():
                if there != seed:
                    reached[there] = max(reached.get(there, 0.0), share * factor)
        for id, share in reached.items():
            shares[id] = max(shares.get(id, 0.0), share)
        front = reached
    return shares


def hops_from(ids: Collection[UnifiedId], edges: Edges) -> Mapping[UnifiedId, int]:
    """The distance in links, 1 or 2, of each memory around `ids`, without `ids` themselves.

    Links do not lead from a memory to the one it superseded, because that one is no longer valid.
    """
    leads: dict[UnifiedId, set[UnifiedId]] = {}
    for edge in walkable(edges, sorted(ids), HOPS):
        leads.setdefault(edge.target, set()).add(edge.source)
        if edge.type is not LinkType.SUPERSEDES:
            leads.setdefault(edge.source, set()).add(edge.target)
    distances: dict[UnifiedId, int] = dict.fromkeys(ids, 0)
    front = set(ids)
    for hops in range(1, HOPS + 1):
        front = {there for here in front for there in leads.get(here, ())} - distances.keys()
        distances |= dict.fromkeys(sorted(front), hops)
    return {id: hops for id, hops in distances.items() if hops}
