"""The broker: one process per user and version that runs MCP servers for every client of theirs.

Run as `python -m recollect.upstreams.broker FOLDER` by the first client (`broker_client`). A client leases a
server over a socket that only its user can open: the first line says which, the rest is MCP. The broker ends
seconds after its last client has gone, and its servers with it. Standard library only.
"""

import asyncio
import fcntl
import json
import os
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, cast

from recollect.private_socket import Listener, is_peer_ours, listen
from recollect.upstreams import jsonrpc
from recollect.upstreams.broker_client import LOCK_NAME, READY, SOCKET_NAME
from recollect.upstreams.call_table import LeaseId
from recollect.upstreams.hosted_server import HostedServer
from recollect.upstreams.jsonrpc import Json
from recollect.upstreams.lease_request import ControlRequest, LeaseRequest, parse_request
from recollect.upstreams.lines import MOST_BYTES, LineBuffer

LINGER = 3.0  # seconds without a client before the broker ends, and before a server without one does
_FIRST = 15.0  # seconds for the first client to come
_LAST = 5.0  # seconds for the servers to end, before their guardians are left to it
_BACKLOG = 128
_MOST_UNREAD = 1024 * 1024  # bytes that a client has not read before notifications to it are dropped


class Broker:
    """Leases and servers. Everything runs in one thread, and nothing in it waits."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._servers: dict[tuple[LeaseRequest, LeaseId | None], HostedServer] = {}
        self._leases: dict[LeaseId, _Connection] = {}
        self._ids = count(1)
        self._leaving = self._loop.call_later(_FIRST, self.end)
        self.ended = asyncio.Event()

    def end(self) -> None:
        """Take no more clients."""
        self.ended.set()

    def lease(self, request: LeaseRequest, connection: "_Connection") -> tuple[LeaseId, HostedServer]:
        """Add a client of a server."""
        lease = LeaseId(next(self._ids))
        key = (request, None if request.shared else lease)
        if key not in self._servers:
            self._servers[key] = HostedServer(request, self._deliver)
        self._leases[lease] = connection
        self._leaving.cancel()
        self._servers[key].join(lease)
        return lease, self._servers[key]

    def release(self, lease: LeaseId, server: HostedServer) -> None:
        """Remove a client."""
        del self._leases[lease]
        server.leave(lease)
        self._loop.call_later(LINGER, self._tidy)
        if not self._leases:
            self._leaving.cancel()
            self._leaving = self._loop.call_later(LINGER, self.end)

    def answer(self, request: ControlRequest) -> Json:
        """What a question about the servers is answered."""
        servers = list(self._servers.values())
        if request.action == "restart":
            servers = [server for server in servers if server.state().name == request.name]
            for server in servers:
                server.restart()
        return {"servers": [asdict(server.state()) for server in servers], "pid": os.getpid()}

    async def stop_servers(self) -> None:
        """End every server, within bounds."""
        for server in self._servers.values():
            server.stop()
        gone = [process.gone.wait() for server in self._servers.values() for process in server.ending]
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*gone), _LAST)

    def _deliver(self, lease: LeaseId, message: Json) -> None:
        if (connection := self._leases.get(lease)) is not None:
            connection.send(message)

    def _tidy(self) -> None:
        """Stop servers without a client, and forget those of which nothing is left."""
        for key, server in list(self._servers.items()):
            if not server.is_leased:
                server.stop()
            if server.is_forgettable:
                del self._servers[key]


class _Connection(asyncio.Protocol):
    """One client: a lease, or a question."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._buffer = LineBuffer()
        self._lease: tuple[LeaseId, HostedServer] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if not is_peer_ours(transport.get_extra_info("socket")):
            self._transport.abort()

    def connection_lost(self, _exc: Exception | None) -> None:
        if self._lease is not None:
            self._broker.release(*self._lease)

    def data_received(self, data: bytes) -> None:
        try:
            for line in self._buffer.lines(data):
                if self._transport.is_closing():
                    return
                self._receive(line)
        except OverflowError:
            self._transport.abort()

    def _receive(self, line: bytes) -> None:
        if self._lease is not None:
            lease, server = self._lease
            server.receive(lease, line)
            return
        try:
            request = parse_request(line)
        except ValueError as error:
            self._say({"error": str(error)})
            self._transport.close()
            return
        if isinstance(request, ControlRequest):
            self._say(self._broker.answer(request))
            self._transport.close()
        elif self._broker.ended.is_set():
            self._transport.close()  # the client starts another broker
        else:
            self._lease = self._broker.lease(request, self)
            self._say({"pid": os.getpid()})

    def send(self, message: Json) -> None:
        """Send a message, and give a client up that has stopped reading."""
        unread = self._transport.get_write_buffer_size()
        if "id" not in message and unread > _MOST_UNREAD:
            return
        if unread > MOST_BYTES:
            self._transport.abort()
            return
        self._transport.write(jsonrpc.written(message))

    def _say(self, answer: dict[str, Any]) -> None:
        self._transport.write(json.dumps(answer).encode() + b"\n")


def main(folder: Path) -> None:
    """Serve the clients of a folder, detached from the process that started us; at once if another does."""
    if os.fork():
        os._exit(0)  # our child is nobody's child, and leaves no zombie
    lock = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    asyncio.run(_serve(listen(folder / SOCKET_NAME, f"b.{os.getpid()}", _BACKLOG), lock))


async def _serve(listener: Listener, lock: int) -> None:
    broker, loop = Broker(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, broker.end)
    server = await loop.create_unix_server(lambda: _Connection(broker), sock=listener.socket)
    _report_ready()
    await broker.ended.wait()
    listener.unlink()
    server.close()
    os.close(lock)  # another broker may start while our servers end
    await broker.stop_servers()


def _report_ready() -> None:
    """Tell the process that started us, and let go of its pipe."""
    with suppress(OSError):
        os.write(1, READY)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.close(nothing)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
