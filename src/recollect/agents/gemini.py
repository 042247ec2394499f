"""Gemini CLI's dialect. Its standard output must be JSON and nothing else."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recollect.agents.answer import hook_specific, printed
from recollect.agents.event import Event, Kind, Reply
from recollect.agents.payload import event_of, first, mapping, text

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
        event = replace(event, kind="tool_failed")
    return replace(event, last_message=text(payload, "prompt_response"))


def write(event: Event, reply: Reply) -> str:
    """The hook's standard output."""
    if event.kind == "tool_before" and reply.deny:
        return printed({"decision": "deny", "reason": reply.deny})
    return printed(hook_specific(event, reply))
