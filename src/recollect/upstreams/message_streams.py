"""MCP over an asyncio byte stream: the streams that the SDK's clients and servers read and write.

No thread, task or queue stands between the bytes and the SDK: each costs more than parsing a message.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

import anyio
import mcp_types as types
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from recollect.upstreams.jsonrpc import Json
from recollect.upstreams.lines import LineBuffer

_CHUNK = 256 * 1024

_Taken = Callable[[Json], bool]


def message_streams(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    is_taken: _Taken = lambda _: False,
) -> TransportStreams:
    """Messages, one for each line, without those of which `is_taken` says that somebody else has them.

    The caller closes `writer`, to which bytes are left that the other side has not read yet.
    """
    return _Incoming(reader, is_taken), _Outgoing(writer)


class _Closing:
    """A stream that is closed at the end of a block."""

    _is_closed = False

    async def aclose(self) -> None:
        """Refuse to be used any more."""
        self._is_closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Incoming(_Closing):
    """What the other side sends, read when somebody waits for it. A line that is no message is an error."""

    def __init__(self, reader: asyncio.StreamReader, is_taken: _Taken) -> None:
        self._reader, self._is_taken = reader, is_taken
        self._buffer = LineBuffer()
        self._lines: deque[bytes] = deque()
        self._has_ended = False

    async def receive(self) -> SessionMessage | Exception:
        """The next message. Raises EndOfStream when the other side has gone."""
        while True:
            if self._is_closed:
                raise anyio.ClosedResourceError
            if self._lines:
                message = _parsed(self._lines.popleft())
                if not isinstance(message, dict) or not self._is_taken(message):
                    return _checked(message)
            elif self._has_ended:
                raise anyio.EndOfStream
            else:
                try:
                    self._lines.extend(self._buffer.lines(await self._chunk()))
                except OverflowError as error:
                    return error

    async def _chunk(self) -> bytes:
        try:
            chunk = await self._reader.read(_CHUNK)
        except OSError:
            chunk = b""
        self._has_ended = not chunk
        return chunk or b"\n"  # the last line may lack its end

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class _Outgoing(_Closing):
    """What is sent to the other side."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def send(self, message: SessionMessage, /) -> None:
        """Write a message, and wait while the other side is far behind."""
        if self._is_closed:
            raise anyio.ClosedResourceError
        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            self._writer.write(text.encode() + b"\n")
            await self._writer.drain()
        except OSError:
            raise anyio.BrokenResourceError from None


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        return error


def _checked(message: object) -> SessionMessage | Exception:
    if isinstance(message, Exception):
        return message
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(message, by_name=False))
    except ValueError as error:
        return error
