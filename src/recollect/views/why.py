"""Why something is so: the links that led to a memory, and what became of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from recollect import clock
from recollect.graph.causal import Edge
from recollect.graph.why import Why, WhyAnswer, WhyStep, grounds, since
from recollect.ids import UnifiedId
from recollect.records.display import one_line
from recollect.records.in_force import Force, force_of
from recollect.records.links import successors
from recollect.records.record import Memory, Status
from recollect.views.edges import EdgeRow, edge_row, short_id, tool_edge


class GroundRow(TypedDict):
    """Where something can be looked up: `kind` is session, file or code."""

    kind: str
    where: str


def ground_rows(memory: Memory) -> list[GroundRow]:
    """Where a memory comes from, for `--json`."""
    return [{"kind": ground.kind, "where": ground.where} for ground in grounds(memory)]


def _tool_grounds(memory: Memory) -> list[GroundRow]:
    return [{"kind": ground.kind, "where": one_line(ground.where)} for ground in grounds(memory)]


class StepRow(EdgeRow):
    """One link of a walk. It leads to `there`, `depth` links from the start; `says` is read towards it.

    `seen` is first, again or circle. A missing memory and a skill have no title.
    """

    there: str
    says: str
    depth: int
    seen: str
    title: NotRequired[str]
    category: NotRequired[str]
    status: NotRequired[str]
    valid_to: NotRequired[str]
    not_in_force: NotRequired[str]
    grounds: NotRequired[list[GroundRow]]


ToolStep = TypedDict(
    "ToolStep",
    {
        "from": str,
        "type": str,
        "to": str,
        "reason": NotRequired[str],
        "title": NotRequired[str],
        "evidence": NotRequired[str],
        "depth": NotRequired[int],
    },
)
ToolStep.__doc__ = (
    """A link of `memory_why`; also seen, status, validity, valid_to, not_in_force, grounds."""
)


def step_row(step: WhyStep, known: Mapping[UnifiedId, Memory], now: datetime) -> StepRow:
    """One link of `recollect why` or `recollect graph tree`."""
    row: StepRow = {
        "source": short_id(step.edge.source),
        "type": step.edge.type.value,
        "target": short_id(step.edge.target),
        "evidence": step.edge.evidence,
        "there": short_id(step.there),
        "says": step.relation,
        "depth": step.depth,
        "seen": step.seen,
    }
    if (memory := known.get(step.there)) is not None:
        row["title"] = memory.title
        row["category"] = memory.category.value
        row["status"] = memory.status.value
        row["grounds"] = ground_rows(memory)
        if memory.valid_to is not None:
            row["valid_to"] = clock.to_text(memory.valid_to)
        if reason := force_of(memory).reason(now):
            row["not_in_force"] = reason
    return row


def tool_step(step: WhyStep, why: Why, now: datetime) -> dict[str, Any]:
    """One link of `memory_why`."""
    row: dict[str, Any] = {
        **tool_edge(step.edge),
        "reason": short_id(step.there),
        "depth": step.depth,
    }
    if step.seen != "first":
        row["seen"] = step.seen
    if (reason := why.known.get(step.there)) is None:
        return row
    row["title"] = one_line(reason.title)
    if reason.valid_to is not None:
        row["valid_to"] = clock.to_text(reason.valid_to)
    if limit := reason.validity.limit(now):
        row["validity"] = limit
    if not_in_force := force_of(reason).reason(now):
        row["not_in_force"] = not_in_force
    if reason.status is not Status.ACTIVE:
        row["status"] = reason.status.value
    if step.seen == "first" and (rows := _tool_grounds(reason)):
        row["grounds"] = rows
    return row


class SuccessorRow(TypedDict):
    """What superseded `of`, and since when."""

    id: str
    of: str
    title: str | None
    at: str | None
    evidence: str | None


def successor_row(edge: Edge, why: Why) -> SuccessorRow:
    """What superseded a memory, for `--json`."""
    newer, moment = why.known.get(edge.source), since(edge, why.known)
    return {
        "id": short_id(edge.source),
        "of": short_id(edge.target),
        "title": newer.title if newer else None,
        "at": clock.to_text(moment) if moment else None,
        "evidence": edge.evidence,
    }


def _tool_successor(edge: Edge, why: Why) -> dict[str, Any]:
    """What superseded a memory, without what is unknown; `of` only for a successor's successor."""
    row = {name: value for name, value in successor_row(edge, why).items() if value}
    if edge.target == why.memory.unified_id:
        del row["of"]
    texts = {name: one_line(str(row[name])) for name in ("title", "evidence") if name in row}
    return row | texts


class CommitRow(TypedDict):
    """A commit that some evidence names, and its date and subject."""

    commit: str
    says: str


class WhyOutput(TypedDict):
    """`recollect why`: the links back from a memory, the nearest first.

    `others` are the other hits for a question. `circular`: some memories explain each other. `more`: the
    walk was cut off.
    """

    id: str
    title: str
    category: str
    status: str
    valid_to: str | None
    in_force: bool
    not_in_force: NotRequired[str]
    grounds: list[GroundRow]
    steps: list[StepRow]
    superseded_by: list[SuccessorRow]
    contradictions: list[EdgeRow]
    commits: list[CommitRow]
    others: list[str]
    circular: bool
    more: bool


class ToolWhyOutput(TypedDict):
    """`memory_why`. It may also hold grounds, others and commits."""

    id: str
    title: str
    valid: bool
    not_in_force: NotRequired[str]
    steps: list[ToolStep]
    superseded_by: NotRequired[list[dict[str, Any]]]
    contradictions: NotRequired[list[dict[str, Any]]]
    more: NotRequired[bool]


def force_of_why(why: Why) -> Force:
    """What decides whether the memory that is explained is in force."""
    edges = [edge for edge in why.successors if edge.target == why.memory.unified_id]
    newer = [why.known[edge.source] for edge in edges if edge.source in why.known]
    return force_of(why.memory, successors(newer).get(why.memory.id, ()))


def why_output(explained: WhyAnswer, now: datetime) -> WhyOutput:
    """The answer of `recollect why`."""
    why, memory = explained.why, explained.why.memory
    force = force_of_why(why)
    out: WhyOutput = {
        "id": memory.id,
        "title": memory.title,
        "category": memory.category.value,
        "status": memory.status.value,
        "valid_to": clock.to_text(memory.valid_to) if memory.valid_to else None,
        "in_force": force.is_in_force(now),
        "grounds": ground_rows(memory),
        "steps": [step_row(step, why.known, now) for step in why.steps],
        "superseded_by": [successor_row(edge, why) for edge in why.successors],
        "contradictions": [edge_row(edge) for edge in why.contradictions],
        "commits": [{"commit": commit, "says": says} for commit, says in explained.commits],
        "others": [short_id(id) for id in explained.others],
        "circular": why.circular,
        "more": why.more,
    }
    if reason := force.reason(now):
        out["not_in_force"] = reason
    return out


def tool_why_output(
    explained: WhyAnswer, steps: Sequence[Mapping[str, Any]], now: datetime
) -> dict[str, Any]:
    """The answer of `memory_why` with those steps that fit; what is empty is left out."""
    why, force = explained.why, force_of_why(explained.why)
    out: dict[str, Any] = {
        "id": why.memory.id,
        "title": one_line(why.memory.title),
        "valid": force.is_in_force(now),
        "steps": list(steps),
    }
    optional = {
        "not_in_force": force.reason(now),
        "more": why.more or len(steps) < len(why.steps),
        "superseded_by": [_tool_successor(edge, why) for edge in why.successors],
        "contradictions": [tool_edge(edge, _other_title(edge, why)) for edge in why.contradictions],
        "grounds": _tool_grounds(why.memory),
        "others": [short_id(id) for id in explained.others],
        "commits": {commit: one_line(text) for commit, text in explained.commits},
    }
    return out | {name: value for name, value in optional.items() if value}


def _other_title(edge: Edge, why: Why) -> str | None:
    other = why.known.get(edge.other(why.memory.unified_id))
    return other.title if other else None


class TreeRow(TypedDict):
    """What followed from one memory, the nearest first."""

    id: str
    title: str
    steps: list[StepRow]
    more: bool


class GraphTreeOutput(TypedDict):
    """`recollect graph tree`: from one memory, or from each that nothing led to."""

    trees: list[TreeRow]


def tree_row(
    root: Memory,
    steps: Sequence[WhyStep],
    known: Mapping[UnifiedId, Memory],
    now: datetime,
    *,
    more: bool,
) -> TreeRow:
    """What followed from `root`."""
    rows = [step_row(step, known, now) for step in steps]
    return {"id": root.id, "title": root.title, "steps": rows, "more": more}
