"""A connection to a server that the broker runs, in place of a process of our own."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import mcp_types as types
from anyio import to_thread
from mcp.client._transport import TransportStreams
from mcp.client.stdio import get_default_environment

from recollect.gateway.ports import Secrets
from recollect.gateway.upstream import StdioServer, Upstream
from recollect.upstreams.broker_client import open_lease
from recollect.upstreams.connection import ClientSide, UpstreamConnection, connected, connected_over
from recollect.upstreams.lease_request import LeaseRequest
from recollect.upstreams.message_streams import message_streams
from recollect.upstreams.plain_calls import PlainCalls

_PATIENCE = 2.0  # seconds more than the broker gives a server to start, so that the broker says why


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where a client works: what a server that it leases may see. Others with the same may share it.

    A client without `roots` refuses to name any.
    """

    folder: str
    roots: tuple[str, ...] = ()


@asynccontextmanager
async def leased(
    upstream: Upstream,
    log: Path,
    broker: Path,
    workplace: Workplace,
    client_side: ClientSide,
    logins: Secrets | None = None,
) -> AsyncIterator[UpstreamConnection]:
    """`connected` to a server that the broker of a folder runs, for as long as the block runs.

    A server that somebody else runs has no process to share, and is connected to directly. Where no broker
    can run, the server becomes a process of ours.
    """
    client_side = _FixedRoots(client_side, workplace.roots)
    if not isinstance(upstream.server, StdioServer):
        async with connected(upstream, log, client_side, logins) as connection:
            yield connection
        return
    folder = str(
        Path(upstream.server.folder or workplace.folder).absolute()
    )  # the broker runs elsewhere
    server = replace(upstream.server, folder=folder)
    upstream = replace(upstream, server=server)
    request = _request(upstream, server, log, workplace)
    try:
        lines = [await opened_line(broker, request)]
    except OSError:
        async with connected(upstream, log, client_side) as connection:
            yield connection
        return

    async def line() -> socket.socket:
        return lines.pop() if lines else await opened_line(broker, request)

    calls = PlainCalls()
    transport = partial(carried, line, calls)
    async with connected_over(transport, upstream, log, client_side, _PATIENCE) as connection:
        yield replace(connection, plain_calls=calls)


def _request(upstream: Upstream, server: StdioServer, log: Path, workplace: Workplace) -> LeaseRequest:
    # A server has no terminal, and clients in different ones may share it.
    inherited = {name: value for name, value in get_default_environment().items() if name != "TERM"}
    return LeaseRequest(
        name=upstream.name,
        command=server.command,
        arguments=server.arguments,
        env=tuple(sorted((inherited | dict(server.env)).items())),
        folder=server.folder,
        roots=workplace.roots,
        log=str(log),
        start_seconds=upstream.start_seconds,
        idle_seconds=upstream.idle_seconds,
        max_calls=upstream.max_calls,
        shared=upstream.shared,
    )


async def opened_line(broker: Path, request: LeaseRequest) -> socket.socket:
    """Lease in a thread; a lease that nobody waits for any more is given back."""
    is_abandoned = threading.Event()

    def lease() -> socket.socket:
        line = open_lease(broker, request)
        if is_abandoned.is_set():
            line.close()
        return line

    try:
        return await to_thread.run_sync(lease, abandon_on_cancel=True)
    except BaseException:
        is_abandoned.set()
        raise


@asynccontextmanager
async def carried(
    line: Callable[[], Awaitable[socket.socket]], calls: PlainCalls
) -> AsyncIterator[TransportStreams]:
    """The SDK's streams over a lease, and `calls` beside them."""
    reader, writer = await asyncio.open_unix_connection(sock=await line())
    calls.connect(writer.write)
    try:
        yield message_streams(reader, writer, calls.take)
    finally:
        calls.disconnect()
        writer.close()


@dataclass(frozen=True, slots=True)
class _FixedRoots:
    """A client whose roots do not change: the server was started with them, and may be shared."""

    client: ClientSide
    roots: tuple[str, ...]

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        if isinstance(question, types.ListRootsRequest) and self.roots:
            return types.ListRootsResult(
                roots=[types.Root.model_validate({"uri": uri}) for uri in self.roots]
            )
        return await self.client.answer(question)

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        await self.client.log(message)

    async def notify(self, notification: types.ServerNotification) -> None:
        await self.client.notify(notification)
