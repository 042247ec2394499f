"""What a tool answers, and how memories are told in it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.graph.causal import Edge
from recollect.records.display import one_line, safe_text
from recollect.records.fields import Choice, Count, Field, Listing, Share, Table, Text
from recollect.retrieval.documents import validity_of
from recollect.retrieval.index import Document
from recollect.server.arguments import Ask

NO_TABLE = Table(())


@dataclass(frozen=True, slots=True)
class ToolReply:
    """A result: `structured` for programs, as the output schema says; `text` for whoever reads it."""

    structured: dict[str, Any]
    text: str


ROW = (
    Field("id", Text(), "", required=True),
    Field("title", Text(), "", required=True),
    Field("category", Text(), "", required=True),
    Field("path", Text(), ""),
    Field("tags", Listing(Text()), ""),
    Field("status", Text(), ""),
    Field("updated_at", Text(), ""),
    Field("score", Share(), ""),
    Field("snippet", Text(), ""),
    Field("body", Text(), ""),
    Field("links", Listing(NO_TABLE), ""),
    Field("warnings", Listing(Text()), ""),
)
NOTES = Field("notes", Listing(Text()), "")
CURSOR = Field("cursor", Text(), "")

IN_CURSOR = Field("cursor", Text(min_length=1), "from the last answer, for more; nothing else needed")
IN_BUDGET = Field("max_tokens", Count(), "of the answer")
IN_ID = Field("id", Text(min_length=1), "of a memory", required=True)
# What a schema leaves out is allowed: every agent pays for each word of it.
WRITTEN = (
    Field("action", Choice(("created", "updated", "unchanged", "duplicate")), "", required=True),
    Field("id", Text(), "", required=True),
    Field("path", Text(), "", required=True),
    Field("version", Text(), "", required=True),
    Field("superseded", Listing(Text()), ""),
    Field("advice", Text(), ""),
)


def row_of(document: Document) -> dict[str, Any]:
    """A memory that was found, as every tool tells it."""
    row: dict[str, Any] = {
        "id": document.id.removeprefix("mem:"),
        "title": one_line(document.title),
        "category": document.category,
        "path": document.path,
        "tags": [one_line(tag) for tag in document.tags],
    }
    if moment := document.updated_at or document.created_at:  # a skill has none
        row["updated_at"] = moment
    if document.status != "active":
        row["status"] = document.status
    return row


def warnings_of(document: Document, now: datetime, *, drifted: bool) -> list[str]:
    """What to know before relying on a memory."""
    found = []
    validity = validity_of(document)
    if validity.ended(now):
        found.append(f"superseded: {validity.told(now)}, memory_why says by what")
    elif limit := validity.told(now):
        found.append(limit)
    if drifted:
        found.append("drifted: the code it speaks of has changed since")
    if document.source == "tool":
        found.append("unconfirmed: a tool said it, and no person confirmed it")
    return found


def line_of(number: int, row: dict[str, Any]) -> str:
    """A memory in a list that is read: its title and id, then what is known beside them."""
    tags = f" #{' #'.join(row['tags'])}" if row.get("tags") else ""
    marks = "".join(f" ({warning.split(':')[0]})" for warning in row.get("warnings", ()))
    place = f", {row['path']}" if row["category"] == "skill" and row.get("path") else ""
    lines = [
        f"{number}. [{row['category'].upper()}] {row['title']}{marks} (id: {row['id']}{place}){tags}"
    ]
    lines += [f"   {safe_text(row[name])}" for name in ("snippet", "body") if row.get(name)]
    lines += [f"   {told_link(link)}" for link in row.get("links", ())]
    return "\n".join(lines)


def listing(rows: list[dict[str, Any]], ask: Ask, out: dict[str, Any], nothing: str) -> str:
    """Memories, to be read; then how to have more, and what else there is to know."""
    lines = [line_of(number, row) for number, row in enumerate(rows, start=ask.offset + 1)]
    if not lines:
        lines.append(nothing)
    if "cursor" in out:
        left = out["total"] - ask.offset - len(rows)
        lines.append(f"{left} more: call {ask.tool} with the cursor.")
    return "\n".join([*lines, *out.get("notes", ())])


def edge_row(edge: Edge) -> dict[str, Any]:
    """An edge as tools tell it."""
    row: dict[str, Any] = {
        "from": edge.source.removeprefix("mem:"),
        "type": edge.type.value,
        "to": edge.target.removeprefix("mem:"),
    }
    return row | {"evidence": one_line(edge.evidence)} if edge.evidence else row


def told_link(link: dict[str, Any]) -> str:
    """An edge as it is read: `a supersedes b (Title): evidence`."""
    title = f" ({one_line(link['title'])})" if link.get("title") else ""
    evidence = f": {one_line(link['evidence'])}" if link.get("evidence") else ""
    return f"{link['from']} {link['type']} {link['to']}{title}{evidence}"
