"""`working_memory`: what a session has in mind."""

from typing import Any

from recollect.app.project import Recollect
from recollect.records.display import one_line
from recollect.records.fields import Count, Field, Listing, Text
from recollect.server import budget
from recollect.server.arguments import Ask
from recollect.server.reply import IN_BUDGET, NO_TABLE, ToolReply
from recollect.working.attention import elapsed

TAKES = (Field("session", Text(), "its id; the last one by default"), IN_BUDGET)
GIVES = (
    Field("session", Text(), ""),
    Field("event", Count(), ""),
    Field("items", Listing(NO_TABLE), "", required=True),
)


def in_mind(recollect: Recollect, ask: Ask) -> ToolReply:
    """The items of a session, what matters most first; none is an answer."""
    view = recollect.sessions.view(ask.text("session") or None)
    if view is None:
        return ToolReply({"items": []}, "No session has used a tool here yet.")
    now = view.memory.event
    rows: list[dict[str, Any]] = [
        {
            "content": item.content,
            "attention": round(level, 2),
            "kind": item.kind,
            "age": elapsed(now, item.last),
            "paths": list(item.paths),
        }
        for item, level in view.memory.ranked()
    ]
    shown = budget.fitting(rows, ask.budget())
    lines = [f"{row['attention']:.2f} {row['kind']}: {one_line(row['content'])}" for row in shown]
    out = {"session": view.session.id, "event": now, "items": shown}
    return ToolReply(out, "\n".join(lines) or "Nothing is in mind.")
