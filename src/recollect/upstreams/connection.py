"""One connection to one upstream server: started, asked, and stopped with everything that it started."""

import math
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError
from mcp.client._transport import Transport, TransportStreams
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from recollect.errors import UpstreamError
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.upstream import HttpServer, StdioServer, Upstream
from recollect.interpreter import python
from recollect.upstreams import guardian

_MOST_PAGES = 100  # of a list of tools: a server whose list never ends is cut off
_LAST_WORDS = 300  # characters of a log that an error quotes


@dataclass(frozen=True, slots=True)
class UpstreamConnection:
    """An open connection to a server."""

    upstream: Upstream
    client: Client

    async def tools(self) -> list[UpstreamTool]:
        """Every tool that the server lists. Raises UpstreamError when it does not answer."""
        tools: list[UpstreamTool] = []
        cursor: str | None = None
        try:
            with anyio.fail_after(self.upstream.start_seconds):
                for _ in range(_MOST_PAGES):
                    page = await self.client.list_tools(cursor=cursor)
                    tools += [_known(self.upstream.name, tool) for tool in page.tools]
                    cursor = page.next_cursor
                    if not cursor:
                        break
        except (MCPError, TimeoutError) as error:
            raise _failure(self.upstream, f"does not list its tools ({_reason(error)})") from None
        return tools

    async def call(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool; its own error is a result. Raises UpstreamError when the server does not answer."""
        try:
            with anyio.fail_after(self.upstream.call_seconds):
                return await self.client.call_tool(name, arguments)
        except TimeoutError:
            reason = f"did not answer {name!r} within {self.upstream.call_seconds:g} s"
            raise _failure(self.upstream, reason) from None
        except MCPError as error:
            raise _failure(self.upstream, f"refused {name!r} ({error.error.message})") from None


@asynccontextmanager
async def connected(upstream: Upstream, log: Path) -> AsyncIterator[UpstreamConnection]:
    """Start a server, or reach a running one, for as long as the block runs.

    `upstream` has its variables replaced. What a started server writes to standard error goes to `log`.
    Raises UpstreamError that names the server and what to do.
    """
    is_open, ours = False, None
    try:
        with anyio.CancelScope(deadline=anyio.current_time() + upstream.start_seconds) as starting:
            async with Client(_transport(upstream, log), cache=None) as client:
                is_open, starting.deadline = True, math.inf
                try:
                    yield UpstreamConnection(upstream, client)
                except Exception as error:
                    ours = error
    except Exception as error:
        if not is_open:
            reason = f"cannot be reached ({_reason(error)}){_last_words(log)}"
            raise _failure(upstream, reason) from None
        raise
    if ours is not None:
        raise ours
    if starting.cancelled_caught:
        reason = f"did not answer within {upstream.start_seconds:g} s{_last_words(log)}"
        raise _failure(upstream, reason)


def _transport(upstream: Upstream, log: Path) -> Transport:
    server = upstream.server
    if isinstance(server, StdioServer):
        return _process(server, log)
    if server.kind == "sse":
        return sse_client(server.url, headers=dict(server.headers))
    return _http(server)


@asynccontextmanager
async def _process(server: StdioServer, log: Path) -> AsyncIterator[TransportStreams]:
    command, *arguments = python("-S", guardian.__file__, str(log), server.command, *server.arguments)
    parameters = StdioServerParameters(
        command=command, args=arguments, env=dict(server.env), cwd=server.folder or None
    )
    with os.fdopen(guardian.open_log(str(log)), "w") as errors:  # of the guardian itself
        async with stdio_client(parameters, errors) as streams:
            yield streams


@asynccontextmanager
async def _http(server: HttpServer) -> AsyncIterator[TransportStreams]:
    async with (
        create_mcp_http_client(headers=dict(server.headers)) as http,
        streamable_http_client(server.url, http_client=http) as streams,
    ):
        yield streams


def _known(server: str, tool: types.Tool) -> UpstreamTool:
    return UpstreamTool(server, tool.name, tool.description or tool.title or "", tool.input_schema)


def _failure(upstream: Upstream, reason: str) -> UpstreamError:
    is_process = isinstance(upstream.server, StdioServer)
    logs = f"`recollect gateway logs {upstream.name}` shows what it wrote"
    advice = logs if is_process else "`recollect gateway list` shows its address"
    return UpstreamError(upstream.name, reason, advice)


def _reason(error: BaseException) -> str:
    """The first cause: task groups wrap what went wrong inside them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, MCPError):
        return error.error.message
    return str(error) or type(error).__name__


def _last_words(log: Path) -> str:
    """The end of what the server wrote to standard error, for an error about it."""
    try:
        text = log.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace")
    except OSError:
        return ""
    last = " ".join(text.split())
    return f", and last wrote: {last}" if last else ""
