"""What a row of a Codex rollout says. Older ones have calls and outputs, newer ones also finished items."""

from __future__ import annotations

from recollect.agents.past_events import Answered, Called, Context, Returned, Said
from recollect.agents.payload import (
    first_value,
    joined_text,
    object_field,
    objects,
    plain_text,
    text_field,
)
from recollect.working.tools import patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row

_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


def read(row: Row) -> list[PastEvent]:
    """The events of a row."""
    payload = row.get("payload")
    if not isinstance(payload, dict):
        return []
    kind, row_type = text_field(payload, "type"), text_field(row, "type")
    if row_type in ("session_meta", "turn_context"):
        source = payload.get("source")
        is_side = isinstance(source, dict) and "subagent" in source
        return [Context(text_field(payload, "id"), text_field(payload, "cwd"), is_side=is_side)]
    if kind == "user_message":
        return [Said(joined_text(payload.get("message")))]
    if kind == "agent_message":
        return [Answered(joined_text(payload.get("message")))]
    if kind == "item_completed":
        item = payload.get("item")
        return _item(item) if isinstance(item, dict) else []
    return _response(kind, payload)


def _response(kind: str, payload: dict[str, Any]) -> list[PastEvent]:
    """A call, or its output, as the model's protocol writes them."""
    call = text_field(payload, "call_id", "id")
    if kind in _CALLS:
        tool = text_field(payload, "name") or "local_shell"
        return [Called(call, tool, _arguments(payload))]
    if kind in _OUTPUTS:
        return [_returned(call, payload.get("output"))]
    return []


def _arguments(payload: dict[str, Any]) -> dict[str, Any]:
    arguments = dict(object_field(payload, "arguments") or object_field(payload, "action"))
    if not arguments and (text := text_field(payload, "input", "arguments")):
        return {"patch": text} if patched_files(text) else {"command": text}
    return arguments


def _returned(call: str, output: object) -> Returned:
    """An output is a text, a JSON text with `output` and `metadata.exit_code`, or content blocks."""
    fields = object_field({"output": output}, "output")
    if not fields:
        return Returned(call, plain_text(output))
    metadata = fields.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    failed = code != 0 if isinstance(code, int) else None
    return Returned(call, plain_text(first_value(fields, "output", "content") or fields), failed)


def _item(item: dict[str, Any]) -> list[PastEvent]:
    """A finished item: what was said, run or changed."""
    call, failed = text_field(item, "id"), _failed(item)
    match item.get("type"):
        case "UserMessage":
            return [Said(joined_text(item.get("content")))]
        case "AgentMessage":
            return [Answered(joined_text(item.get("content")))]
        case "CommandExecution":
            fields = {"command": item.get("command")}
            output = text_field(item, "aggregated_output")
            return [Called(call, "shell", fields), Returned(call, output, failed)]
        case "FileChange":
            return [
                event
                for number, path in enumerate(_changed(item.get("changes")))
                for event in (
                    Called(f"{call}#{number}", "Edit", {"file_path": path}),
                    Returned(f"{call}#{number}", "", failed),
                )
            ]
        case _:
            return []


def _changed(changes: object) -> list[str]:
    if isinstance(changes, dict):
        return list(map(str, changes))
    return [path for change in objects(changes) if (path := text_field(change, "path"))]


def _failed(item: dict[str, Any]) -> bool:
    return item.get("status") == "failed" or item.get("exit_code") not in (0, None)
