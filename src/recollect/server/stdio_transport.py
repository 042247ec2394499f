"""The client at standard input and output, as a transport of messages."""

import asyncio
import fcntl
import os
import stat
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

import anyio
from mcp.client._transport import TransportStreams
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from recollect.upstreams.message_streams import message_streams

_FLUSH_SECONDS = 1.0  # for a client to read what it was sent before its input ended
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


class StdioTransport:
    """One client. `serve` may not return while a terminal or a file is the input: a thread reads it."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._calls = anyio.CancelScope()
        self._ended = anyio.Event()

    async def serve(self) -> None:
        """Serve until standard input ends."""
        async with _streams() as (incoming, outgoing):
            try:
                with self._calls:
                    options = self._server.create_initialization_options()
                    await self._server.run(incoming, outgoing, options)
            finally:
                self._ended.set()

    async def stop(self) -> None:
        """Cancel the calls under way and wait for their end."""
        self._calls.cancel()
        await self._ended.wait()


def _streams() -> AbstractAsyncContextManager[TransportStreams]:
    """The client's messages. The SDK's threads serve terminals, files, and a socket that is both ends."""
    ends = [os.fstat(end) for end in (_INPUT, _OUTPUT)]
    are_pipes = all(stat.S_ISFIFO(end.st_mode) or stat.S_ISSOCK(end.st_mode) for end in ends)
    return _over_pipes() if are_pipes and not os.path.samestat(*ends) else stdio_server()


@asynccontextmanager
async def _over_pipes() -> AsyncIterator[TransportStreams]:
    """Messages over pipes, which the event loop reads and writes itself."""
    loop = asyncio.get_running_loop()
    reader, closing = asyncio.StreamReader(), asyncio.StreamReader()
    incoming = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(_taken(_INPUT), "rb", buffering=0)
    )
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(closing), os.fdopen(_taken(_OUTPUT), "wb", buffering=0)
    )
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    try:
        yield message_streams(reader, writer)
    finally:
        incoming[0].close()
        writer.close()
        with anyio.move_on_after(_FLUSH_SECONDS, shield=True), suppress(OSError):
            await writer.wait_closed()


def _taken(end: int) -> int:
    """Our own copy of one end. What else reads it finds it empty, and what else writes goes to the errors."""
    own = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _ERRORS + 1)
    other = os.open(os.devnull, os.O_RDONLY) if end == _INPUT else os.dup(_ERRORS)
    os.dup2(other, end)
    os.close(other)
    return own
