"""Memories: search, pages of all, one in full, and every change a person makes to one."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.responses import Response

from recollect.app.memory_history import revision_texts, revisions
from recollect.app.project import Recollect
from recollect.clock import to_text
from recollect.errors import (
    ConflictError,
    InvalidError,
    InvalidMemoryError,
    NotFoundError,
    RefusedError,
)
from recollect.ids import UnifiedId, memory_id, parse_unified
from recollect.loopback.answers import json_answer
from recollect.loopback.endpoint import ApiCall, Endpoint
from recollect.records.json_format import JsonObject, parse, same
from recollect.records.record import Link, LinkType, Memory
from recollect.records.store import Stored
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Request
from recollect.team.roles import Permission
from recollect.views.memories import SearchOutput, hit_row, memory_row, search_output
from recollect.views.memory_page import (
    CheckOutput,
    ConflictOutput,
    HistoryOutput,
    MemoryFormsOutput,
    MemoryPageOutput,
    MemoryPagesOutput,
    ProblemsOutput,
    RevisionOutput,
    category_forms,
    history_output,
    linked_row,
    memory_page_output,
    problem_rows,
    tag_rows,
)
from recollect.views.saves import SaveOutput, save_output
from recollect.web.page import WebPage, in_project

# Fields that a person edits on the page; links, lifecycle and anchors have acts of their own.
EDITABLE = ("title", "tags", "related_files", "confidence", "valid_from", "valid_to", "content")
_TAGS = 500  # that the filter offers
_LINKS = 100  # of each type and direction that are shown

State = Literal["in_force", "not_in_force", "all"]
Call = ApiCall[WebPage]
_Category = Literal["decision", "constraint", "preference", "runbook", "tech_debt", "session_summary"]


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Which memories, and which page of them."""

    category: tuple[_Category, ...] = ()
    tag: tuple[str, ...] = ()
    state: State = "in_force"
    offset: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    limit: Annotated[int, Field(ge=1, le=500)] = 100


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search for, and in which memories."""

    q: Annotated[str, Field(min_length=1, max_length=4_000)]
    category: tuple[_Category, ...] = ()
    tag: tuple[str, ...] = ()
    state: State = "in_force"
    limit: Annotated[int, Field(ge=1, le=100)] = 30


@dataclass(frozen=True, slots=True)
class EditBody:
    """New values of fields; null removes one. `version` is the version that was read."""

    version: Annotated[str, Field(min_length=1, max_length=200)]
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StatusBody:
    """A new lifecycle state. The reason is stored in the memory."""

    status: Literal["active", "retired", "archived"]
    reason: Annotated[str, Field(max_length=2_000)] = ""


@dataclass(frozen=True, slots=True)
class LinkBody:
    """A link to another memory (its id) or to a skill (skill:name)."""

    type: LinkType
    target: Annotated[str, Field(min_length=1, max_length=300)]
    evidence: Annotated[str, Field(max_length=2_000)] = ""


@dataclass(frozen=True, slots=True)
class UnlinkBody:
    """The link to remove."""

    type: LinkType
    target: Annotated[str, Field(min_length=1, max_length=300)]


def _pages(recollect: Recollect, call: Call) -> MemoryPagesOutput:
    query: PageQuery = call.query
    page = recollect.search.recent(_filters(recollect, query), offset=query.offset, limit=query.limit)
    now = recollect.now
    rows = [memory_row(document, now) for document in page.documents]
    return {"total": page.total, "offset": query.offset, "memories": rows}


def _search(recollect: Recollect, call: Call) -> SearchOutput:
    query: SearchQuery = call.query
    request = Request(query.q, filters=_filters(recollect, query), limit=query.limit)
    result = recollect.search.find(request, traced=False)
    now = recollect.now
    rows = [
        hit_row(
            hit,
            result,
            now,
            drifted=recollect.drifted(hit),
            explain=True,
            overdue=recollect.overdue(hit.document),
        )
        for hit in result.answer.hits
    ]
    return search_output(query.q, result, rows)


def _filters(recollect: Recollect, query: PageQuery | SearchQuery) -> Filters:
    now = to_text(recollect.now)
    only_active = query.state == "in_force"
    return Filters(
        categories=frozenset(query.category),
        tags=frozenset(query.tag),
        statuses=frozenset({"active"} if only_active else ()),
        in_force_at=now if only_active else None,
        out_of_force_at=now if query.state == "not_in_force" else None,
    )


def _forms(recollect: Recollect, _: Call) -> MemoryFormsOutput:
    return {
        "categories": category_forms(),
        "link_types": [type.value for type in LinkType],
        "tags": tag_rows(recollect.search.tags(_TAGS)),
    }


def _show(recollect: Recollect, call: Call) -> MemoryPageOutput:
    return memory_page(recollect, _stored(recollect, call))


def memory_page(recollect: Recollect, stored: Stored) -> MemoryPageOutput:
    """A memory in full, with its links as the files say them now."""
    memory, id = stored.memory, stored.memory.unified_id
    edges = recollect.graphs.ask(lambda edges: edges.around([id], 1, fan=_LINKS))
    links = [
        linked_row(edge, id, recollect.graphs.memory(edge.other(id)))
        for edge in edges
        if id in (edge.source, edge.target)
    ]
    is_project = recollect.home_of(memory.id) is recollect.memories
    return memory_page_output(
        stored,
        recollect.verdicts(memory),
        recollect.force(memory),
        recollect.now,
        links,
        "project" if is_project else "user",
    )


def _stored(recollect: Recollect, call: Call) -> Stored:
    id = call.path["id"]
    try:
        memory_id(id.removeprefix("mem:"))
    except RefusedError as error:
        raise NotFoundError(str(error)) from None
    return recollect.get(id)


def _check(recollect: Recollect, call: Call) -> CheckOutput:
    body: EditBody = call.body
    old = _stored(recollect, call).memory
    fields = _editable(body.fields)
    try:
        old.with_fields(fields)
    except InvalidMemoryError as error:
        return {"problems": problem_rows(error.problems), "changed": _changed(old, fields)}
    return {"problems": [], "changed": _changed(old, fields)}


def _edit(recollect: Recollect, call: Call) -> SaveOutput | Response:
    body: EditBody = call.body
    fields, stored = _editable(body.fields), _stored(recollect, call)
    if stored.digest != body.version:
        return _conflict(recollect, stored, body.version)
    names = _changed(stored.memory, fields)
    summary = f"Changed {', '.join(names)}" if names else "Updated"
    try:
        saved = recollect.home_of(stored.memory.id).replace(stored, lambda _: fields, summary)
    except InvalidMemoryError as error:
        out: ProblemsOutput = {"error": str(error), "problems": problem_rows(error.problems)}
        return json_answer(out, 400)
    except ConflictError:
        return _conflict(recollect, _stored(recollect, call), body.version)
    return save_output(saved)


def _conflict(recollect: Recollect, stored: Stored, expected: str) -> Response:
    out: ConflictOutput = {
        "error": f"memory {stored.memory.id!r} changed since it was read; nothing was overwritten.",
        "expected": expected,
        "current": memory_page(recollect, stored),
    }
    return json_answer(out, 409)


def _editable(fields: dict[str, Any]) -> JsonObject:
    if unknown := sorted(set(fields) - set(EDITABLE)):
        raise InvalidError(
            f"the field {unknown[0]!r} cannot be edited here; the editable fields are "
            f"{', '.join(EDITABLE)}."
        )
    return parse(json.dumps(fields).encode(), "the edit")  # the same limits as those of a file


def _changed(old: Memory, fields: JsonObject) -> list[str]:
    """The names of the fields that differ; those of the content by their own names."""
    before = old.document
    names = [name for name in fields if name != "content" and not same(before.get(name), fields[name])]
    content = fields.get("content")
    if isinstance(content, dict):
        was = old.content
        names += [name for name in {**was, **content} if not same(was.get(name), content.get(name))]
    return names


def _status(recollect: Recollect, call: Call) -> SaveOutput:
    body: StatusBody = call.body
    id = _stored(recollect, call).memory.id
    memories, reason = recollect.home_of(id), body.reason.strip() or "decided on the page"
    match body.status:
        case "active":
            return save_output(memories.restore(id))
        case "retired":
            return save_output(memories.retire(id, reason))
        case "archived":
            return save_output(memories.archive(id, reason))


def _link(recollect: Recollect, call: Call) -> SaveOutput:
    body: LinkBody = call.body
    id = _stored(recollect, call).memory.id
    link = Link(body.type, parse_unified(body.target), body.evidence.strip() or None)
    return save_output(recollect.home_of(id).link(id, link, find=recollect.get))


def _unlink(recollect: Recollect, call: Call) -> SaveOutput:
    body: UnlinkBody = call.body
    id = _stored(recollect, call).memory.id
    target: UnifiedId = parse_unified(body.target)
    return save_output(recollect.home_of(id).unlink(id, body.type, target))


def _history(recollect: Recollect, call: Call) -> HistoryOutput:
    memory = _stored(recollect, call).memory
    return history_output(memory, revisions(recollect, memory))


def _revision(recollect: Recollect, call: Call) -> RevisionOutput:
    memory = _stored(recollect, call).memory
    texts = revision_texts(recollect, memory, call.path["revision"])
    return {"before": texts.before, "after": texts.after}


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    Endpoint(
        "GET",
        "memories",
        Permission.READ_MEMORIES,
        "A page of memories.",
        MemoryPagesOutput,
        in_project(_pages),
        PageQuery,
    ),
    Endpoint(
        "GET",
        "search",
        Permission.READ_MEMORIES,
        "Search as `recollect search --explain` does; no trace is recorded.",
        SearchOutput,
        in_project(_search),
        SearchQuery,
    ),
    Endpoint(
        "GET",
        "memory-forms",
        Permission.READ_MEMORIES,
        "Categories with their fields, link types, and tags.",
        MemoryFormsOutput,
        in_project(_forms),
    ),
    Endpoint(
        "GET",
        "memories/{id}",
        Permission.READ_MEMORIES,
        "One memory in full.",
        MemoryPageOutput,
        in_project(_show),
    ),
    Endpoint(
        "PUT",
        "memories/{id}",
        Permission.WRITE_MEMORIES,
        "Change fields. If the memory changed in the meantime: 409 with its current text.",
        SaveOutput,
        in_project(_edit),
        body=EditBody,
    ),
    Endpoint(
        "POST",
        "memories/{id}/check",
        Permission.READ_MEMORIES,
        "Validate an edit without writing it.",
        CheckOutput,
        in_project(_check),
        body=EditBody,
    ),
    Endpoint(
        "POST",
        "memories/{id}/status",
        Permission.WRITE_MEMORIES,
        "Retire, archive or restore.",
        SaveOutput,
        in_project(_status),
        body=StatusBody,
    ),
    Endpoint(
        "POST",
        "memories/{id}/links",
        Permission.WRITE_MEMORIES,
        "Add a link.",
        SaveOutput,
        in_project(_link),
        body=LinkBody,
    ),
    Endpoint(
        "POST",
        "memories/{id}/unlink",
        Permission.WRITE_MEMORIES,
        "Remove a link.",
        SaveOutput,
        in_project(_unlink),
        body=UnlinkBody,
    ),
    Endpoint(
        "GET",
        "memories/{id}/history",
        Permission.READ_MEMORIES,
        "The history of a memory.",
        HistoryOutput,
        in_project(_history, slow=True),
    ),
    Endpoint(
        "GET",
        "memories/{id}/history/{revision}",
        Permission.READ_MEMORIES,
        "A memory before and after a change.",
        RevisionOutput,
        in_project(_revision, slow=True),
    ),
)
