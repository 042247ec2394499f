"""The causal graph: which memories lead to which, and how near they are. Pure; edges come through a port.

A walk may go either way along a link, but not with the same weight: who asks about an effect wants its
cause, and who finds what was replaced wants what replaced it. Only memories in use are walked to or
through, so a link never brings back what was retired.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import NamedTuple, Protocol

from recollect.ids import UnifiedId, as_memory
from recollect.records.links import MEANINGS
from recollect.records.record import LinkType, Memory

HOPS = 2  # beyond that, what is reached has little to do with where the walk began
SEEDS = 10  # of the hits that a search begins from
BEAM = 30  # of what is one hop away, how many are walked on from: the best
MOST = 10  # hits of this graph
FAN = 20  # links of one memory, of each type and direction: more tell nothing about any one of them
DECAY = 0.5  # of the score, at each hop
BACK, FORTH, ACROSS = 1.0, 0.5, 0.5  # to a reason, to what follows from it, to what contradicts
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
    """What a picture of the graph shows of a memory."""

    id: UnifiedId
    title: str
    category: str
    status: str
    valid: bool


class Edges(Protocol):
    """The links of all memories, as the index mirrors them. Loops and loose ends are there too."""

    def around(self, ids: Sequence[UnifiedId], hops: int, *, fan: int = FAN) -> Sequence[Edge]:
        """The links within `hops` of these ids: the nearest first, then by source, type and target.

        A hub is never read whole: of a memory with very many, `fan` of each type and direction.
        """
        ...

    def all(self) -> Sequence[Edge]:
        """Every link, by source, type and target."""
        ...

    def nodes(self, now: str) -> Sequence[GraphNode]:
        """Every memory, by id, valid if it holds now."""
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
    """Finds what is linked to what was found."""

    edges: Edges

    def search(
        self, seeds: Sequence[tuple[UnifiedId, float]], limit: int = MOST
    ) -> Sequence[tuple[UnifiedId, float]]:
        """The memories that links lead to from `seeds`, best first; equal ones by id.

        A memory gets, from each seed, its score times what the best way there leaves of it; a seed may be
        reached from another one, never from itself. The more links leave a memory, the less each counts;
        of what is one hop away, only the best are walked on from.
        """
        best = [(id, score) for id, score in seeds if as_memory(id) is not None][:SEEDS]
        steps = self._steps([id for id, _ in best])
        near = _ranked(best, steps)
        steps |= self._steps([id for id, _ in near[:BEAM] if id not in steps])
        return _ranked(best, steps)[:limit]

    def _steps(self, ids: Sequence[UnifiedId]) -> dict[UnifiedId, dict[UnifiedId, float]]:
        """Where each of these leads, and what is left of a score on the way."""
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
    """What is reached from `seeds` by these steps, best first; equal ones by id."""
    found: dict[UnifiedId, float] = {}
    for seed, score in seeds:
        for id, share in _spread(seed, steps).items():
            found[id] = found.get(id, 0.0) + score * share
    return sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))


def walkable(edges: Edges, ids: Sequence[UnifiedId], hops: int) -> list[Edge]:
    """The links near `ids` that a walk may follow: between two memories, both in use."""
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
    """What is left of a seed's score at each memory within reach, by the best way there."""
    found: dict[UnifiedId, float] = {}
    front = {seed: 1.0}
    for _ in range(HOPS):
        reached: dict[UnifiedId, float] = {}
        for here, left in front.items():
            for there, share in steps.get(here, {}).items():
                if there != seed:
                    reached[there] = max(reached.get(there, 0.0), left * share)
        for id, left in reached.items():
            found[id] = max(found.get(id, 0.0), left)
        front = reached
    return found


def hops_from(ids: Collection[UnifiedId], edges: Edges) -> Mapping[UnifiedId, int]:
    """How many links each memory near `ids` is away: 1 or 2; `ids` themselves are left out.

    What something in attention replaced is not near it: it no longer holds.
    """
    leads: dict[UnifiedId, set[UnifiedId]] = {}
    for edge in walkable(edges, sorted(ids), HOPS):
        leads.setdefault(edge.target, set()).add(edge.source)
        if edge.type is not LinkType.SUPERSEDES:
            leads.setdefault(edge.source, set()).add(edge.target)
    found: dict[UnifiedId, int] = dict.fromkeys(ids, 0)
    front = set(ids)
    for hops in range(1, HOPS + 1):
        front = {there for here in front for there in leads.get(here, ())} - found.keys()
        found |= dict.fromkeys(sorted(front), hops)
    return {id: hops for id, hops in found.items() if hops}
