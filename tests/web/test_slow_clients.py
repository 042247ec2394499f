"""Clients that are slow, or never read: they hold nothing for ever and delay nobody."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import httpx2
import pytest
from anyio import to_thread
from tests.requirements import requirement
from tests.server.running import WAIT

from recollect.loopback.listening import HttpTransport, listen
from recollect.web.app import make_app
from recollect.web.keys import Keys
from recollect.web.page import WebPage

pytestmark = pytest.mark.anyio
SLOW = {
    "silent": "",
    "headers without an end": "POST /api/grants HTTP/1.1\r\nHost: x\r\n",
    "a body without an end": "POST /api/grants HTTP/1.1\r\nContent-Length: 1000\r\n{head}\r\n\r\n{{",
}


@asynccontextmanager
async def serving(folder: Path, env: dict[str, str]) -> AsyncIterator[tuple[str, str]]:
    """The page in this process, with little patience: its address, and the head of a request."""
    listener = listen(0)
    keys = Keys(int(listener.getsockname()[1]))
    listener.listen()
    app = make_app(WebPage(folder, env=env), keys)
    transport = HttpTransport(app, listener, lambda: None, request_seconds=0.2)
    head = (
        f"Host: 127.0.0.1:{keys.port}\r\nAuthorization: Bearer {keys.token}\r\nX-Recollect: 1\r\n"
        "Content-Type: application/json"
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(transport.serve)
        try:
            yield f"http://127.0.0.1:{keys.port}", head
        finally:
            with anyio.CancelScope(shield=True):
                await transport.stop()


def closed_by_the_server(port: int, data: str) -> bool:
    """Send `data` and no more; whether the server ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as client:
        client.sendall(data.encode())
        with suppress(ConnectionResetError):
            while client.recv(4096):
                pass
    return True


@requirement("page:local:slow")
async def test_a_client_that_does_not_finish_its_request_is_hung_up_on(
    folder: Path, env: dict[str, str]
) -> None:
    async with serving(folder, env) as (address, head):
        port = int(address.rpartition(":")[2])
        for data in SLOW.values():
            request = data.format(head=head)
            assert await to_thread.run_sync(closed_by_the_server, port, request)


@requirement("page:local:slow")
async def test_a_page_that_never_reads_its_events_delays_nobody(
    folder: Path, env: dict[str, str]
) -> None:
    async with serving(folder, env) as (address, head), httpx2.AsyncClient(timeout=WAIT) as web:
        port = int(address.rpartition(":")[2])
        headers = dict(line.split(": ") for line in head.split("\r\n"))
        with socket.create_connection(("127.0.0.1", port)) as deaf:
            deaf.sendall(f"GET /api/events HTTP/1.1\r\n{head}\r\n\r\n".encode())
            answers = [await web.get(f"{address}/api/overview", headers=headers) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
