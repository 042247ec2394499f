"""One HTTP connection whose requests must arrive in time: a slow client may not hold it for ever."""

import asyncio
from functools import partial
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def connections(request_seconds: float) -> type[asyncio.Protocol]:
    """The connection class of a web server, with so many seconds for each request to arrive."""
    return cast("type[asyncio.Protocol]", partial(_Connection, request_seconds))


class _Connection(H11Protocol):
    """A connection that is closed when a request, headers and body, takes too long to arrive.

    The web server itself limits only the pause between two requests. An answer may take any time.
    """

    def __init__(self, request_seconds: float, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._request_seconds = request_seconds
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_watching()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self._request_seconds, self._expire)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        self._deadline = None
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.abort()
