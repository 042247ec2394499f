"""Upstream tools under names of their own, for the modes proxy and hybrid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import mcp_types as types

from recollect.gateway.exposure import Exposure, listed_tools
from recollect.gateway.naming import listed_names
from recollect.gateway.receipts import schema_tokens
from recollect.gateway.tool import UpstreamTool, listing_tokens

READ_RESULT = "read_result"


@dataclass(frozen=True, slots=True)
class ToolSurface:
    """What a client sees: the tools as they are listed, and which of the names are upstream tools."""

    listed: Sequence[types.Tool] = ()
    proxied: Mapping[str, UpstreamTool] = field(default_factory=dict)


def tool_surface(
    exposure: Exposure,
    meta_tools: Sequence[types.Tool],
    tools: Sequence[UpstreamTool],
    calls: Mapping[str, int],
) -> ToolSurface:
    """The meta-tools, upstream tools, or both. `calls` counts what was used, by id."""
    costs = {tool.id: schema_tokens(tool) for tool in tools}
    reads = [
        tool for tool in meta_tools if tool.name == READ_RESULT
    ]  # results are stored in every mode
    own = reads if exposure.mode == "proxy" else list(meta_tools)
    chosen = listed_tools(exposure, tools, costs, calls)
    proxied = listed_names(chosen, taken=[tool.name for tool in meta_tools])
    listed = [proxied_tool(name, tool) for name, tool in proxied.items()]
    return ToolSurface(own + listed, proxied)


def proxied_tool(name: str, tool: UpstreamTool) -> types.Tool:
    """An upstream tool as clients see it: as its server declares it, under our name.

    Without its output schema: clients refuse a result that does not fit it, and the note in place of a large
    result does not.
    """
    hints = tool.hints
    return types.Tool(
        name=name,
        title=tool.title or None,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        _meta=dict(tool.meta) or None,
        annotations=types.ToolAnnotations(
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def cost(tool: types.Tool) -> int:
    """About how many tokens a listed tool costs in every conversation."""
    return listing_tokens(tool.name, tool.title or "", tool.description or "", tool.input_schema)
