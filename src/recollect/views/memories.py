"""A memory: in a list, as a search hit, and in full."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from recollect.ids import as_skill
from recollect.records.anchors import AnchorState
from recollect.records.display import one_line
from recollect.records.in_force import Force
from recollect.records.store import Stored
from recollect.retrieval.documents import force_of_document
from recollect.retrieval.index import Document
from recollect.retrieval.request import SearchResult
from recollect.retrieval.snippet import snippet
from recollect.views.edges import SkillPageOutput
from recollect.views.past_sessions import PastHitRow

if TYPE_CHECKING:
    from recollect.retrieval.gate import GateVerdict
    from recollect.retrieval.search import Hit


class ForceRow(TypedDict):
    """Whether a memory is in force; `not_in_force` says why not, `superseded_by` names its successors."""

    in_force: bool
    superseded_by: list[str]
    not_in_force: NotRequired[str]


def force_row(force: "Force", now: "datetime") -> ForceRow:
    """Whether a memory is in force at `now`."""
    row: ForceRow = {
        "in_force": force.is_in_force(now),
        "superseded_by": list(force.superseded_by(now)),
    }
    if reason := force.reason(now):
        row["not_in_force"] = reason
    return row


class MemoryRow(ForceRow):
    """A memory in a list."""

    id: str
    title: str
    category: str
    path: str
    status: str
    tags: list[str]
    updated_at: str


class ToolMemoryRow(TypedDict):
    """A memory that a tool lists. `status` is present when it is not active."""

    id: str
    title: str
    category: str
    path: NotRequired[str]
    tags: NotRequired[list[str]]
    status: NotRequired[str]
    updated_at: NotRequired[str]
    score: NotRequired[float]
    snippet: NotRequired[str]
    body: NotRequired[str]
    links: NotRequired[Sequence[Mapping[str, Any]]]
    warnings: NotRequired[list[str]]


def memory_row(document: Document, now: datetime) -> MemoryRow:
    """A memory in `recollect list`."""
    return {
        "id": document.id.removeprefix("mem:"),
        "title": document.title,
        "category": document.category,
        "path": document.path,
        "status": document.status,
        "tags": list(document.tags),
        "updated_at": document.updated_at or document.created_at,
        **force_row(force_of_document(document), now),
    }


def tool_memory_row(document: Document) -> ToolMemoryRow:
    """A memory in the answer of any tool."""
    row: ToolMemoryRow = {
        "id": document.id.removeprefix("mem:"),
        "title": one_line(document.title),
        "category": document.category,
        "path": document.path,
        "tags": [one_line(tag) for tag in document.tags],
    }
    if moment := document.updated_at or document.created_at:  # a skill has neither
        row["updated_at"] = moment
    if document.status != "active":
        row["status"] = document.status
    return row


def tool_warnings(document: Document, now: datetime, *, drifted: bool, overdue: str = "") -> list[str]:
    """What an agent should know before it relies on a memory. `overdue` says that it is past its days."""
    warnings = []
    force = force_of_document(document)
    if reason := force.reason(now):
        warnings.append(f"{reason}: not in force")
    elif limit := force.label(now):
        warnings.append(limit)
    if drifted:
        warnings.append("drifted: the code it describes has changed since")
    if overdue:
        warnings.append(f"{overdue}: not added to prompts")
    if document.source == "tool":
        warnings.append("unconfirmed: a tool wrote it, and no person has confirmed it")
    return warnings


class ListOutput(TypedDict):
    """`recollect list`: shows `count` of the `total` memories that match, after the first `offset`."""

    count: int
    total: int
    offset: int
    memories: list[MemoryRow]


class HitRow(ForceRow):
    """A search hit. `drifted`: its code changed. `superseded`: it is superseded or no longer valid.

    `validity` says what limits it in time, if something does: since when it is no longer valid, until when
    it is valid, or from when. `overdue` says that it is past the retention of its category, so that no
    prompt gets it.
    A skill has the category skill, an id such as skill:deploy, and null for status and time because it
    has neither.
    """

    id: str
    title: str
    category: str
    path: str
    status: str | None
    tags: list[str]
    updated_at: str | None
    score: float
    snippet: str
    drifted: bool
    superseded: bool
    validity: NotRequired[str]
    overdue: NotRequired[str]
    explanation: NotRequired[dict[str, Any]]


class GateRow(TypedDict):
    """The gate's decision for a prompt: it passes when the probability reaches the threshold."""

    passed: bool
    probability: float
    threshold: float


class SearchOutput(TypedDict):
    """`recollect search`. `total` counts all hits, not only those on this page.

    `--mode auto` adds `gate`, `answered_by` (a running `server`, or the `hook` itself; missing when
    neither would search for such a prompt) and, when the prompt would get no memory, `silence`: the reason.
    `--sessions` searches past sessions in place of memories, and has `sessions` and no hits.
    """

    query: str
    count: int
    total: int
    strategy: str
    hits: list[HitRow]
    notes: list[str]
    gate: NotRequired[GateRow]
    answered_by: NotRequired[str]
    silence: NotRequired[str]
    sessions: NotRequired[list[PastHitRow]]


class ToolSearchOutput(TypedDict):
    """`memory_search`."""

    total: int
    hits: list[ToolMemoryRow]
    notes: NotRequired[list[str]]
    cursor: NotRequired[str]


class ToolContextOutput(TypedDict):
    """`memory_context`: memories in most modes, open ends in mode resume.

    Its memories are rows as in `memory_search`; every agent would pay for their schema twice.
    """

    mode: str
    memories: NotRequired[Sequence[Mapping[str, Any]]]
    total: NotRequired[int]
    intent: NotRequired[str]
    gate: NotRequired[Mapping[str, Any]]
    open_ends: NotRequired[Sequence[Mapping[str, Any]]]
    notes: NotRequired[list[str]]
    cursor: NotRequired[str]


def hit_row(
    hit: "Hit",
    result: SearchResult,
    now: datetime,
    *,
    drifted: bool,
    explain: bool,
    overdue: str = "",
) -> HitRow:
    """A hit of `recollect search`."""
    document = hit.document
    is_skill = as_skill(document.id) is not None
    force = force_of_document(document)
    row: HitRow = {
        "id": document.id.removeprefix("mem:"),
        "title": document.title,
        "category": document.category,
        "path": document.path,
        "status": None if is_skill else document.status,
        "tags": list(document.tags),
        "updated_at": None if is_skill else document.updated_at or document.created_at,
        "score": round(hit.score, 6),
        "snippet": snippet(document.body, result.matches),
        "drifted": drifted,
        "superseded": force.is_superseded(now),
        "in_force": force.is_in_force(now),
        "superseded_by": list(force.superseded_by(now)),
    }
    if reason := force.reason(now):
        row["not_in_force"] = reason
    if limit := force.validity.limit(now):
        row["validity"] = limit
    if overdue:
        row["overdue"] = overdue
    if explain:
        row["explanation"] = hit.explanation.as_json()
    return row


def tool_hit_row(
    hit: "Hit", result: SearchResult, now: datetime, *, drifted: bool, overdue: str
) -> ToolMemoryRow:
    """A hit of `memory_search`."""
    row = tool_memory_row(hit.document)
    row["score"] = round(hit.score, 4)
    if text := snippet(hit.document.body, result.matches):
        row["snippet"] = text
    if warnings := tool_warnings(hit.document, now, drifted=drifted, overdue=overdue):
        row["warnings"] = warnings
    return row


def gate_row(verdict: "GateVerdict", digits: int) -> GateRow:
    """The gate's decision, its probability rounded."""
    return {
        "passed": verdict.passed,
        "probability": round(verdict.probability, digits),
        "threshold": verdict.threshold,
    }


def search_output(query: str, result: SearchResult, hits: list[HitRow]) -> SearchOutput:
    """A page of `recollect search`."""
    out: SearchOutput = {
        "query": query,
        "count": len(hits),
        "total": result.answer.total,
        "strategy": result.strategy,
        "hits": hits,
        "notes": list(result.notes),
    }
    if (verdict := result.answer.verdict) is not None:
        out["gate"] = gate_row(verdict, digits=6)
    return out


class AnchorRow(TypedDict):
    """The state of anchored code: fresh, drifted or orphaned."""

    path: str
    verdict: str


class ShowOutput(TypedDict):
    """`recollect show`: the record itself, its path, its version and the state of its anchors.

    `in_force`, `not_in_force` and `superseded_by` are those of a memory in a list.

    For a skill there are only `id`, `path` and `skill`.
    """

    id: str
    path: str
    version: NotRequired[str]
    anchors: NotRequired[list[AnchorRow]]
    in_force: NotRequired[bool]
    superseded_by: NotRequired[list[str]]
    not_in_force: NotRequired[str]
    memory: NotRequired[dict[str, Any]]
    skill: NotRequired[SkillPageOutput]


class ToolGetOutput(TypedDict):
    """`memory_get`: the memory, or some of its `fields` by their paths when it does not fit the budget.

    `not_in_force` is the reason, for a memory that is not in force.
    """

    id: str
    path: str
    version: str
    not_in_force: NotRequired[str]
    memory: NotRequired[dict[str, Any]]
    fields: NotRequired[dict[str, Any]]
    anchors: NotRequired[Sequence[Mapping[str, Any]]]
    cursor: NotRequired[str]


def anchor_rows(verdicts: Iterable[tuple[str, AnchorState]]) -> list[AnchorRow]:
    """The state of each anchor of a memory."""
    return [{"path": path, "verdict": verdict.value} for path, verdict in verdicts]


def show_output(
    stored: Stored,
    verdicts: Iterable[tuple[str, AnchorState]],
    force: Force,
    now: datetime,
) -> ShowOutput:
    """A memory in full."""
    out: ShowOutput = {
        "id": stored.memory.id,
        "path": stored.path,
        "version": stored.digest,
        "anchors": anchor_rows(verdicts),
        "in_force": force.is_in_force(now),
        "superseded_by": list(force.superseded_by(now)),
        "memory": stored.memory.document,
    }
    if reason := force.reason(now):
        out["not_in_force"] = reason
    return out
