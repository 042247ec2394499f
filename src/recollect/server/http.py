"""Serving clients over HTTP, streamable and older: this machine only, and only those who know the token."""

import contextlib
import hmac
import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.errors import RefusedError
from recollect.server import sse
from recollect.server.bridge import Bridge
from recollect.server.hook_socket import WarmPath
from recollect.server.protocol import make_server
from recollect.server.shutdown import SETTLE, until_over

HOST = "127.0.0.1"
PATH = "/mcp"
LEAST_TOKEN = 16  # characters: what a person makes up in a hurry is shorter
MOST_SESSIONS = 100
MOST_BODY = 4 * 1024 * 1024  # bytes; a memory has one megabyte at most


def serve(bridge: Bridge, port: int, token: str | None) -> None:
    """Serve until the parent is gone or a signal comes. Says on standard error where, and the token."""
    if token is not None and len(token) < LEAST_TOKEN:
        raise RefusedError(f"the token is too short; use at least {LEAST_TOKEN} characters, or none.")
    listening = _listen(port)
    known = token or secrets.token_urlsafe(32)
    where = (
        f"recollect: http://{HOST}:{_port(listening)}{PATH} ({sse.LISTEN} for older clients)  "
        f"token: {'as given' if token else known}"
    )
    anyio.run(_serve, bridge, listening, known, where, os.getppid())


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise RefusedError(
            f"cannot listen on port {port}: {error.strerror}; --port names another, 0 any that is free."
        ) from None
    return listening


def _port(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])


class _Server(uvicorn.Server):
    """The web server, saying where it is once it is there. Signals are ours, not its own."""

    def __init__(self, config: uvicorn.Config, where: str) -> None:
        super().__init__(config)
        self.where = where

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        sys.stderr.write(f"{self.where}\n")
        sys.stderr.flush()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _serve(bridge: Bridge, listening: socket.socket, token: str, where: str, parent: int) -> None:
    app = make_app(bridge, _port(listening), token)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, ws="none")
    server, warm = _Server(config, where), WarmPath(bridge)

    async def end() -> None:
        await until_over(parent)
        server.handle_exit(signal.SIGTERM, None)  # also tells the answers that never end by themselves

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(end)
        tasks.start_soon(warm.serve)
        await server.serve(sockets=[listening])
        await bridge.settle(SETTLE)
        tasks.cancel_scope.cancel()


def make_app(bridge: Bridge, port: int, token: str) -> ASGIApp:
    """The server as an ASGI application that answers on this port to this token only."""
    names = (HOST, "localhost")
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:{port}" for name in names],
        allowed_origins=[f"http://{name}:{port}" for name in names],
    )
    server = make_server(bridge)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        max_sessions=MOST_SESSIONS,
        max_request_body_size=MOST_BODY,
        custom_starlette_routes=sse.routes(server, security, MOST_SESSIONS, MOST_BODY),
    )
    return _Guarded(app, token)


class _Guarded:
    """An application behind a bearer token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = Headers(scope=scope).get("authorization", "").encode()
            if not hmac.compare_digest(given, self.expected):
                refusal = PlainTextResponse(
                    "A bearer token is needed; `recollect serve --http` printed it when it started.\n",
                    status_code=401,
                    headers={"WWW-Authenticate": "Bearer"},
                )
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)
