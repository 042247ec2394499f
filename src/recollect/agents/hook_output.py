"""What a hook prints for a harness: ASCII JSON on one line, whatever the terminal's encoding."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.agents.event import Event, HookReply


def to_json(output: Mapping[str, object]) -> str:
    """`output` for standard output; '' if it is empty."""
    return json.dumps(output, separators=(",", ":")) if output else ""


def hook_specific(event: Event, reply: HookReply) -> str:
    """The output that Claude Code introduced and others adopted.

    Context goes into prompts and session starts only, a denial only before a tool runs.
    """
    match event.kind:
        case "prompt" | "session_start" if reply.context:
            fields = {"hookEventName": event.name, "additionalContext": reply.context}
        case "tool_before" if reply.deny:
            fields = {
                "hookEventName": event.name,
                "permissionDecision": "deny",
                "permissionDecisionReason": reply.deny,
            }
        case _:
            return ""
    return to_json({"hookSpecificOutput": fields})
