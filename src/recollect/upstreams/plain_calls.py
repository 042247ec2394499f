"""Calls of tools beside the SDK's client, on the same connection: JSON out, JSON in, and nothing between.

The SDK's client checks and copies each message several times, which costs more than the broker. It greets
the server, lists, and answers questions; calls in the protocol with a handshake need none of that.
"""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

from mcp import MCPError
from mcp_types import CONNECTION_CLOSED

from recollect.tools.caller import Report
from recollect.upstreams import jsonrpc
from recollect.upstreams.jsonrpc import Json
from recollect.upstreams.rewriting import cancelled

_PREFIX = "call-"
_Events = asyncio.Queue[Json]


class PlainCalls:
    """The open calls of one connection. Their ids begin with a text that the SDK's client does not use."""

    def __init__(self) -> None:
        self._write: Callable[[bytes], None] | None = None
        self._numbers = count(1)
        self._open: dict[str, _Events] = {}

    def connect(self, write: Callable[[bytes], None]) -> None:
        """Send over this connection from now on."""
        self._write = write

    def disconnect(self) -> None:
        """The connection has ended: no open call will be answered."""
        self._write = None
        for id, events in self._open.items():
            events.put_nowait(jsonrpc.error(id, CONNECTION_CLOSED, "Connection closed"))

    def take(self, message: Json) -> bool:
        """Whether a message belongs to one of our calls; its caller then has it."""
        match message:
            case {"id": str(id)} if "method" not in message:
                pass
            case {"method": "notifications/progress", "params": {"progressToken": str(id)}}:
                pass
            case _:
                return False
        if not id.startswith(_PREFIX):
            return False
        if (events := self._open.get(id)) is not None:
            events.put_nowait(message)
        return True

    async def call(self, method: str, params: Json, report: Report | None) -> Any:
        """The result of a request. Raises MCPError with the server's refusal.

        Progress is reported in its order and before the result. A call that is cancelled is cancelled at the
        server too.
        """
        id, events = f"{_PREFIX}{next(self._numbers)}", _Events()
        self._send(jsonrpc.request(id, method, {**params, "_meta": {"progressToken": id}}))
        self._open[id] = events
        try:
            while "method" in (message := await events.get()):
                await _report(message, report)
        except asyncio.CancelledError:
            if self._write is not None:
                self._send(cancelled(id, "the caller is gone"))
            raise
        finally:
            del self._open[id]
        if (error := message.get("error")) is not None:
            raise MCPError(error["code"], error["message"], error.get("data"))
        return message["result"]

    def _send(self, message: Json) -> None:
        if self._write is None:
            raise MCPError(CONNECTION_CLOSED, "Connection closed")
        self._write(jsonrpc.written(message))


async def _report(message: Json, report: Report | None) -> None:
    match message["params"]:
        case {"progress": int() | float() as done} if report is not None:
            total, text = message["params"].get("total"), message["params"].get("message")
            await report(
                float(done),
                float(total) if isinstance(total, int | float) else None,
                text if isinstance(text, str) else None,
            )
