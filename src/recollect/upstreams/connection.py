"""One connection to one upstream server: started, asked, and stopped with everything that it started."""

import math
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client._transport import Transport, TransportStreams
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from recollect.errors import RefusedError, UpstreamError, first_cause
from recollect.gateway.listing import ServerListing
from recollect.gateway.ports import Secrets
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.upstream import HttpServer, StdioServer, Upstream
from recollect.interpreter import python
from recollect.tools.caller import Report
from recollect.upstreams import guardian
from recollect.upstreams.listing import list_everything, list_tools
from recollect.upstreams.plain_calls import PlainCalls
from recollect.upstreams.server_log import last_words
from recollect.upstreams.sign_in import SignIn

Answer = TypeVar("Answer")


class ClientSide(Protocol):
    """What a server may ask of the client that called it, and tell it."""

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        """A model's answer, a person's, or the client's roots. Raises MCPError when there is none."""

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """A line of the server's log."""

    async def notify(self, notification: types.ServerNotification) -> None:
        """Something changed at the server."""


@dataclass(frozen=True, slots=True)
class UpstreamConnection:
    """An open connection to a server. `ended` is set when the server has hung up."""

    upstream: Upstream
    client: Client
    ended: anyio.Event = field(default_factory=anyio.Event)
    plain_calls: PlainCalls | None = None  # the shorter way, where the transport has one
    sign_in: SignIn | None = None

    async def tools(self) -> list[UpstreamTool]:
        """Every tool that the server lists. Raises UpstreamError when it does not answer."""
        return await self._list(list_tools)

    async def listing(self) -> ServerListing:
        """Everything that the server offers. Raises UpstreamError when it does not answer."""
        return await self._list(list_everything)

    async def _list(self, ask: Callable[[Client, str], Awaitable[Answer]]) -> Answer:
        try:
            with anyio.fail_after(self.upstream.start_seconds):
                return await ask(self.client, self.upstream.name)
        except (MCPError, TimeoutError) as error:
            reason = f"did not list its tools ({_reason(error)})"
            raise _problem(self.sign_in) or _refusal(error) or _failure(self.upstream, reason) from None

    async def call(
        self, name: str, arguments: dict[str, Any], report: Report | None = None
    ) -> types.CallToolResult:
        """Call a tool; its own error is a result.

        Raises UpstreamError when the server does not answer, and RefusedError when it says that the arguments
        are wrong.
        """
        plain = self.plain_calls
        if plain is None or self.client.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
            progress = _progress(report)
            return await self.ask(
                lambda client: client.call_tool(name, arguments, progress_callback=progress), repr(name)
            )
        params = {"name": name, "arguments": arguments}
        result = await self.ask(lambda _: plain.call("tools/call", params, report), repr(name))
        try:
            return types.CallToolResult.model_validate(result, by_name=False)
        except ValidationError:
            reason = f"answered {name!r} with something that is not a tool result"
            raise _failure(self.upstream, reason) from None

    async def ask(self, request: Callable[[Client], Awaitable[Answer]], what: str) -> Answer:
        """Send any request. Raises UpstreamError, which says `what` the server did not answer.

        A server that answers "invalid params" works: that raises RefusedError with its reason.
        """
        try:
            with anyio.fail_after(self.upstream.call_seconds):
                return await request(self.client)
        except TimeoutError:
            reason = f"did not answer {what} within {self.upstream.call_seconds:g} s"
            raise _failure(self.upstream, reason) from None
        except MCPError as error:
            if error.error.code == types.INVALID_PARAMS:
                name, reason = self.upstream.name, error.error.message
                raise RefusedError(
                    f"the server {name!r} rejected the arguments of {what}: {reason}"
                ) from None
            reason = f"refused {what} ({error.error.message})"
            raise _problem(self.sign_in) or _refusal(error) or _failure(self.upstream, reason) from None


def _progress(report: Report | None) -> ProgressFnT | None:
    if report is None:
        return None

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        await report(progress, total, message)

    return progress


@asynccontextmanager
async def connected(
    upstream: Upstream,
    log: Path,
    client_side: ClientSide | None = None,
    logins: Secrets | None = None,
) -> AsyncIterator[UpstreamConnection]:
    """Start a server, or reach a running one, for as long as the block runs.

    `upstream` has its variables replaced. What a started server writes to standard error goes to `log`.
    A server that asks for a login gets the one in `logins`; without one a person is named the command.
    Without a `client_side` the server is told that it can ask for nothing.
    Raises UpstreamError that names the server and what to do.
    """
    server, sign_in = upstream.server, None
    if isinstance(server, HttpServer):
        sign_in = SignIn(upstream.name, server, logins, log)
        transport = partial(over_http, server, sign_in)
    else:
        transport = partial(_process, server, log)
    async with connected_over(transport, upstream, log, client_side, sign_in=sign_in) as connection:
        yield connection


@asynccontextmanager
async def connected_over(
    transport: Callable[[], Transport],
    upstream: Upstream,
    log: Path,
    client_side: ClientSide | None = None,
    patience: float = 0.0,
    sign_in: SignIn | None = None,
) -> AsyncIterator[UpstreamConnection]:
    """`connected` over transports of the caller's, which have `patience` seconds more to start the server."""
    is_open, ours = False, None
    seconds = upstream.start_seconds + patience
    try:
        with anyio.CancelScope(deadline=anyio.current_time() + seconds) as starting:
            async with _greeted(transport, client_side) as (client, ended):
                is_open, starting.deadline = True, math.inf
                try:
                    yield UpstreamConnection(upstream, client, ended, sign_in=sign_in)
                except Exception as error:
                    ours = error
    except Exception as error:
        if not is_open:
            reason = f"cannot be reached ({_reason(error)}){last_words(log)}"
            raise _problem(sign_in) or _refusal(error) or _failure(upstream, reason) from None
        raise
    if ours is not None:
        raise ours
    if starting.cancelled_caught:
        reason = f"did not answer within {upstream.start_seconds:g} s{last_words(log)}"
        raise _failure(upstream, reason)


@asynccontextmanager
async def _greeted(
    transport: Callable[[], Transport], client_side: ClientSide | None
) -> AsyncIterator[tuple[Client, anyio.Event]]:
    """A client after the handshake, and the event that its server has hung up.

    The older protocol comes first: in it a server can ask while a call is open. A server that refuses it
    is reached with the newer one.
    """
    options = _callbacks(client_side) | {"cache": None}
    async with AsyncExitStack() as stack:

        async def greet(mode: str) -> tuple[Client, anyio.Event]:
            ended = anyio.Event()
            client = Client(_observed(transport(), ended), mode=mode, **options)
            return await stack.enter_async_context(client), ended

        try:
            greeted = await greet("legacy")
        except Exception as error:
            if not _is_refusal(error):
                raise
            greeted = await greet("auto")
        if client_side is None or greeted[0].protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
            yield greeted
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_listen, greeted[0])
            yield greeted
            tasks.cancel_scope.cancel()


async def _listen(client: Client) -> None:
    """Have a server of the newer protocol say what changes; the client's callback hears of it."""
    offers = client.server_capabilities
    tools = bool(offers.tools and offers.tools.list_changed)
    prompts = bool(offers.prompts and offers.prompts.list_changed)
    resources = bool(offers.resources and offers.resources.list_changed)
    if not (tools or prompts or resources):
        return
    with suppress(MCPError, SubscriptionLost, TimeoutError):
        async with client.listen(
            tools_list_changed=tools,
            prompts_list_changed=prompts,
            resources_list_changed=resources,
        ) as events:
            async for _ in events:
                pass


def _is_refusal(error: BaseException) -> bool:
    """Whether the server answered, with an error."""
    cause = first_cause(error)
    return isinstance(cause, MCPError) and cause.error.code != types.CONNECTION_CLOSED


@asynccontextmanager
async def _observed(transport: Transport, ended: anyio.Event) -> AsyncIterator[TransportStreams]:
    """The transport; `ended` is set when nothing more comes from the server."""
    async with transport as (incoming, outgoing):
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage | Exception]()

        async def pass_on() -> None:
            async with to_client:
                async for message in incoming:
                    await to_client.send(message)
            ended.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pass_on)
            yield from_server, outgoing
            tasks.cancel_scope.cancel()


def _callbacks(client_side: ClientSide | None) -> dict[str, Any]:
    """The callbacks of the SDK's client, which is how it tells a server what it can ask for."""
    if client_side is None:
        return {}

    async def answer(question: types.InputRequest) -> types.InputResponse | types.ErrorData:
        try:
            return await client_side.answer(question)
        except MCPError as error:
            return error.error

    async def notify(message: types.ServerNotification | Exception) -> None:
        if not isinstance(message, Exception):
            await client_side.notify(message)

    return {
        "sampling_callback": lambda _, params: answer(types.CreateMessageRequest(params=params)),
        "elicitation_callback": lambda _, params: answer(types.ElicitRequest(params=params)),
        "list_roots_callback": lambda _: answer(types.ListRootsRequest()),
        "logging_callback": client_side.log,
        "message_handler": notify,
    }


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
async def over_http(server: HttpServer, auth: httpx2.Auth | None) -> AsyncIterator[TransportStreams]:
    """The streams of a server that somebody else runs."""
    headers = dict(server.headers)
    if server.kind == "sse":
        async with sse_client(server.url, headers=headers, auth=auth) as streams:
            yield streams
        return
    async with (
        create_mcp_http_client(headers=headers, auth=auth) as http,
        streamable_http_client(server.url, http_client=http) as streams,
    ):
        yield streams


def _problem(sign_in: SignIn | None) -> UpstreamError | None:
    return sign_in.problem if sign_in else None


def _failure(upstream: Upstream, reason: str) -> UpstreamError:
    is_process = isinstance(upstream.server, StdioServer)
    logs = f"`recollect gateway logs {upstream.name}` shows what it wrote"
    advice = logs if is_process else "`recollect gateway list` shows its address"
    return UpstreamError(upstream.name, reason, advice)


def _refusal(error: BaseException) -> UpstreamError | None:
    """The broker's own words about a server; None for an error that is the server's."""
    match first_cause(error):
        case MCPError(
            error=types.ErrorData(data={"server": server, "reason": reason, "advice": advice})
        ):
            return UpstreamError(str(server), str(reason), str(advice))
    return None


def _reason(error: BaseException) -> str:
    cause = first_cause(error)
    return cause.error.message if isinstance(cause, MCPError) else str(cause) or type(cause).__name__
