"""Why is this so? The links of a memory, walked back to what led to it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from recollect.app import Recollect
from recollect.ids import UnifiedId
from recollect.records.record import LinkType, Memory
from recollect.records.store import Progress

DEPTH, DEEPEST = 3, 10
MOST_STEPS = 200

# A link is read from the memory that holds it: these lead back from the holder to the target,
_BACK = (LinkType.DERIVED_FROM, LinkType.SUPERSEDES)
# and these from the target to the holder.
_FORTH = (LinkType.CAUSED, LinkType.ENABLED, LinkType.SUPPORTS)


@dataclass(frozen=True, slots=True)
class Edge:
    """One link between two memories, or a memory and a skill."""

    source: UnifiedId
    type: LinkType
    target: UnifiedId
    evidence: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """An edge on the way back; `reason` is its end that explains the other, `depth` how far away."""

    edge: Edge
    reason: UnifiedId
    depth: int


@dataclass(frozen=True, slots=True)
class Successor:
    """What superseded a memory, and when that began to hold."""

    memory: Memory
    at: datetime
    evidence: str | None


def everything(recollect: Recollect, progress: Progress) -> dict[UnifiedId, Memory]:
    """Every memory by its id, the project's before the user's."""
    found: dict[UnifiedId, Memory] = {}
    for memories in (recollect.memories, recollect.user_memories):
        for stored in memories.scan(progress).stored:
            found.setdefault(stored.memory.unified_id, stored.memory)
    return found


def edges_of(memories: Iterable[Memory]) -> list[Edge]:
    """Every link there is."""
    return [
        Edge(memory.unified_id, link.type, link.target, link.evidence)
        for memory in memories
        for link in memory.links
    ]


def walk(start: UnifiedId, edges: Iterable[Edge], depth: int) -> tuple[list[Step], bool]:
    """What led to `start`, nearest first, each memory visited once; and whether there is more."""
    known = list(edges)
    steps: list[Step] = []
    seen, front = {start}, [start]
    for distance in range(1, depth + 1):
        reached: list[UnifiedId] = []
        for here in front:
            for edge, reason in _behind(here, known):
                if len(steps) >= MOST_STEPS:
                    return steps, True
                steps.append(Step(edge, reason, distance))
                if reason not in seen:
                    seen.add(reason)
                    reached.append(reason)
        front = reached
    return steps, any(_behind(here, known) for here in front)


def _behind(here: UnifiedId, edges: list[Edge]) -> list[tuple[Edge, UnifiedId]]:
    """The edges that explain `here`, with their other end."""
    back = [(edge, edge.target) for edge in edges if edge.source == here and edge.type in _BACK]
    forth = [(edge, edge.source) for edge in edges if edge.target == here and edge.type in _FORTH]
    return back + forth


def contradictions(id: UnifiedId, edges: Iterable[Edge]) -> list[Edge]:
    """What speaks against a memory, and what it speaks against."""
    return [
        edge for edge in edges if edge.type is LinkType.CONTRADICTS and id in (edge.source, edge.target)
    ]


def successors(id: UnifiedId, memories: Mapping[UnifiedId, Memory]) -> list[Successor]:
    """What superseded a memory, the earliest first."""
    found = [
        Successor(memory, memory.valid_from, link.evidence)
        for memory in memories.values()
        for link in memory.links
        if link.type is LinkType.SUPERSEDES and link.target == id
    ]
    return sorted(found, key=lambda one: (one.at, one.memory.id))
