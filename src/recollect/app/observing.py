"""What a result says about its tool: how the call went, and which part has a shape that can be learned."""

import json
from typing import Any

import mcp_types as types

from recollect.gateway.receipts import Outcome
from recollect.records.json_format import Json

_MOST_CHARACTERS = 2_000_000
_INVALID_PARAMS = (
    f"MCP error {types.INVALID_PARAMS}:"  # how the TypeScript SDK begins that error as a result
)


def outcome_of(result: types.CallToolResult) -> Outcome:
    """How a call went that the server answered. What servers call invalid parameters is the agent's error."""
    if not result.is_error:
        return "ok"
    match result.content:
        case [types.TextContent(text=text)] if text.startswith(_INVALID_PARAMS):
            return "bad_arguments"
    return "tool_error"


def result_value(result: types.CallToolResult) -> Any:
    """The structured content, or the JSON object or list that is the only text; None for anything else."""
    if result.is_error:
        return None
    if result.structured_content is not None:
        return result.structured_content
    match result.content:
        case [types.TextContent(text=text)] if text.lstrip()[:1] in ("{", "["):
            return _parsed(text)
    return None


def output_value(result: types.CallToolResult) -> Json:
    """What other calls read of a result: its structured content, its JSON, or its text."""
    value: Json = result_value(result)
    return text_of(result) if value is None else value


def text_of(result: types.CallToolResult) -> str:
    """The text of a result, without what is not text."""
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def _parsed(text: str) -> Any:
    if len(text) > _MOST_CHARACTERS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
