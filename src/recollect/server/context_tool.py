"""`memory_context`: what to know before a task, in five modes."""

from collections.abc import Iterator, Sequence
from typing import Any

from recollect import clock
from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.graph.causal import Edge
from recollect.records.display import label, one_line
from recollect.records.fields import Choice, Field, Listing, Text
from recollect.records.store import Progress
from recollect.retrieval.index import Document
from recollect.retrieval.query import intent_of
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Hit
from recollect.server import budget
from recollect.server.reply import CURSOR, MAX_TOKENS, SESSION, listing
from recollect.server.tool import READS, Tool, ToolReply, ToolRequest
from recollect.values import replaced
from recollect.views.edges import ToolEdge, tool_edge
from recollect.views.memories import (
    ToolContextOutput,
    ToolMemoryRow,
    gate_row,
    tool_memory_row,
    tool_warnings,
)

MODES = ("auto", "quick", "deep", "focused", "resume")
_INPUTS = (
    Field(
        "mode",
        Choice(MODES),
        "auto (default): what a prompt would get; quick: titles; deep: bodies; focused: one topic or file, "
        "with links; resume: open ends of the last sessions",
    ),
    Field("text", Text(), "the task or topic; resume needs none"),
    Field("files", Listing(Text()), "files it is about"),
    SESSION,
    MAX_TOKENS,
    CURSOR,
)
_LIMITS = {"quick": 20, "deep": 20, "focused": 5}
_BODY_TOKENS = {"deep": 400, "focused": 800}  # of one memory
_SESSIONS = 3  # the last ones: what older sessions left open is out of date
_ENDS = ("in_progress", "blockers", "next_actions")
_LINKS_SHOWN = 10


def context(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """The memories for a task, as the mode says."""
    mode, text = request.text("mode") or "auto", request.text("text")
    files = tuple(request.arguments.get("files") or ())
    if mode == "resume":
        ends = budget.fitting(open_ends(recollect, request.progress), request.budget())
        return ToolReply({"mode": "resume", "open_ends": ends}, open_ends_text(ends))
    if not text and not (files and mode == "focused"):
        raise RefusedError(f"memory_context in mode {mode!r} needs text: the task or the topic.")
    if mode == "auto":
        return _auto(recollect, text, files, request)
    result = recollect.find(_search(recollect, mode, text, files, request), request.progress)
    ids = [hit.document.id for hit in result.answer.hits]
    links = recollect.graphs.near(ids) if mode == "focused" else ()
    most = request.budget(budget.SHORT_ANSWER if mode == "quick" else budget.LONG_ANSWER)
    rows = budget.fitting(_rows(recollect, mode, result, links), most)
    out: ToolContextOutput = {"mode": mode, "memories": rows, "total": result.answer.total}
    if result.notes:
        out["notes"] = list(result.notes)
    if rows and request.offset + len(rows) < result.answer.total:
        out["cursor"] = request.cursor(len(rows))
    return ToolReply(out, listing(rows, request, out, "Nothing found; try other words."))


def _search(
    recollect: Recollect, mode: str, text: str, files: tuple[str, ...], request: ToolRequest
) -> Request:
    """What to search for. In focused mode a single file is a filter, and its name is searched for too."""
    filters = recollect.current
    if mode == "focused" and len(files) == 1:
        filters = replaced(filters, file=files[0].removeprefix("./"))
    words = " ".join([text, *files]) if mode == "focused" else text
    limit, session = _LIMITS[mode], request.text("session") or None
    return Request(
        words, filters=filters, limit=limit, offset=request.offset, files=files, session=session
    )


def _auto(recollect: Recollect, text: str, files: tuple[str, ...], request: ToolRequest) -> ToolReply:
    search = Request(text, mode="auto", files=files, session=request.text("session") or None)
    result = recollect.find(search, request.progress)
    rows = [_scored(hit) for hit in result.answer.hits]
    out: ToolContextOutput = {"mode": "auto", "memories": rows, "intent": intent_of(text)}
    if result.notes:
        out["notes"] = list(result.notes)
    if (verdict := result.answer.verdict) is not None:
        out["gate"] = gate_row(verdict, digits=4)
    nothing = "No memory is clearly relevant; memory_search also returns weaker matches."
    return ToolReply(out, listing(rows, request, out, nothing))


def _rows(
    recollect: Recollect, mode: str, result: SearchResult, links: Sequence[Edge]
) -> Iterator[ToolMemoryRow]:
    for hit in result.answer.hits:
        row = _scored(hit)
        if mode == "quick":
            yield {
                "id": row["id"],
                "title": row["title"],
                "category": row["category"],
                "tags": row["tags"],
            }
            continue
        row["body"] = budget.cut(hit.document.body, _BODY_TOKENS[mode])
        if warnings := tool_warnings(hit.document, recollect.now, drifted=recollect.drifted(hit)):
            row["warnings"] = warnings
        if edges := _edges_at(hit.document, links):
            row["links"] = edges
        yield row


def _scored(hit: Hit) -> ToolMemoryRow:
    row = tool_memory_row(hit.document)
    row["score"] = round(hit.score, 4)
    return row


def _edges_at(document: Document, links: Sequence[Edge]) -> list[ToolEdge]:
    """The edges that begin or end at a memory."""
    at = [edge for edge in links if document.id in (edge.source, edge.target)][:_LINKS_SHOWN]
    return [tool_edge(edge) for edge in at]


def open_ends(recollect: Recollect, progress: Progress) -> list[dict[str, Any]]:
    """What the last sessions left undone, the newest first."""
    summaries = replaced(recollect.current, categories=frozenset({"session_summary"}))
    documents, _ = recollect.search.browse(summaries, progress)
    newest = sorted(documents, key=_last_change, reverse=True)
    rows = []
    for document in newest[:_SESSIONS]:
        memory = recollect.get(document.id).memory
        content = memory.content
        row: dict[str, Any] = {
            "id": memory.id,
            "title": one_line(memory.title),
            "updated_at": clock.to_text(memory.updated_at),
            "outcome": content.get("outcome"),
        }
        for name in _ENDS:
            if isinstance(ends := content.get(name), list) and ends:
                row[name] = [one_line(str(end)) for end in ends]
        rows.append(row)
    return rows


def _last_change(document: Document) -> tuple[str, str]:
    return document.updated_at or document.created_at, document.id


def open_ends_text(rows: list[dict[str, Any]]) -> str:
    """Open ends as text."""
    if not rows:
        return "No session has left a summary yet."
    lines = []
    for row in rows:
        outcome, title = label(str(row["outcome"])), label(row["title"])
        lines.append(f"{row['updated_at'][:10]} {title} ({outcome}, id: {row['id']})")
        for name in _ENDS:
            lines += [f"  {name.replace('_', ' ')}: {label(end)}" for end in row.get(name, ())]
    return "\n".join(lines)


CONTEXT = Tool(
    "memory_context",
    "What is known about a task. Call it before you start.",
    _INPUTS,
    ToolContextOutput,
    READS,
    context,
)
