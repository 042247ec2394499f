"""Which part of a tool's result has a shape that can be learned."""

import json
from typing import Any

import mcp_types as types

_MOST_CHARACTERS = 2_000_000


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


def _parsed(text: str) -> Any:
    if len(text) > _MOST_CHARACTERS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
