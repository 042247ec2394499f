"""Claude Code's dialect. A subagent's stop is not the session's, and stays unknown."""

from __future__ import annotations

from recollect.agents.answer import hook_specific, printed
from recollect.agents.payload import event_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Event, HookReply, Kind

KINDS: dict[str, Kind] = {
    "UserPromptSubmit": "prompt",
    "SessionStart": "session_start",
    "PreToolUse": "tool_before",
    "PostToolUse": "tool_after",
    "PostToolUseFailure": "tool_failed",
    "PreCompact": "compact",
    "Stop": "stop",
    "SessionEnd": "session_end",
}
CONTEXT: frozenset[Kind] = frozenset({"prompt", "session_start"})


def read(name: str, payload: Mapping[str, Any]) -> Event:
    """The event that Claude Code reports on a hook's standard input."""
    return event_of(name, payload, KINDS)


def write(event: Event, reply: HookReply) -> str:
    """The hook's standard output."""
    return printed(hook_specific(event, reply))
