"""Serving clients over HTTP, streamable and SSE: this machine only, and only clients with the token."""

import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.app.worker import ProjectWorker
from recollect.errors import RefusedError
from recollect.loopback.answers import error_answer
from recollect.loopback.authentication import Authentication, ProcessTokens, authenticated, bearer
from recollect.loopback.endpoint import API, routes
from recollect.loopback.health import OPEN_PATHS, health_routes
from recollect.loopback.listening import HOST, HttpTransport, listen
from recollect.loopback.metrics_api import METRICS_ENDPOINT
from recollect.loopback.origins import LocalOrigins
from recollect.loopback.run_api import RUN_ENDPOINTS, RunAccess
from recollect.loopback.streams import Streams
from recollect.server import sse
from recollect.server.hook_socket import HookSocket
from recollect.server.lifecycle import FinishWrites, live, nothing_written
from recollect.server.protocol import make_server
from recollect.team.principal import LOCAL_AGENT, OWNER
from recollect.tools.offers import NO_OFFERS, OfferProvider
from recollect.tools.provider import ToolProvider

OpenRuns = Callable[[], Awaitable[RunAccess]]
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
    """What clients get over HTTP. Without a person's token nobody can approve calls of runs there.

    With `team` the tokens of a database count, and none that this process makes; `public` is where a proxy
    offers it to others.
    """

    worker: ProjectWorker
    tools: ToolProvider
    offers: OfferProvider = NO_OFFERS
    runs: OpenRuns | None = None
    person_token: str = ""
    finish_writes: FinishWrites = nothing_written
    team: Authentication | None = None
    public: str = ""


_LIMITS = HttpLimits()


def serve(served: HttpService, port: int, token: str | None) -> None:
    """Serve until the parent is gone or a signal comes. Prints address and tokens on standard error."""
    if token is not None and len(token) < MIN_TOKEN:
        raise RefusedError(f"the token is too short; use at least {MIN_TOKEN} characters, or none.")
    listener = listen(port)
    anyio.run(_serve, served, listener, token, os.getppid())


async def _serve(served: HttpService, listener: socket.socket, token: str | None, parent: int) -> None:
    port, secret = int(listener.getsockname()[1]), token or secrets.token_urlsafe(32)
    place = f"http://{HOST}:{port}{PATH} ({sse.LISTEN} for older clients)"
    announcement = f"recollect: {place}  token: {'as set' if token else secret}"
    if served.team is not None:
        announcement = f"recollect: {place}  token: of a member (`recollect team token create`)"
    elif served.person_token:
        place = f"http://{HOST}:{port}{API}"
        announcement += (
            f"\nrecollect: {place} accepts approvals; a person's token: {served.person_token}"
        )
    app = make_app(served, port, secret, _LIMITS)

    def announce() -> None:
        sys.stderr.write(f"{announcement}\n")
        sys.stderr.flush()

    transport = HttpTransport(app, listener, announce, _LIMITS.request_seconds)
    hook_socket = HookSocket(served.worker)
    await live(transport, served.tools, hook_socket, parent, served.finish_writes)


def make_app(served: HttpService, port: int, token: str, limits: HttpLimits) -> ASGIApp:
    """The server as an ASGI application that accepts this port's host names and these tokens only."""
    origins = LocalOrigins(port, served.public if served.team else "")
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=origins.hosts,
        allowed_origins=origins.origins,
    )
    server = make_server(served.worker, served.tools, served.offers)
    authentication = served.team or _process_tokens(token, served.person_token)
    extra = sse.routes(server, security, limits.sessions, limits.body_bytes)
    extra += [*health_routes(authentication), *_local(routes([METRICS_ENDPOINT], None), origins)]
    if served.runs is not None:
        access = _Runs(served.runs, Streams(limits.sessions))
        extra += _local(routes(RUN_ENDPOINTS, access), origins)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        session_idle_timeout=limits.idle_seconds,
        max_sessions=limits.sessions,
        max_request_body_size=limits.body_bytes,
        custom_starlette_routes=extra,
    )
    return _TokenRequired(app, authentication)


@dataclass(frozen=True, slots=True)
class _Runs:
    """The runs of a server, for the endpoints of the API."""

    runs: OpenRuns
    streams: Streams


def _local(api: list[Route], origins: LocalOrigins) -> list[Route]:
    """An API with the same checks of host and origin as the protocol's own."""
    for route in api:
        route.app = _LocalOnly(route.app, origins)
    return api


class _LocalOnly:
    """An application for requests of this machine's own pages and programs."""

    def __init__(self, app: ASGIApp, origins: LocalOrigins) -> None:
        self.app, self.origins = app, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self.origins.refusal(Headers(scope=scope))
        app = self.app if refusal is None else error_answer(refusal.reason, refusal.code)
        await app(scope, receive, send)


def _process_tokens(token: str, person_token: str) -> ProcessTokens:
    people = {person_token: OWNER} if person_token else {}
    return ProcessTokens({token: LOCAL_AGENT} | people)


class _TokenRequired:
    """An application behind a bearer token. Only the API takes a person's: what speaks MCP is an agent."""

    def __init__(self, app: ASGIApp, authentication: Authentication) -> None:
        self.app, self.authentication = app, authentication

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_open = scope["type"] != "http" or scope["path"] in OPEN_PATHS
        if not is_open and (refusal := await self._refusal(scope)) is not None:
            await refusal(scope, receive, send)
            return
        await self.app(scope, receive, send)

    async def _refusal(self, scope: Scope) -> Response | None:
        answer = await authenticated(scope, bearer(Headers(scope=scope)), self.authentication)
        if isinstance(answer, Response):
            return answer
        if answer is not None and (answer.kind == "agent" or scope["path"].startswith(API)):
            return None
        return PlainTextResponse(
            "A bearer token is required: an agent's, which `recollect serve --http` printed when it "
            "started, or one that `recollect team token create --agent` made.\n",
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
