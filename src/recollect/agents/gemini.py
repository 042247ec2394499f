"""Gemini CLI's dialect. Its standard output must be JSON and nothing else."""

from __future__ import annotations

from recollect.agents.answer import hook_specific, printed
from recollect.agents.payload import event_of, first, mapping, text
from recollect.values import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Event, Kind, Reply

KINDS: dict[str, Kind] = {
    "BeforeAgent": "prompt",
    "SessionStart": "session_start",
    "BeforeTool": "tool_before",
    "AfterTool": "tool_after",
    "PreCompress": "compact",
    "AfterAgent": "stop",
    "SessionEnd": "session_end",
}
CONTEXT: frozenset[Kind] = frozenset({"prompt", "session_start"})


def read(name: str, payload: Mapping[str, Any]) -> Event:
    """The event that Gemini CLI reports; a tool's error arrives inside its answer."""
    event = event_of(name, payload, KINDS)
    if event.kind == "tool_after" and first(mapping(payload, "tool_response"), "error"):
        event = replaced(event, kind="tool_failed")
    return replaced(event, last_message=text(payload, "prompt_response"))


def write(event: Event, reply: Reply) -> str:
    """The hook's standard output."""
    if event.kind == "tool_before" and reply.deny:
        return printed({"decision": "deny", "reason": reply.deny})
    return printed(hook_specific(event, reply))
