"""Calls beside the SDK's client: what is sent, and whose each message is."""

import asyncio
import json
from typing import Any

import anyio
import pytest
from mcp import MCPError

from recollect.upstreams.plain_calls import PlainCalls

pytestmark = pytest.mark.anyio


class Wire:
    """A connection whose other end is the test."""

    def __init__(self) -> None:
        self.calls = PlainCalls()
        self.sent: list[dict[str, Any]] = []
        self.calls.connect(lambda line: self.sent.append(json.loads(line)))
        self.reports: list[tuple[float, float | None, str | None]] = []

    async def call(self) -> Any:
        return await self.calls.call("tools/call", {"name": "a"}, self.report)

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        await anyio.lowlevel.checkpoint()
        self.reports.append((done, total, message))

    async def begun(self) -> "asyncio.Task[Any]":
        """A call whose request has been sent."""
        before, task = len(self.sent), asyncio.create_task(self.call())
        while len(self.sent) == before:
            await anyio.lowlevel.checkpoint()
        return task

    def progress(self, token: object, **values: object) -> bool:
        params = {"progressToken": token, **values}
        return self.calls.take({"method": "notifications/progress", "params": params})


@pytest.fixture
async def wire() -> Wire:
    return Wire()


async def test_progress_comes_in_its_order_and_before_the_result(wire: Wire) -> None:
    task = await wire.begun()
    [request] = wire.sent
    id = request["id"]
    for number in (1, 2, 3):
        assert wire.progress(id, progress=number, total=3, message=f"step {number}")
    assert wire.progress(id, progress="no number")
    assert wire.calls.take({"id": id, "result": {"content": []}})

    assert await task == {"content": []}
    assert request["params"] == {"name": "a", "_meta": {"progressToken": id}}
    assert wire.reports == [(1.0, 3.0, "step 1"), (2.0, 3.0, "step 2"), (3.0, 3.0, "step 3")]
    assert wire.progress(id, progress=4), "it came too late, and is nobody else's"


async def test_answers_reach_their_own_call_in_any_order(wire: Wire) -> None:
    first, second = await wire.begun(), await wire.begun()
    ids = [request["id"] for request in wire.sent]
    wire.calls.take({"id": ids[1], "result": 2})
    wire.calls.take({"id": ids[0], "result": 1})

    assert (await first, await second) == (1, 2)


async def test_what_belongs_to_the_sdk_is_left_to_it(wire: Wire) -> None:
    task = await wire.begun()
    id = wire.sent[0]["id"]

    assert not wire.calls.take({"id": 1, "result": {}})
    assert not wire.calls.take({"id": "listen-1", "result": {}})
    assert not wire.calls.take({"id": id, "method": "elicitation/create", "params": {}})
    assert not wire.calls.take({"method": "notifications/tools/list_changed"})
    assert not wire.progress(1, progress=1)
    wire.calls.take({"id": id, "result": {}})
    await task


async def test_a_refusal_is_raised_with_its_data(wire: Wire) -> None:
    task = await wire.begun()
    error = {"code": -32602, "message": "no such tool", "data": {"server": "s"}}
    wire.calls.take({"id": wire.sent[0]["id"], "error": error})

    with pytest.raises(MCPError, match="no such tool") as raised:
        await task
    assert raised.value.error.data == {"server": "s"}


async def test_a_call_that_nobody_waits_for_is_cancelled_at_the_server(wire: Wire) -> None:
    task = await wire.begun()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    request, cancelled = wire.sent
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"]["requestId"] == request["id"]


async def test_a_connection_that_ends_fails_the_open_call_and_the_next(wire: Wire) -> None:
    task = await wire.begun()
    wire.calls.disconnect()

    with pytest.raises(MCPError, match="Connection closed"):
        await task
    with pytest.raises(MCPError, match="Connection closed"):
        await wire.call()
