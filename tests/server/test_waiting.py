"""A tool call that waits: nobody else waits for it, it can be cancelled, and it reports progress."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement
from tests.server.running import RawClient, started

ROOT = Path(__file__).parents[2]
SERVER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.tools.some_tools import SomeTools
from recollect.app.opening import open_project
from recollect.server import stdio
from recollect.server.memory_tools import MemoryTools
from recollect.app.worker import ProjectWorker
from recollect.tools.provider import Providers
from recollect.tools.wrappers import TimeLimit
worker = ProjectWorker(lambda: open_project("."))
stdio.serve(worker, TimeLimit(Providers(MemoryTools(worker), SomeTools()), 600))
"""


@pytest.fixture
def client(shop: Path, env: dict[str, str], version: str) -> Iterator[RawClient]:
    """A client of a server over standard input, whose tools are the memory's and some that wait."""
    with started([sys.executable, "-c", SERVER], shop, env) as process:
        client = RawClient(process, version)
        client.begin()
        yield client


def call(client: RawClient, name: str, **arguments: Any) -> int:
    return client.ask("tools/call", {"name": name, "arguments": arguments})


def text(answer: dict[str, Any]) -> str:
    said: str = answer["result"]["content"][0]["text"]
    return said


def waiting(client: RawClient) -> int:
    """The id of a call that has begun to wait, by its own progress."""
    meta = {"progressToken": "waiting"}
    id = client.ask("tools/call", {"name": "wait", "arguments": {}, "_meta": meta})
    message = client.next()
    assert message["method"] == "notifications/progress"
    assert message["params"]["progressToken"] == "waiting"
    assert (message["params"]["progress"], message["params"]["message"]) == (1, "waiting")
    return id


@requirement("server:tools:wait")
def test_a_search_is_answered_while_another_call_waits(client: RawClient) -> None:
    long = waiting(client)
    found = client.answer(call(client, "memory_search", query="login"))
    saved = client.answer(call(client, "memory_get", id="sign-a-jwt-at-login"))

    assert client.notifications == []  # the waiting call has not been answered
    assert "Sign a JWT at login" in text(found)
    assert "Sign a JWT at login" in text(saved)
    client.send("tools/call", {"name": "release", "arguments": {}}, id=1000)
    assert text(client.answer(long)) == "done"


@requirement("server:tools:wait")
def test_a_call_that_waits_is_cancelled_by_its_caller(client: RawClient) -> None:
    long = waiting(client)
    client.send("notifications/cancelled", {"requestId": long})

    while text(client.answer(call(client, "cancelled"))) != "1":
        pass

    assert "Sign a JWT at login" in text(client.answer(call(client, "memory_search", query="login")))


@requirement("server:life:ends-with-client")
def test_a_server_ends_with_its_client_though_a_call_waits(client: RawClient) -> None:
    waiting(client)
    client.process.terminate()

    assert client.process.wait(20) == 0
