"""A web server on the loopback address of this machine, and nowhere else."""

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

import anyio
import uvicorn
from starlette.types import ASGIApp

from recollect.errors import RefusedError
from recollect.loopback.connection import connections

HOST = "127.0.0.1"
_GRACE = 1  # seconds that open answers have to end when the server stops


def listen(port: int) -> socket.socket:
    """A socket on a port of this machine; 0 takes any free one. Raises RefusedError where it is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise RefusedError(
            f"cannot listen on port {port}: {error.strerror}; --port takes another one, 0 any free one."
        ) from None
    return listener


class _WebServer(uvicorn.Server):
    """The web server. It announces itself once it accepts; the lifecycle handles signals, not it."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpTransport:
    """Many clients on one port, each with `request_seconds` for a request to arrive."""

    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        announce: Callable[[], None],
        request_seconds: float,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=connections(request_seconds),
            log_config=None,  # what a server logs goes where ours goes
            log_level="warning",
            access_log=False,  # an address may have a token in it
            timeout_graceful_shutdown=_GRACE,
            ws="none",
            server_header=False,
        )
        self._server = _WebServer(config, announce)
        self._listener = listener
        self._ended = anyio.Event()

    async def serve(self) -> None:
        """Serve until `stop`."""
        try:
            await self._server.serve(sockets=[self._listener])
        finally:
            self._ended.set()

    async def stop(self) -> None:
        """End every connection, also the long answers of SSE."""
        self._server.handle_exit(signal.SIGTERM, None)
        await self._ended.wait()
