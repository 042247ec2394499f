"""`working_memory`: what a session has in mind."""

from recollect.app.project import Recollect
from recollect.records.display import one_line
from recollect.records.fields import Field, Text
from recollect.server import budget
from recollect.server.arguments import Ask
from recollect.server.reply import IN_BUDGET, ToolReply
from recollect.views.sessions import ToolWorkingOutput, tool_item_rows

TAKES = (Field("session", Text(), "its id; the last one by default"), IN_BUDGET)


def in_mind(recollect: Recollect, ask: Ask) -> ToolReply:
    """The items of a session, what matters most first; none is an answer."""
    view = recollect.sessions.view(ask.text("session") or None)
    if view is None:
        return ToolReply({"items": []}, "No session has used a tool here yet.")
    shown = budget.fitting(tool_item_rows(view.memory), ask.budget())
    lines = [f"{row['attention']:.2f} {row['kind']}: {one_line(row['content'])}" for row in shown]
    out: ToolWorkingOutput = {
        "session": view.session.id,
        "event": view.memory.event,
        "items": shown,
    }
    return ToolReply(out, "\n".join(lines) or "Nothing is in mind.")
