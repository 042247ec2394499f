"""Memories as resources: `memory://index`, and `memory://{id}` for each."""

import json

import mcp_types as types
from mcp import MCPError

from recollect.app.project import Recollect
from recollect.errors import NotFoundError, RecollectError, RefusedError
from recollect.records.display import label, safe_text, safe_values
from recollect.records.store import Progress
from recollect.server import budget

SCHEME = "memory://"
INDEX = "memory://index"
PAGE = 100
_LIST = "resources/list"  # which cursors are of
INDEX_LINES = 500  # of memory://index; search has the rest
TEMPLATE = types.ResourceTemplate(
    name="memory", uri_template="memory://{id}", description="One memory.", mime_type="application/json"
)
_INDEX = types.Resource(
    name="index",
    uri=INDEX,
    description="Every memory in force, a line each.",
    mime_type="text/markdown",
)


def listed(recollect: Recollect, progress: Progress, cursor: str | None) -> types.ListResourcesResult:
    """A page of resources: the index first, then the memories in force by category and id."""
    start = _offset(cursor)
    documents, total = recollect.search.browse(recollect.in_force, progress, offset=start, limit=PAGE)
    listed_resources = [_INDEX] if start == 0 else []
    for document in documents:
        id = document.id.removeprefix("mem:")
        title = f"[{document.category.upper()}] {label(document.title)}"
        listed_resources.append(
            types.Resource(name=id, uri=SCHEME + id, description=title, mime_type="application/json")
        )
    more = start + PAGE < total
    return types.ListResourcesResult(
        resources=listed_resources, next_cursor=budget.cursor(_LIST, {}, start + PAGE) if more else None
    )


def read(recollect: Recollect, uri: str) -> types.ReadResourceResult:
    """One resource. Raises MCPError for one that does not exist."""
    try:
        text, kind = _index(recollect), "text/markdown"
        if uri != INDEX:
            if not uri.startswith(SCHEME):
                raise NotFoundError(
                    f"{uri!r} is not a resource of this server; they begin with {SCHEME!r}."
                )
            memory = recollect.get(uri.removeprefix(SCHEME).rstrip("/")).memory
            document = safe_values(memory.document)
            text, kind = json.dumps(document, ensure_ascii=False, indent=2), "application/json"
    except RecollectError as error:
        raise MCPError(types.INVALID_PARAMS, str(error), {"uri": uri}) from None
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)]
    )


def _index(recollect: Recollect) -> str:
    lines = safe_text(recollect.inventory).split("\n")[:-1]
    if len(lines) > INDEX_LINES:
        lines = [
            *lines[:INDEX_LINES],
            f"... and {len(lines) - INDEX_LINES} more; memory_search finds them.",
        ]
    return "\n".join(lines) + "\n"


def _offset(cursor: str | None) -> int:
    try:
        return budget.parse_cursor(_LIST, cursor)[1] if cursor is not None else 0
    except RefusedError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from None
