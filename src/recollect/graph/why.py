"""Why is it like this? The links of a memory, walked back to what led to it, with the evidence of each.

Pure. It is history that is asked for, so what was retired or superseded since is told too, as such.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from recollect.graph.causal import Edge, Edges
from recollect.ids import UnifiedId
from recollect.records.links import MEANINGS
from recollect.records.record import LinkType, Memory

DEPTH, DEEPEST = 3, 10
MOST_STEPS = 200
_MOST_SUCCESSORS = 10
_COMMIT = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")

Find = Callable[[UnifiedId], Memory | None]
Seen = Literal["first", "again", "circle"]


@dataclass(frozen=True, slots=True)
class WhyStep:
    """One link of a walk, from `here` to `there`; `depth` is how far `there` is from the start.

    `seen` says whether `there` is told for the first time, again, or again because a way of links leads
    from it back to `here`.
    """

    edge: Edge
    here: UnifiedId
    there: UnifiedId
    depth: int
    seen: Seen = "first"

    @property
    def says(self) -> str:
        """What `here` is to `there`: `derived from`, `caused by`, `led to`."""
        meaning = MEANINGS[self.edge.type]
        return meaning.back if self.there == self.edge.reason else meaning.forth


@dataclass(frozen=True, slots=True)
class Ground:
    """Where something can be looked up: a session, a file it came from, code, or a commit."""

    kind: Literal["session", "file", "code", "commit"]
    where: str


@dataclass(frozen=True, slots=True)
class Why:
    """The answer. `known` holds every memory that is named in it; one that is missing is gone."""

    memory: Memory
    steps: tuple[WhyStep, ...]
    successors: tuple[Edge, ...]
    contradictions: tuple[Edge, ...]
    known: Mapping[UnifiedId, Memory]
    more: bool

    @property
    def circular(self) -> bool:
        """Whether some of it rests on itself."""
        return any(step.seen == "circle" for step in self.steps)


@dataclass(frozen=True, slots=True)
class Explained:
    """The answer to who asked. `others` are what else a question may have meant.

    `commits` are those that the evidence names and git knows: the hash, and its date and subject.
    """

    why: Why
    others: tuple[UnifiedId, ...] = ()
    commits: tuple[tuple[str, str], ...] = ()


def explain(memory: Memory, edges: Edges, find: Find, depth: int = DEPTH) -> Why:
    """What led to a memory, what replaced it and what speaks against it."""
    steps, more = walk(memory.unified_id, edges, min(max(depth, 1), DEEPEST))
    after = successors(memory.unified_id, edges)
    against = contradictions(memory.unified_id, edges)
    ids = {step.there for step in steps}
    ids |= {end for edge in (*after, *against) for end in (edge.source, edge.target)}
    found = {id: memory if id == memory.unified_id else find(id) for id in sorted(ids)}
    known = {id: one for id, one in found.items() if one is not None}
    return Why(memory, tuple(steps), tuple(after), tuple(against), known, more)


def walk(
    start: UnifiedId, edges: Edges, depth: int, *, forth: bool = False
) -> tuple[list[WhyStep], bool]:
    """What led to `start`, or with `forth` what followed from it; and whether there is more.

    Nearest first. Each memory is asked once, so the walk ends whatever the links.
    """
    steps: list[WhyStep] = []
    told, front = {start}, [start]
    for distance in range(1, depth + 1):
        next_to = _next_to(front, edges, forth=forth)
        reached: list[UnifiedId] = []
        for here in front:
            for edge in next_to.get(here, ()):
                if len(steps) >= MOST_STEPS:
                    return _circles(steps), True
                there = edge.other(here)
                steps.append(
                    WhyStep(edge, here, there, distance, "again" if there in told else "first")
                )
                if there not in told:
                    told.add(there)
                    reached.append(there)
        front = reached
    return _circles(steps), bool(_next_to(front, edges, forth=forth))


def _next_to(front: Sequence[UnifiedId], edges: Edges, *, forth: bool) -> dict[UnifiedId, list[Edge]]:
    """For each of `front` the links to its reasons, or to what it explains: its own before others'."""
    found: dict[UnifiedId, list[Edge]] = {}
    for edge in edges.around(front, 1, fan=MOST_STEPS + 2) if front else ():
        if edge.reason is None or edge.source == edge.target:
            continue
        here = edge.reason if forth else edge.other(edge.reason)
        found.setdefault(here, []).append(edge)
    for here, some in found.items():
        some.sort(key=lambda edge, here=here: (edge.source != here, edge.type, edge.other(here)))  # type: ignore[misc]
    return {here: found[here] for here in front if here in found}


def _circles(steps: list[WhyStep]) -> list[WhyStep]:
    """The steps, with those marked from whose end a way leads back to their beginning."""
    leads: dict[UnifiedId, set[UnifiedId]] = {}
    for step in steps:
        leads.setdefault(step.here, set()).add(step.there)
    return [
        replace(step, seen="circle")
        if step.seen == "again" and step.here in _reachable(step.there, leads)
        else step
        for step in steps
    ]


def _reachable(start: UnifiedId, leads: Mapping[UnifiedId, set[UnifiedId]]) -> set[UnifiedId]:
    found, trail = {start}, [start]
    while trail:
        for there in leads.get(trail.pop(), ()):
            if there not in found:
                found.add(there)
                trail.append(there)
    return found


def successors(id: UnifiedId, edges: Edges) -> list[Edge]:
    """What superseded a memory, and what superseded that, to the one that holds now; each once."""
    found: list[Edge] = []
    told, front = {id}, [id]
    while front and len(found) < _MOST_SUCCESSORS:
        near = edges.around(front, 1)
        after = [e for e in near if e.type is LinkType.SUPERSEDES and e.target in front]
        fresh = [edge for edge in after if edge.source not in told]
        found += fresh
        told |= {edge.source for edge in fresh}
        front = [edge.source for edge in fresh]
    return found[:_MOST_SUCCESSORS]


def since(edge: Edge, known: Mapping[UnifiedId, Memory]) -> datetime | None:
    """When a supersession took effect: where the older one's validity ends, else where the newer's begins."""
    older, newer = known.get(edge.target), known.get(edge.source)
    if older is not None and older.valid_to is not None:
        return older.valid_to
    return newer.valid_from if newer is not None else None


def contradictions(id: UnifiedId, edges: Edges) -> list[Edge]:
    """What speaks against a memory, and what it speaks against."""
    near = edges.around([id], 1)
    return [edge for edge in near if edge.type is LinkType.CONTRADICTS and edge.source != edge.target]


def grounds(memory: Memory) -> list[Ground]:
    """Where a memory itself comes from, as far as its record knows."""
    source = memory.source
    found: list[Ground] = []
    if session := source.get("session"):
        line = f", line {source['line']}" if isinstance(source.get("line"), int) else ""
        found.append(Ground("session", f"{session}{line}"))
    if origin := source.get("origin"):
        found.append(Ground("file", str(origin)))
    for anchor in memory.anchors:
        lines = f":{anchor.lines[0]}-{anchor.lines[1]}" if anchor.lines else ""
        at = f" at {anchor.commit[:12]}" if anchor.commit else ""
        found.append(Ground("code", f"{anchor.path}{lines}{at}"))
    return found


def commits(texts: Iterable[str | None]) -> list[str]:
    """What looks like the hash of a commit in some evidence, each once."""
    return list(dict.fromkeys(found for text in texts if text for found in _COMMIT.findall(text)))
