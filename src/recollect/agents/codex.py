"""Codex's dialect: Claude Code's, without its failures and session ends.

Codex rejects an answer with a key it does not know, so only documented ones are written.
"""

from __future__ import annotations

from recollect.agents.answer import hook_specific, printed
from recollect.agents.payload import event_of, text
from recollect.values import replaced

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
    "PreCompact": "compact",
    "Stop": "stop",
}
CONTEXT: frozenset[Kind] = frozenset({"prompt", "session_start"})


def read(name: str, payload: Mapping[str, Any]) -> Event:
    """The event that Codex reports on a hook's standard input; its transcript says whether a call failed."""
    event = event_of(name, payload, KINDS)
    if event.kind == "tool_after":
        event = replaced(event, call=text(payload, "tool_use_id"))
    return event


def write(event: Event, reply: HookReply) -> str:
    """The hook's standard output."""
    return printed(hook_specific(event, reply))
