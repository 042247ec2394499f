"""`memory_search`: everything that may be meant, a page at a time."""

from typing import Any

from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.records.categories import Category
from recollect.records.fields import Choice, Count, Field, Listing, Table, Text
from recollect.records.record import Status
from recollect.retrieval.cutoff import SEARCH_LIMIT
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Hit
from recollect.retrieval.snippet import snippet
from recollect.server import budget
from recollect.server.arguments import Arguments, Ask
from recollect.server.reply import (
    CURSOR,
    IN_BUDGET,
    IN_CURSOR,
    NOTES,
    ROW,
    ToolReply,
    listing,
    row_of,
    warnings_of,
)

MOST = 50  # hits of one answer
TAKES = (
    Field("query", Text(min_length=1), "what to look for, in the project's own words"),
    Field("category", Choice(tuple(Category)), "only this kind"),
    Field("tags", Listing(Text()), "only with all of these"),
    Field("file", Text(), "only about this file"),
    Field("status", Choice((*Status, "all")), "default active"),
    Field("since", Text(), "changed since: date or commit"),
    Field("until", Text(), "changed until: date or commit"),
    Field("as_of", Text(), "what held then: date or commit"),
    Field("limit", Count(), "default 10"),
    IN_BUDGET,
    IN_CURSOR,
)
GIVES = (
    Field("total", Count(), "", required=True),
    Field("hits", Listing(Table(ROW)), "", required=True),
    NOTES,
    CURSOR,
)


def search(recollect: Recollect, ask: Ask) -> ToolReply:
    """The hits that fit the budget, best first, and a cursor when there are more."""
    query = ask.text("query")
    if not query:
        raise RefusedError("memory_search needs a query (what to look for), or a cursor.")
    limit = min(ask.given.get("limit") or SEARCH_LIMIT, MOST)
    filters = filters_of(recollect, ask.given)
    found = recollect.find(
        Request(query, filters=filters, limit=limit, offset=ask.offset), ask.progress
    )
    rows = budget.fitting((_row(recollect, hit, found) for hit in found.answer.hits), ask.budget())
    out: dict[str, Any] = {"total": found.answer.total, "hits": rows}
    if found.notes:
        out["notes"] = list(found.notes)
    if rows and ask.offset + len(rows) < found.answer.total:
        out["cursor"] = ask.cursor(len(rows))
    return ToolReply(
        out, listing(rows, ask, out, f"Nothing found for {query[:200]!r}; try other words.")
    )


def filters_of(recollect: Recollect, asked: Arguments) -> Filters:
    """Which memories count."""
    status = asked.get("status") or "active"
    return Filters(
        categories=frozenset({asked["category"]} if asked.get("category") else ()),
        tags=frozenset(asked.get("tags") or ()),
        statuses=frozenset(Status) if status == "all" else frozenset({status}),
        file=asked["file"].removeprefix("./") if asked.get("file") else None,
        since=recollect.moment(asked.get("since")),
        until=recollect.moment(asked.get("until"), end_of_day=True),
        as_of=recollect.moment(asked.get("as_of"), end_of_day=True),
    )


def _row(recollect: Recollect, hit: Hit, found: SearchResult) -> dict[str, Any]:
    row = row_of(hit.document) | {"score": round(hit.score, 4)}
    if shown := snippet(hit.document.body, found.matches):
        row["snippet"] = shown
    if warnings := warnings_of(hit.document, recollect.now, drifted=recollect.drifted(hit)):
        row["warnings"] = warnings
    return row
