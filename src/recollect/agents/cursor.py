"""Cursor's dialect. A prompt can be let through but not added to; only a session's start takes context."""

from __future__ import annotations

from recollect.agents.answer import printed
from recollect.agents.payload import event_of, first, plain, text
from recollect.values import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Event, HookReply, Kind

KINDS: dict[str, Kind] = {
    "beforeSubmitPrompt": "prompt",
    "sessionStart": "session_start",
    "preToolUse": "tool_before",
    "beforeShellExecution": "tool_before",
    "beforeMCPExecution": "tool_before",
    "postToolUse": "tool_after",
    "afterShellExecution": "tool_after",
    "afterMCPExecution": "tool_after",
    "afterFileEdit": "tool_after",
    "postToolUseFailure": "tool_failed",
    "preCompact": "compact",
    "stop": "stop",
    "sessionEnd": "session_end",
}
CONTEXT: frozenset[Kind] = frozenset({"session_start"})
_OUTPUTS = ("tool_output", "output", "result_json", "tool_response", "tool_result")
_FAILURES = ("error_message", "error")


def read(name: str, payload: Mapping[str, Any]) -> Event:
    """The event that Cursor reports; its own events for shells and edits become tool events."""
    event = event_of(name, payload, KINDS)
    return replaced(
        event,
        session=text(payload, "conversation_id", "session_id"),
        folder=event.folder or _root(first(payload, "workspace_roots")),
        tool=event.tool or _tool(event.name),
        tool_input=event.tool_input or _input(payload),
        tool_output=plain(first(payload, *_OUTPUTS, *_FAILURES)),
    )


def write(event: Event, reply: HookReply) -> str:
    """The hook's standard output. Allowing a tool is left to the user's own settings."""
    match event.kind:
        case "prompt":
            return printed({"continue": True})
        case "session_start" if reply.context:
            return printed({"additional_context": reply.context})
        case "tool_before" if reply.deny:
            return printed(
                {"permission": "deny", "user_message": reply.deny, "agent_message": reply.deny}
            )
        case _:
            return ""


def _root(roots: object) -> str:
    match roots:
        case [str() as root, *_]:
            return root
        case _:
            return ""


def _tool(name: str) -> str:
    match name:
        case "beforeShellExecution" | "afterShellExecution":
            return "Shell"
        case "afterFileEdit":
            return "Edit"
        case _:
            return ""


def _input(payload: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: first(payload, name) for name in ("command", "file_path", "edits")}
    return {name: value for name, value in known.items() if value is not None}
