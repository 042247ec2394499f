"""What is printed for a harness: ASCII JSON on one line, whatever the terminal's encoding."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.agents.event import Event, HookReply


def printed(answer: Mapping[str, object]) -> str:
    """`answer` as the bytes for standard output; nothing to say prints nothing."""
    return json.dumps(answer, separators=(",", ":")) if answer else ""


def hook_specific(event: Event, reply: HookReply) -> dict[str, object]:
    """The answer that Claude Code introduced and others took over.

    Context goes into prompts and session starts only, a denial only before a tool runs.
    """
    match event.kind:
        case "prompt" | "session_start" if reply.context:
            told = {"hookEventName": event.name, "additionalContext": reply.context}
        case "tool_before" if reply.deny:
            told = {
                "hookEventName": event.name,
                "permissionDecision": "deny",
                "permissionDecisionReason": reply.deny,
            }
        case _:
            return {}
    return {"hookSpecificOutput": told}
