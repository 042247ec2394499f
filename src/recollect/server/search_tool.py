"""`memory_search`: every memory that may be relevant, a page at a time."""

from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.records.categories import Category
from recollect.records.display import one_line
from recollect.records.fields import Choice, Count, Field, Listing, Text
from recollect.records.record import Status
from recollect.retrieval.fusion import SEARCH_LIMIT
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Request
from recollect.server import budget
from recollect.server.reply import CURSOR, MAX_TOKENS, SESSION, listing
from recollect.server.tool import READS, Tool, ToolReply, ToolRequest
from recollect.tools.provider import Arguments
from recollect.views.memories import ToolMemoryRow, ToolSearchOutput, tool_hit_row
from recollect.working.past_sessions import PastHit

MAX_HITS = 50  # of one answer
PAST_SESSION = "past_session"  # not a category of memories: what imported transcripts say
_ENTRY_TOKENS = 150  # of what a past session said
_INPUTS = (
    Field("query", Text(min_length=1), "what to look for, in the project's own words"),
    Field("category", Choice((*Category, PAST_SESSION)), "of this kind"),
    Field("tags", Listing(Text()), "with all of these"),
    Field("file", Text(), "about this file"),
    Field("status", Choice((*Status, "all")), "default active"),
    Field("since", Text(), "changed since: date or commit"),
    Field("until", Text(), "changed until"),
    Field("as_of", Text(), "valid then"),
    Field("limit", Count(), "default 10"),
    SESSION,
    MAX_TOKENS,
    CURSOR,
)


def search(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """The hits that fit the budget, best first, and a cursor when there are more."""
    query = request.text("query")
    if not query:
        raise RefusedError("memory_search needs a query (what to look for), or a cursor.")
    limit = min(request.arguments.get("limit") or SEARCH_LIMIT, MAX_HITS)
    if request.text("category") == PAST_SESSION:
        return _past(recollect, query, limit, request)
    filters = filters_of(recollect, request.arguments)
    session = request.text("session") or None
    page = Request(query, filters=filters, limit=limit, offset=request.offset, session=session)
    result = recollect.find(page, request.progress)
    hits = (
        tool_hit_row(
            hit,
            result,
            recollect.now,
            drifted=recollect.drifted(hit),
            overdue=recollect.overdue(hit.document),
        )
        for hit in result.answer.hits
    )
    rows = budget.fitting(hits, request.budget())
    out: ToolSearchOutput = {"total": result.answer.total, "hits": rows}
    if result.notes:
        out["notes"] = list(result.notes)
    if rows and request.offset + len(rows) < result.answer.total:
        out["cursor"] = request.cursor(len(rows))
    return ToolReply(
        out, listing(rows, request, out, f"Nothing found for {query[:200]!r}; try other words.")
    )


def _past(recollect: Recollect, query: str, limit: int, request: ToolRequest) -> ToolReply:
    """What past sessions said: a conversation of then, which is nobody's memory and cannot be read by id."""
    page = recollect.past_sessions.search(query, limit, request.offset)
    rows = budget.fitting(map(_past_row, page.hits), request.budget())
    out: ToolSearchOutput = {"total": page.total, "hits": rows}
    if rows and request.offset + len(rows) < page.total:
        out["cursor"] = request.cursor(len(rows))
    return ToolReply(out, listing(rows, request, out, "No past session mentions it."))


def _past_row(hit: PastHit) -> ToolMemoryRow:
    entry, session = hit.entry, hit.session
    return {
        "id": f"{session.id}, line {entry.line}",
        "title": one_line(f"{entry.kind} {(entry.at or session.ended_at)[:10]}: {session.goal}"),
        "category": PAST_SESSION,
        "snippet": one_line(budget.cut(entry.text, _ENTRY_TOKENS)),
    }


def filters_of(recollect: Recollect, arguments: Arguments) -> Filters:
    """Which memories count."""
    status = arguments.get("status") or "active"
    return Filters(
        categories=frozenset({arguments["category"]} if arguments.get("category") else ()),
        tags=frozenset(arguments.get("tags") or ()),
        statuses=frozenset(Status) if status == "all" else frozenset({status}),
        file=arguments["file"].removeprefix("./") if arguments.get("file") else None,
        since=recollect.moment(arguments.get("since")),
        until=recollect.moment(arguments.get("until"), end_of_day=True),
        as_of=recollect.moment(arguments.get("as_of"), end_of_day=True),
    )


SEARCH = Tool(
    "memory_search",
    "Find decisions, constraints, preferences, runbooks, tech debt and session summaries. A compact list; "
    "memory_get reads one.",
    _INPUTS,
    ToolSearchOutput,
    READS,
    search,
)
