"""A server of one provider's tools, without memory."""

from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server

from recollect import __version__
from recollect.server.caller import Context, SessionCaller
from recollect.server.stdio_transport import StdioTransport
from recollect.tools.provider import ToolProvider


def serve_tools(name: str, tools: ToolProvider) -> None:
    """Serve one provider's tools over standard input until that ends."""
    anyio.run(_serve, name, tools)


async def _serve(name: str, tools: ToolProvider) -> None:
    async def list_tools(_: Context, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(await tools.list_tools()))

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await tools.call_tool(params.name, params.arguments or {}, SessionCaller(context))

    server: Server[Any] = Server(
        name, version=__version__, on_list_tools=list_tools, on_call_tool=call_tool
    )
    async with anyio.create_task_group() as tasks:
        await tools.start(tasks)
        try:
            await StdioTransport(server).serve()
        finally:
            with anyio.CancelScope(shield=True):
                await tools.stop()
            tasks.cancel_scope.cancel()
