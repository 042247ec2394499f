"""Explain a memory: follow its links back to its reasons, with the evidence of each link. Pure.

The answer is history, so it includes retired and superseded memories and marks them.
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

    `seen` says whether `there` is visited for the first time, again, or again because links lead from it
    back to `here`.
    """

    edge: Edge
    here: UnifiedId
    there: UnifiedId
    depth: int
    seen: Seen = "first"

    @property
    def relation(self) -> str:
        """How `here` relates to `there`: `derived from`, `caused by`, `led to`."""
        meaning = MEANINGS[self.edge.type]
        return meaning.back if self.there == self.edge.reason else meaning.forth


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a memory comes from: a session, a file, code or a commit."""

    kind: Literal["session", "file", "code", "commit"]
    where: str


@dataclass(frozen=True, slots=True)
class Why:
    """The explanation of a memory. `known` has every memory that it names, except deleted ones."""

    memory: Memory
    steps: tuple[WhyStep, ...]
    successors: tuple[Edge, ...]
    contradictions: tuple[Edge, ...]
    known: Mapping[UnifiedId, Memory]
    more: bool

    @property
    def circular(self) -> bool:
        """Whether some reason leads back to itself."""
        return any(step.seen == "circle" for step in self.steps)


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """The answer to a question. `others` are further memories that the question may mean.

    `commits` are those that the evidence names and git knows: the hash, and its date and subject.
    """

    why: Why
    others: tuple[UnifiedId, ...] = ()
    commits: tuple[tuple[str, str], ...] = ()


def explain(memory: Memory, edges: Edges, find: Find, depth: int = DEPTH) -> Why:
    """The reasons for a memory, its successors and its contradictions."""
    steps, more = walk(memory.unified_id, edges, min(max(depth, 1), DEEPEST))
    after = successors(memory.unified_id, edges)
    against = contradictions(memory.unified_id, edges)
    ids = {step.there for step in steps}
    ids |= {end for edge in (*after, *against) for end in (edge.source, edge.target)}
    named = {id: memory if id == memory.unified_id else find(id) for id in sorted(ids)}
    known = {id: other for id, other in named.items() if other is not None}
    return Why(memory, tuple(steps), tuple(after), tuple(against), known, more)


def walk(
    start: UnifiedId, edges: Edges, depth: int, *, forth: bool = False
) -> tuple[list[WhyStep], bool]:
    """The reasons of `start`, or with `forth` its effects; and whether there are more.

    Nearest first. Each memory is expanded once, so the walk ends even if links form circles.
    """
    steps: list[WhyStep] = []
    visited, front = {start}, [start]
    for distance in range(1, depth + 1):
        next_to = _next_to(front, edges, forth=forth)
        reached: list[UnifiedId] = []
        for here in front:
            for edge in next_to.get(here, ()):
                if len(steps) >= MOST_STEPS:
                    return _circles(steps), True
                there = edge.other(here)
                seen: Seen = "again" if there in visited else "first"
                steps.append(WhyStep(edge, here, there, distance, seen))
                if there not in visited:
                    visited.add(there)
                    reached.append(there)
        front = reached
    return _circles(steps), bool(_next_to(front, edges, forth=forth))


def _next_to(front: Sequence[UnifiedId], edges: Edges, *, forth: bool) -> dict[UnifiedId, list[Edge]]:
    """For each of `front`, the links to its reasons, or with `forth` to its effects; its own links first."""
    links: dict[UnifiedId, list[Edge]] = {}
    for edge in edges.around(front, 1, fan=MOST_STEPS + 2) if front else ():
        if edge.reason is None or edge.source == edge.target:
            continue
        here = edge.reason if forth else edge.other(edge.reason)
        links.setdefault(here, []).append(edge)
    for here, own in links.items():
        own.sort(key=lambda edge, here=here: (edge.source != here, edge.type, edge.other(here)))  # type: ignore[misc]
    return {here: links[here] for here in front if here in links}


def _circles(steps: list[WhyStep]) -> list[WhyStep]:
    """The steps; those whose end leads back to their start are marked as circles."""
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
    reached, pending = {start}, [start]
    while pending:
        for there in leads.get(pending.pop(), ()):
            if there not in reached:
                reached.add(there)
                pending.append(there)
    return reached


def successors(id: UnifiedId, edges: Edges) -> list[Edge]:
    """The chain of memories that superseded this one, up to the current one; each once."""
    chain: list[Edge] = []
    visited, front = {id}, [id]
    while front and len(chain) < _MOST_SUCCESSORS:
        around = edges.around(front, 1)
        after = [edge for edge in around if edge.type is LinkType.SUPERSEDES and edge.target in front]
        fresh = [edge for edge in after if edge.source not in visited]
        chain += fresh
        visited |= {edge.source for edge in fresh}
        front = [edge.source for edge in fresh]
    return chain[:_MOST_SUCCESSORS]


def since(edge: Edge, known: Mapping[UnifiedId, Memory]) -> datetime | None:
    """When a supersession took effect: the end of the older validity, else the start of the newer."""
    older, newer = known.get(edge.target), known.get(edge.source)
    if older is not None and older.valid_to is not None:
        return older.valid_to
    return newer.valid_from if newer is not None else None


def contradictions(id: UnifiedId, edges: Edges) -> list[Edge]:
    """The links by which a memory contradicts another, or another contradicts it."""
    around = edges.around([id], 1)
    return [edge for edge in around if edge.type is LinkType.CONTRADICTS and edge.source != edge.target]


def grounds(memory: Memory) -> list[Ground]:
    """Where a memory comes from, as far as its record says."""
    source = memory.source
    origins: list[Ground] = []
    if session := source.get("session"):
        line = f", line {source['line']}" if isinstance(source.get("line"), int) else ""
        origins.append(Ground("session", f"{session}{line}"))
    if origin := source.get("origin"):
        origins.append(Ground("file", str(origin)))
    for anchor in memory.anchors:
        lines = f":{anchor.lines[0]}-{anchor.lines[1]}" if anchor.lines else ""
        at = f" at {anchor.commit[:12]}" if anchor.commit else ""
        origins.append(Ground("code", f"{anchor.path}{lines}{at}"))
    return origins


def commits(texts: Iterable[str | None]) -> list[str]:
    """The strings in some evidence that look like commit hashes, each once."""
    return list(dict.fromkeys(hash for text in texts if text for hash in _COMMIT.findall(text)))
