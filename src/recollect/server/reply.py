"""The answer of a tool: structured for programs, and as text for its reader."""

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.records.display import label, one_line, quoted
from recollect.records.fields import Count, Field, Object, Text
from recollect.server.tool import ToolRequest

ANY_OBJECT = Object(())
CURSOR = Field("cursor", Text(min_length=1), "of the last answer; needs nothing else")
SESSION = Field("session", Text(), "id; default the last")
MAX_TOKENS = Field("max_tokens", Count(), "of the answer")
MEMORY_ID = Field("id", Text(min_length=1), "of a memory", required=True)


def row_lines(number: int, row: Mapping[str, Any]) -> str:
    """A memory in a numbered list: title, id and tags, then snippet, body and links."""
    tags = f" #{' #'.join(label(tag) for tag in row['tags'])}" if row.get("tags") else ""
    marks = "".join(f" ({label(warning.split(':')[0])})" for warning in row.get("warnings", ()))
    place = f", {label(row['path'])}" if row["category"] == "skill" and row.get("path") else ""
    head = f"[{label(row['category'].upper())}] {label(row['title'])}{marks}"
    lines = [f"{number}. {head} (id: {label(row['id'])}{place}){tags}"]
    lines += [f"   {label(row['snippet'])}"] if row.get("snippet") else []
    lines += [quoted(row["body"], "   ")] if row.get("body") else []
    lines += [f"   {link_line(link)}" for link in row.get("links", ())]
    return "\n".join(lines)


def listing(
    rows: Sequence[Mapping[str, Any]], request: ToolRequest, out: Mapping[str, Any], nothing: str
) -> str:
    """Memories as text, or `nothing`; then how to get more, and the notes."""
    lines = [row_lines(number, row) for number, row in enumerate(rows, start=request.offset + 1)]
    if not lines:
        lines.append(nothing)
    if "cursor" in out:
        left = out["total"] - request.offset - len(rows)
        lines.append(f"{left} more: call {request.tool} with the cursor.")
    return "\n".join([*lines, *map(one_line, out.get("notes", ()))])


def link_line(link: Mapping[str, Any]) -> str:
    """An edge as text: `a supersedes b (Title): evidence`."""
    title = f" ({label(link['title'])})" if link.get("title") else ""
    evidence = f": {label(link['evidence'])}" if link.get("evidence") else ""
    return f"{label(link['from'])} {label(link['type'])} {label(link['to'])}{title}{evidence}"
