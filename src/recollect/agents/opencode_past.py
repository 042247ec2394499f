"""What a row of an opencode session says: `{"session": ...}` first, then each part with its message."""

from __future__ import annotations

from recollect.agents.past_events import Answered, Called, Context, Returned, Said
from recollect.agents.payload import text_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row


def read(row: Row) -> list[PastEvent]:
    """The events of a row. Text that a plugin or opencode itself added is nobody's words."""
    session, message, part = row.get("session"), row.get("message"), row.get("part")
    if isinstance(session, dict):
        is_side = bool(text_field(session, "parentID", "parent_id"))
        return [Context(text_field(session, "id"), text_field(session, "directory"), is_side=is_side)]
    if not isinstance(message, dict) or not isinstance(part, dict):
        return []
    match part.get("type"):
        case "text" if not part.get("synthetic") and not part.get("ignored"):
            text = text_field(part, "text")
            is_user = message.get("role") == "user"
            return [Said(text) if is_user else Answered(text)] if text else []
        case "tool":
            return _call(part)
        case _:
            return []


def _call(part: dict[str, Any]) -> list[PastEvent]:
    call, state = text_field(part, "callID"), part.get("state")
    if not isinstance(state, dict):
        return []
    tool_input, status = state.get("input"), state.get("status")
    called = Called(call, text_field(part, "tool"), tool_input if isinstance(tool_input, dict) else {})
    if status not in ("completed", "error"):
        return [called]
    metadata = state.get("metadata")
    code = metadata.get("exit") if isinstance(metadata, dict) else None
    failed = status == "error" or code not in (0, None)
    return [called, Returned(call, text_field(state, "output", "error"), failed)]
