"""`working_memory`: what a session is paying attention to."""

from recollect.app.project import Recollect
from recollect.records.display import one_line
from recollect.server import budget
from recollect.server.reply import MAX_TOKENS, SESSION
from recollect.server.tool import READS, Tool, ToolReply, ToolRequest
from recollect.views.sessions import ToolWorkingOutput, tool_item_rows

_INPUTS = (SESSION, MAX_TOKENS)


def working(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """The items of a session, the highest attention first."""
    view = recollect.sessions.view(request.text("session") or None)
    if view is None:
        return ToolReply({"items": []}, "No session has used a tool here yet.")
    shown = budget.fitting(tool_item_rows(view.memory), request.budget())
    lines = [f"{row['attention']:.2f} {row['kind']}: {one_line(row['content'])}" for row in shown]
    out: ToolWorkingOutput = {
        "session": view.session.id,
        "event": view.memory.event,
        "items": shown,
    }
    return ToolReply(out, "\n".join(lines) or "Working memory is empty.")


WORKING = Tool(
    "working_memory",
    "What a session is paying attention to: errors, failing tests, edits, commits.",
    _INPUTS,
    ToolWorkingOutput,
    READS,
    working,
)
