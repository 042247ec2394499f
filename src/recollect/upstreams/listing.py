"""What a server lists, as the catalogue knows it: tools, resources, resource templates and prompts."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import mcp_types as types
from mcp import Client, MCPError

from recollect.gateway.listing import (
    PromptArgument,
    ServerListing,
    UpstreamPrompt,
    UpstreamResource,
    UpstreamTemplate,
)
from recollect.gateway.tool import EffectHints, UpstreamTool

MOST_PAGES = 100  # of one list: a server whose list never ends is cut off
_APPS = "ui"  # MCP Apps: `_meta.ui`, before that `_meta["ui/resourceUri"]`

Item = TypeVar("Item")
Page = tuple[Sequence[Item], str | None]


async def list_everything(client: Client, server: str) -> ServerListing:
    """All that a server offers. Raises MCPError when it does not list its tools.

    A list that it announces and then refuses stays unknown: tools work without it.
    """
    offers = client.server_capabilities
    tools = list_tools(client, server)
    return ServerListing(
        await tools if offers.tools else await _or_unknown(tools) or [],
        await _or_unknown(list_resources(client, server)) if offers.resources else [],
        await _or_unknown(list_templates(client, server)) if offers.resources else [],
        await _or_unknown(list_prompts(client, server)) if offers.prompts else [],
    )


async def list_tools(client: Client, server: str) -> list[UpstreamTool]:
    """Every tool of a server."""

    async def page(cursor: str | None) -> Page[types.Tool]:
        result = await client.list_tools(cursor=cursor)
        return result.tools, result.next_cursor

    return [tool_value(server, tool) for tool in await _every(page)]


async def list_resources(client: Client, server: str) -> list[UpstreamResource]:
    """Every resource of a server."""

    async def page(cursor: str | None) -> Page[types.Resource]:
        result = await client.list_resources(cursor=cursor)
        return result.resources, result.next_cursor

    return [_resource(server, resource) for resource in await _every(page)]


async def list_templates(client: Client, server: str) -> list[UpstreamTemplate]:
    """Every resource template of a server."""

    async def page(cursor: str | None) -> Page[types.ResourceTemplate]:
        result = await client.list_resource_templates(cursor=cursor)
        return result.resource_templates, result.next_cursor

    return [
        UpstreamTemplate(
            server,
            template.uri_template,
            template.name,
            template.title or "",
            template.description or "",
            template.mime_type or "",
        )
        for template in await _every(page)
    ]


async def list_prompts(client: Client, server: str) -> list[UpstreamPrompt]:
    """Every prompt of a server."""

    async def page(cursor: str | None) -> Page[types.Prompt]:
        result = await client.list_prompts(cursor=cursor)
        return result.prompts, result.next_cursor

    return [_prompt(server, prompt) for prompt in await _every(page)]


def tool_value(server: str, tool: types.Tool) -> UpstreamTool:
    """A tool of the protocol as the catalogue knows it."""
    says = tool.annotations or types.ToolAnnotations()
    return UpstreamTool(
        server,
        tool.name,
        tool.description or "",
        tool.input_schema,
        tool.title or says.title or "",
        EffectHints(
            says.read_only_hint, says.destructive_hint, says.idempotent_hint, says.open_world_hint
        ),
        tool.output_schema,
        _app_meta(tool.meta),
    )


def _resource(server: str, resource: types.Resource) -> UpstreamResource:
    return UpstreamResource(
        server,
        str(resource.uri),
        resource.name,
        resource.title or "",
        resource.description or "",
        resource.mime_type or "",
        resource.size,
        _app_meta(resource.meta),
    )


def _prompt(server: str, prompt: types.Prompt) -> UpstreamPrompt:
    arguments = tuple(
        PromptArgument(argument.name, argument.description or "", bool(argument.required))
        for argument in prompt.arguments or ()
    )
    return UpstreamPrompt(server, prompt.name, prompt.title or "", prompt.description or "", arguments)


def _app_meta(meta: Any) -> dict[str, Any]:
    """What MCP Apps read of `_meta`; the rest belongs to the connection and not to the catalogue."""
    return {key: value for key, value in (meta or {}).items() if key.partition("/")[0] == _APPS}


async def _every(page: Callable[[str | None], Awaitable[Page[Item]]]) -> list[Item]:
    items: list[Item] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        some, cursor = await page(cursor)
        items += some
        if not cursor:
            break
    return items


async def _or_unknown(items: Awaitable[list[Item]]) -> list[Item] | None:
    try:
        return await items
    except MCPError:
        return None
