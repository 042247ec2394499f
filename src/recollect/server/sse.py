"""The older way over HTTP, of protocol 2024-11-05: one long answer to listen to, and a place to post to.

Clients that know it and not the streamable one still exist. A session lasts as long as its long answer.
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
    server: Server[Any], security: TransportSecuritySettings, most_sessions: int, most_body: int
) -> list[Route]:
    """Where an older client listens and posts: the same hosts and origins, and as many sessions at most."""
    transport = SseServerTransport(POST, security, most_body)
    sessions = _Sessions(server, transport, TransportSecurityMiddleware(security), most_sessions)
    return [
        Route(LISTEN, endpoint=sessions, methods=["GET"]),
        Route(POST, endpoint=_Posts(transport), methods=["POST"]),
    ]


class _Sessions:
    """A session for each that listens."""

    def __init__(
        self,
        server: Server[Any],
        transport: SseServerTransport,
        security: TransportSecurityMiddleware,
        most: int,
    ) -> None:
        self.server = server
        self.transport = transport
        self.security = security
        self.left = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The transport checks too, but answers a stranger with an error that the log is full of.
        refusal = await self.security.validate_request(Request(scope, receive))
        if refusal is None and not self.left:
            refusal = PlainTextResponse("Too many sessions; end one first.\n", status_code=503)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self.left -= 1
        try:
            async with self.transport.connect_sse(scope, receive, send) as (incoming, outgoing):
                options = self.server.create_initialization_options()
                await self.server.run(incoming, outgoing, options)
        finally:
            self.left += 1


class _Posts:
    """What listeners have to say."""

    def __init__(self, transport: SseServerTransport) -> None:
        self.transport = transport

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.transport.handle_post_message(scope, receive, send)
