"""SSE, the HTTP transport of protocol 2024-11-05, for clients that do not know streamable HTTP.

A client listens to one long response and posts requests. A session lasts as long as its response.
"""

from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

LISTEN, POST = "/sse", "/messages/"


def routes(
    server: Server[Any], security: TransportSecuritySettings, max_sessions: int, max_body: int
) -> list[Route]:
    """The two routes of an older client, with the same checks and limits as streamable HTTP."""
    transport = SseServerTransport(POST, security, max_body)
    sessions = _Sessions(server, transport, TransportSecurityMiddleware(security), max_sessions)
    return [
        Route(LISTEN, endpoint=sessions, methods=["GET"]),
        Route(POST, endpoint=_Posts(transport), methods=["POST"]),
    ]


class _Sessions:
    """A session for each client that listens, up to a maximum."""

    def __init__(
        self,
        server: Server[Any],
        transport: SseServerTransport,
        security: TransportSecurityMiddleware,
        maximum: int,
    ) -> None:
        self.server = server
        self.transport = transport
        self.security = security
        self.free = maximum

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The transport checks too, but logs a traceback for each request that it refuses.
        refusal = await self.security.validate_request(Request(scope, receive))
        if refusal is None and not self.free:
            refusal = PlainTextResponse("Too many sessions; end one first.\n", status_code=503)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self.free -= 1
        try:
            async with self.transport.connect_sse(scope, receive, send) as (incoming, outgoing):
                options = self.server.create_initialization_options()
                await self.server.run(incoming, outgoing, options)
        finally:
            self.free += 1


class _Posts:
    """The requests of clients that listen."""

    def __init__(self, transport: SseServerTransport) -> None:
        self.transport = transport

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.transport.handle_post_message(scope, receive, send)
