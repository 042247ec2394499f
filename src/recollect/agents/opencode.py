"""opencode's dialect, as our own shim speaks it (`opencode_shim.ts`): its hooks' names, our fields."""

from __future__ import annotations

from recollect.agents.answer import printed
from recollect.agents.payload import event_of
from recollect.values import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Event, HookReply, Kind

KINDS: dict[str, Kind] = {
    "chat.message": "prompt",
    "session.created": "session_start",
    "tool.execute.before": "tool_before",
    "tool.execute.after": "tool_after",
    "experimental.session.compacting": "compact",
    "session.idle": "stop",
    "session.deleted": "session_end",
}
CONTEXT: frozenset[Kind] = frozenset({"prompt", "session_start"})


def read(name: str, payload: Mapping[str, Any]) -> Event:
    """The event that the shim reports. `opencode run` puts quotes around a prompt of several words."""
    event = event_of(name, payload, KINDS)
    inside = event.prompt[1:-1]
    quoted = event.prompt == f'"{inside}"' and '"' not in inside
    return replaced(event, prompt=inside) if quoted else event


def write(event: Event, reply: HookReply) -> str:
    """What the shim reads: `context` where it can go into the conversation, `deny` before a tool."""
    if reply.deny and event.kind == "tool_before":
        return printed({"deny": reply.deny})
    if reply.context and event.kind in CONTEXT:
        return printed({"context": reply.context})
    return ""
