"""MCP over an asyncio byte stream: the streams that the SDK's clients and servers read and write.

No thread and no queue stands between the bytes and the SDK: both cost more than parsing a message.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from recollect.upstreams.jsonrpc import Json
from recollect.upstreams.lines import LineBuffer

_CHUNK = 256 * 1024

_Messages = MemoryObjectSendStream[SessionMessage | Exception]
_Taken = Callable[[Json], bool]


@asynccontextmanager
async def message_streams(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    is_taken: _Taken = lambda _: False,
) -> AsyncIterator[TransportStreams]:
    """Messages, one for each line, without those of which `is_taken` says that somebody else has them.

    Bytes that the other side has not read yet are left to `writer`.
    """
    to_us, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, from_us = anyio.create_memory_object_stream[SessionMessage]()
    async with to_us, incoming, outgoing, from_us, anyio.create_task_group() as tasks:
        tasks.start_soon(_read, reader, to_us, is_taken)
        tasks.start_soon(_write, writer, from_us)
        yield incoming, outgoing
        tasks.cancel_scope.cancel()


async def _read(reader: asyncio.StreamReader, messages: _Messages, is_taken: _Taken) -> None:
    buffer = LineBuffer()
    async with messages:
        try:
            while chunk := await reader.read(_CHUNK):
                await _send(buffer, chunk, messages, is_taken)
            await _send(buffer, b"\n", messages, is_taken)  # the last line may lack its end
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the other side has gone, or nobody reads here any more


async def _send(buffer: LineBuffer, chunk: bytes, messages: _Messages, is_taken: _Taken) -> None:
    try:
        lines = buffer.lines(chunk)
    except OverflowError as error:
        await messages.send(error)
        return
    for line in lines:
        message = _parsed(line)
        if not isinstance(message, dict) or not is_taken(message):
            await messages.send(_checked(message))


async def _write(
    writer: asyncio.StreamWriter, messages: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    try:
        async for message in messages:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            writer.write(text.encode() + b"\n")
            await writer.drain()
    except OSError:
        pass  # reading ends too, and that is heard


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
