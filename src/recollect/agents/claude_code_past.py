"""What a row of a Claude Code transcript says: one object per line, messages of content blocks."""

from __future__ import annotations

from recollect.agents.past_events import Answered, Called, Context, Returned, Said
from recollect.agents.payload import joined_text, message_prompt, objects, plain_text, text_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row


def read(row: Row) -> list[PastEvent]:
    """The events of a row. A subagent's messages are nobody's words, but what its tools did counts."""
    message, is_side = row.get("message"), bool(row.get("isSidechain"))
    events: list[PastEvent] = [Context(text_field(row, "sessionId"), text_field(row, "cwd"))]
    if not isinstance(message, dict):
        return events
    blocks = objects(message.get("content"))
    if prompt := message_prompt(row):
        events.append(Said(prompt))
    if row.get("type") == "assistant" and not is_side:
        events += [Answered(text)] if (text := joined_text(blocks)) else []
    for block in blocks:
        if block.get("type") == "tool_use":
            called = block.get("input")
            tool_input = called if isinstance(called, dict) else {}
            events.append(Called(text_field(block, "id"), text_field(block, "name"), tool_input))
        elif block.get("type") == "tool_result":
            output = plain_text(block.get("content"))
            failed = bool(block.get("is_error"))
            events.append(Returned(text_field(block, "tool_use_id"), output, failed))
    return events
