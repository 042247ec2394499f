"""Serving clients over HTTP, streamable and SSE: this machine only, and only clients with the token."""

import contextlib
import hmac
import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.errors import RefusedError
from recollect.server import sse
from recollect.server.hook_socket import HookSocket
from recollect.server.http_connection import connections
from recollect.server.lifecycle import live
from recollect.server.protocol import make_server
from recollect.server.run_api import API, AUTHOR, OpenRuns, run_routes
from recollect.server.worker import ProjectWorker
from recollect.tools.offers import NO_OFFERS, OfferProvider
from recollect.tools.provider import ToolProvider
from recollect.workflow.commands import Author

HOST = "127.0.0.1"
PATH = "/mcp"
MIN_TOKEN = 16  # characters: what a person makes up in a hurry is shorter


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What clients may use. A session without a request or an open stream expires when it is idle."""

    sessions: int = 100
    body_bytes: int = 4 * 1024 * 1024  # a memory has one megabyte at most
    idle_seconds: float = 600.0
    request_seconds: float = 20.0  # for a request to arrive


@dataclass(frozen=True, slots=True)
class HttpService:
    """What clients get over HTTP. Without a person's token nobody can approve calls of runs there."""

    worker: ProjectWorker
    tools: ToolProvider
    offers: OfferProvider = NO_OFFERS
    runs: OpenRuns | None = None
    person_token: str = ""


_LIMITS = HttpLimits()


def serve(served: HttpService, port: int, token: str | None) -> None:
    """Serve until the parent is gone or a signal comes. Prints address and tokens on standard error."""
    if token is not None and len(token) < MIN_TOKEN:
        raise RefusedError(f"the token is too short; use at least {MIN_TOKEN} characters, or none.")
    listener = _listen(port)
    anyio.run(_serve, served, listener, token, os.getppid())


async def _serve(served: HttpService, listener: socket.socket, token: str | None, parent: int) -> None:
    port, secret = int(listener.getsockname()[1]), token or secrets.token_urlsafe(32)
    announcement = (
        f"recollect: http://{HOST}:{port}{PATH} ({sse.LISTEN} for older clients)  "
        f"token: {'as set' if token else secret}"
    )
    if served.person_token:
        place = f"http://{HOST}:{port}{API}"
        announcement += f"\nrecollect: {place} takes approvals; a person's token: {served.person_token}"
    app = make_app(served, port, secret, _LIMITS)
    transport = HttpTransport(app, listener, announcement, _LIMITS)
    await live(transport, served.tools, HookSocket(served.worker), parent)


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise RefusedError(
            f"cannot listen on port {port}: {error.strerror}; --port takes another one, 0 any free one."
        ) from None
    return listener


class _WebServer(uvicorn.Server):
    """The web server. It announces itself once it accepts; the lifecycle handles signals, not it."""

    def __init__(self, config: uvicorn.Config, announcement: str) -> None:
        super().__init__(config)
        self.announcement = announcement

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        sys.stderr.write(f"{self.announcement}\n")
        sys.stderr.flush()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpTransport:
    """Many clients on one port."""

    def __init__(
        self, app: ASGIApp, listener: socket.socket, announcement: str, limits: HttpLimits
    ) -> None:
        config = uvicorn.Config(
            app,
            http=connections(limits.request_seconds),
            log_level="warning",
            timeout_graceful_shutdown=1,
            ws="none",
        )
        self._server = _WebServer(config, announcement)
        self._listener = listener
        self._ended = anyio.Event()

    async def serve(self) -> None:
        """Serve until `stop`."""
        try:
            await self._server.serve(sockets=[self._listener])
        finally:
            self._ended.set()

    async def stop(self) -> None:
        """End every connection, also the long answers of SSE."""
        self._server.handle_exit(signal.SIGTERM, None)
        await self._ended.wait()


def make_app(served: HttpService, port: int, token: str, limits: HttpLimits) -> ASGIApp:
    """The server as an ASGI application that accepts this port's host names and these tokens only."""
    names = (HOST, "localhost")
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:{port}" for name in names],
        allowed_origins=[f"http://{name}:{port}" for name in names],
    )
    server = make_server(served.worker, served.tools, served.offers)
    routes = sse.routes(server, security, limits.sessions, limits.body_bytes)
    if served.runs is not None:
        routes += run_routes(served.runs, security, limits.sessions)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        session_idle_timeout=limits.idle_seconds,
        max_sessions=limits.sessions,
        max_request_body_size=limits.body_bytes,
        custom_starlette_routes=routes,
    )
    return _TokenRequired(app, token, served.person_token)


class _TokenRequired:
    """An application behind a bearer token. The API of runs also takes a person's, if there is one."""

    def __init__(self, app: ASGIApp, token: str, person_token: str = "") -> None:
        self.app = app
        self.holders: list[tuple[bytes, Author]] = [(f"Bearer {token}".encode(), "agent")]
        if person_token:
            self.holders.append((f"Bearer {person_token}".encode(), "person"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            author = self._author(Headers(scope=scope).get("authorization", "").encode())
            if author is None or (author == "person" and not scope["path"].startswith(API)):
                refusal = PlainTextResponse(
                    "A bearer token is required; `recollect serve --http` printed it when it started.\n",
                    status_code=401,
                    headers={"WWW-Authenticate": "Bearer"},
                )
                await refusal(scope, receive, send)
                return
            scope[AUTHOR] = author
        await self.app(scope, receive, send)

    def _author(self, header: bytes) -> Author | None:
        matching = [author for secret, author in self.holders if hmac.compare_digest(header, secret)]
        return matching[0] if matching else None
