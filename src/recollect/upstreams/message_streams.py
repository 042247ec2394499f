"""MCP over an asyncio byte stream: the streams that the SDK's clients and servers read and write.

No thread and no queue stands between the bytes and the SDK: both cost more than parsing a message.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from recollect.upstreams.lines import LineBuffer

_CHUNK = 256 * 1024


@asynccontextmanager
async def message_streams(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> AsyncIterator[TransportStreams]:
    """Messages, one for each line. Bytes that the other side has not read yet are left to `writer`."""
    to_us, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, from_us = anyio.create_memory_object_stream[SessionMessage]()
    async with to_us, incoming, outgoing, from_us, anyio.create_task_group() as tasks:
        tasks.start_soon(_read, reader, to_us)
        tasks.start_soon(_write, writer, from_us)
        yield incoming, outgoing
        tasks.cancel_scope.cancel()


async def _read(
    reader: asyncio.StreamReader, messages: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    buffer = LineBuffer()
    async with messages:
        try:
            while chunk := await reader.read(_CHUNK):
                await _send(buffer, chunk, messages)
            await _send(buffer, b"\n", messages)  # the last line may lack its end
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the other side has gone, or nobody reads here any more


async def _send(
    buffer: LineBuffer, chunk: bytes, messages: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    try:
        lines = buffer.lines(chunk)
    except OverflowError as error:
        await messages.send(error)
        return
    for line in lines:
        await messages.send(_parsed(line))


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


def _parsed(line: bytes) -> SessionMessage | Exception:
    text = line.decode("utf-8", "replace")
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError as error:
        return error
