"""Small tools for tests of planning."""

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.gateway.tool import EffectHints, UpstreamTool
from recollect.gateway.tool_graph import ToolEdge

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def obj(**properties: Any) -> dict[str, Any]:
    """An object in which every property is required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def listing(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def tool(
    name: str,
    takes: Mapping[str, Any] | None = None,
    gives: Mapping[str, Any] | None = None,
    *,
    reads: bool | None = None,
    destroys: bool | None = None,
    about: str = "",
) -> UpstreamTool:
    return UpstreamTool(
        "s",
        name,
        about,
        input_schema=obj(**(takes or {})),
        output_schema=gives,
        hints=EffectHints(read_only=reads, destructive=destroys),
    )


def outputs(tools: Sequence[UpstreamTool]) -> dict[str, Mapping[str, Any]]:
    return {each.id: each.output_schema for each in tools if each.output_schema is not None}


def edge(source: str, target: str, count: int = 1) -> ToolEdge:
    return ToolEdge(f"s:{source}", f"s:{target}", count)
