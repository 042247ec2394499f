"""The server for clients of the older way over HTTP: the same tools behind the same checks."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from tests.requirements import requirement
from tests.server.running import MODES, OLD, WAIT, structured
from tests.server.test_http import TOKEN, Served, serving
from tests.server.test_memory_tools import CALLS

from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.server import sse
from recollect.server.memory_tools import MemoryTools
from recollect.server.protocol import make_server

KEY = {"Authorization": f"Bearer {TOKEN}"}
OLDEST = "2024-11-05"
ABOUT = {"capabilities": {}, "clientInfo": {"name": "by-hand", "version": "1"}}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": OLDEST, **ABOUT},
}


@pytest.fixture
def served(shop: Path, env: dict[str, str]) -> Iterator[Served]:
    yield from serving(shop, env | {"RECOLLECT_TOKEN": TOKEN})


def at(served: Served, path: str) -> str:
    return served.url.removesuffix("/mcp") + path


@dataclass(frozen=True, slots=True)
class Listener:
    """A client that knows no library: it listens, and posts where it was told to."""

    lines: Iterator[str]
    base: str

    def event(self) -> tuple[str, str]:
        name = data = ""
        for line in self.lines:
            field, _, value = line.partition(": ")
            name = value if field == "event" else name
            data = value if field == "data" else data
            if not line and data:
                return name, data
        raise AssertionError("the server hung up")

    def message(self) -> dict[str, Any]:
        name, data = self.event()
        assert name == "message"
        told: dict[str, Any] = json.loads(data)
        return told

    def post(self, path: str, message: dict[str, Any]) -> int:
        told = httpx2.post(self.base + path, json=message, headers=KEY, timeout=WAIT)
        return told.status_code


@contextmanager
def listening(served: Served) -> Iterator[Listener]:
    with httpx2.stream("GET", at(served, "/sse"), headers=KEY, timeout=WAIT) as answer:
        assert answer.status_code == 200
        yield Listener(answer.iter_lines(), at(served, ""))


@pytest.mark.anyio
@requirement("server:sse:official-client")
async def test_the_official_client_is_served_over_sse(served: Served) -> None:
    transport = sse_client(at(served, "/sse"), headers=KEY, timeout=WAIT)
    async with Client(transport, mode=MODES[OLD]) as client:
        for tool in (await client.list_tools()).tools:
            assert structured(await client.call_tool(tool.name, CALLS[tool.name]))


def test_a_client_of_the_oldest_version_is_served_by_hand(served: Served) -> None:
    with listening(served) as client:
        name, where = client.event()
        first = client.post(where, HELLO), client.message()
        client.post(where, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        second = (
            client.post(where, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
            client.message(),
        )

    assert (name, where.startswith("/messages/?session_id=")) == ("endpoint", True)
    assert (first[0], first[1]["result"]["protocolVersion"]) == (202, OLDEST)
    assert [tool["name"] for tool in second[1]["result"]["tools"]] == list(CALLS)


@pytest.mark.parametrize(("method", "path"), [("GET", "/sse"), ("POST", "/messages/?session_id=0")])
def test_sse_needs_the_token_and_the_right_host(served: Served, method: str, path: str) -> None:
    def status(**headers: str) -> int:
        return httpx2.request(
            method, at(served, path), json=HELLO, headers=headers, timeout=WAIT
        ).status_code

    assert status() == 401
    assert status(Authorization="Bearer wrong") == 401
    assert status(**KEY, Host="evil.example:80") == 421
    assert status(**KEY, Origin="http://evil.example") == 403


def test_a_post_to_an_unknown_session_is_refused(served: Served) -> None:
    def status(session: str) -> int:
        where = at(served, f"/messages/?session_id={session}")
        return httpx2.post(where, json=HELLO, headers=KEY, timeout=WAIT).status_code

    assert (status("not-one"), status("0" * 32)) == (400, 404)


def test_a_signal_ends_the_server_though_a_client_listens(served: Served) -> None:
    with listening(served) as client:
        client.event()
        served.process.terminate()

        assert served.process.wait(WAIT) == 0


@pytest.mark.anyio
async def test_a_listener_above_the_maximum_is_refused(project: Recollect) -> None:
    security = TransportSecuritySettings(allowed_hosts=["here"])
    worker = ProjectWorker(lambda: project)
    server = make_server(worker, MemoryTools(worker))
    full = Starlette(routes=sse.routes(server, security, 0, 1000))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(full), base_url="http://here") as web:
        told = await web.get("/sse")

    assert (told.status_code, told.text) == (503, "Too many sessions; end one first.\n")
