"""Clients that are slow, or gone without a word: they hold nothing for ever."""

import contextlib
import socket
from collections.abc import AsyncIterator

import anyio
import httpx2
import pytest
from anyio import to_thread
from sse_starlette.sse import AppStatus
from tests.requirements import requirement
from tests.server.running import OLD, WAIT

from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.loopback.listening import HttpTransport
from recollect.server.http import HttpLimits, HttpService, make_app
from recollect.server.memory_tools import MemoryTools

TOKEN = "a-token-of-the-tests-own"
ABOUT = {"capabilities": {}, "clientInfo": {"name": "by-hand", "version": "1"}}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": OLD, **ABOUT},
}
HEADERS = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
}
HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
SLOW = {
    "silent": b"",
    "headers without an end": HEAD,
    "a body without an end": HEAD + b"Content-Length: 1000\r\n\r\n{",
    "a body without an end, after the refusal": HEAD + b"Content-Length: 10\r\n\r\n",
}


@contextlib.asynccontextmanager
async def serving(project: Recollect, limits: HttpLimits) -> AsyncIterator[int]:
    """The HTTP server in this process, with its port."""
    AppStatus.should_exit = False  # the end of an earlier server in this process would end our streams
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = int(listener.getsockname()[1])
    worker = ProjectWorker(lambda: project)
    app = make_app(HttpService(worker, MemoryTools(worker)), port, TOKEN, limits)
    transport = HttpTransport(app, listener, lambda: None, limits.request_seconds)
    listener.listen()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(transport.serve)
        try:
            yield port
        finally:
            with anyio.CancelScope(shield=True):
                await transport.stop()


def closed_by_the_server(port: int, data: bytes) -> bool:
    """Send `data` and no more; whether the server ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as client:
        client.sendall(data)
        with contextlib.suppress(ConnectionResetError):
            while client.recv(4096):
                pass
    return True


@pytest.mark.anyio
@pytest.mark.parametrize("data", SLOW.values(), ids=SLOW.keys())
@requirement("server:http:slow-request")
async def test_a_request_that_does_not_arrive_in_time_ends_its_connection(
    project: Recollect, data: bytes
) -> None:
    async with serving(project, HttpLimits(request_seconds=0.05)) as port:
        assert await to_thread.run_sync(closed_by_the_server, port, data)


@pytest.mark.anyio
@requirement("server:http:slow-request")
async def test_a_deadline_of_one_request_does_not_end_the_next_on_its_connection(
    project: Recollect,
) -> None:
    async with (
        serving(project, HttpLimits(request_seconds=5)) as port,
        httpx2.AsyncClient(headers=HEADERS, timeout=WAIT) as web,
    ):
        for _ in range(3):
            answer = await web.post(f"http://127.0.0.1:{port}/mcp", json=HELLO)
            assert answer.status_code == 200


@pytest.mark.anyio
@requirement("server:http:idle-session")
async def test_abandoned_sessions_make_room_for_new_ones(project: Recollect) -> None:
    async with (
        serving(project, HttpLimits(sessions=2, idle_seconds=0.2)) as port,
        httpx2.AsyncClient(headers=HEADERS, timeout=WAIT) as web,
    ):
        url = f"http://127.0.0.1:{port}/mcp"
        first = [await web.post(url, json=HELLO) for _ in range(2)]
        with anyio.fail_after(WAIT):
            while (answer := await web.post(url, json=HELLO)).status_code == 503:
                await anyio.lowlevel.checkpoint()

    assert [answer.status_code for answer in first] == [200, 200]
    assert answer.status_code == 200


@pytest.mark.anyio
async def test_a_full_server_refuses_one_more_session(project: Recollect) -> None:
    async with (
        serving(project, HttpLimits(sessions=1, idle_seconds=600)) as port,
        httpx2.AsyncClient(headers=HEADERS, timeout=WAIT) as web,
    ):
        url = f"http://127.0.0.1:{port}/mcp"
        assert [(await web.post(url, json=HELLO)).status_code for _ in range(2)] == [200, 503]
