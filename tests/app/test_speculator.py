"""Calls that run ahead: joined, used once, dropped by writes, by time, by failure and by the end."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import mcp_types as types
import pytest
from anyio import wait_all_tasks_blocked
from tests.requirements import requirement

from recollect.app.call_targets import CallTarget
from recollect.app.speculator import MOST_CALLS, MOST_RESULT_BYTES, AheadCaller, Speculator
from recollect.errors import UpstreamError
from recollect.gateway.policy import PolicyDecision
from recollect.gateway.speculation_use import SpeculationUse, total
from recollect.gateway.tool import EffectHints, UpstreamTool
from recollect.gateway.upstream import StdioServer, Upstream
from recollect.tools.caller import Caller

pytestmark = pytest.mark.anyio
SERVER = Upstream("files", StdioServer("serve"), speculate=True, call_cost=0.01)
READS = EffectHints(read_only=True)
CLIENT = AheadCaller("client", "test")
ALLOW = PolicyDecision("allow")
READ = CallTarget(UpstreamTool("files", "read", hints=READS), SERVER, ALLOW)
WRITE = CallTarget(UpstreamTool("other", "put"), replace(SERVER, name="other"), ALLOW)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass(slots=True)
class World:
    """A server whose answers wait for `gate`, and the calls ahead of one client."""

    calls: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    uses: list[SpeculationUse] = field(default_factory=list)
    gate: anyio.Event = field(default_factory=anyio.Event)
    text: str = "content"
    failure: Exception | None = None
    is_error: bool = False
    speculator: Speculator = field(init=False)

    async def ahead(
        self, target: CallTarget, arguments: Mapping[str, Any], caller: Caller
    ) -> types.CallToolResult:
        self.calls.append(f"ahead {arguments}")
        try:
            await self.gate.wait()
        except BaseException:
            self.cancelled.append(target.tool.id)
            raise
        if self.failure is not None:
            raise self.failure
        return result(self.text, is_error=self.is_error)

    async def real(
        self, target: CallTarget, arguments: Mapping[str, Any], caller: Caller
    ) -> types.CallToolResult:
        self.calls.append(f"real {arguments}")
        return result("real")

    def start(self, target: CallTarget = READ, path: str = "a") -> bool:
        return self.speculator.start(target, {"path": path}, CLIENT)

    async def call(
        self, target: CallTarget = READ, path: str = "a", session: str | None = "client"
    ) -> tuple[str, str]:
        """Make a real call: the text, and where it comes from."""
        answer = await self.speculator.answer(self.real, target, {"path": path}, CLIENT, session)
        [block] = answer.result.content
        assert isinstance(block, types.TextContent)
        return block.text, answer.source

    @property
    def sum(self) -> SpeculationUse:
        return total(self.uses)


def result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)


@asynccontextmanager
async def world(*, open_gate: bool = True, keep_seconds: float = 60.0) -> AsyncIterator[World]:
    async with anyio.create_task_group() as tasks:
        files = World()
        files.speculator = Speculator(files.ahead, tasks, files.uses.append, keep_seconds)
        if open_gate:
            files.gate.set()
        yield files
        await files.speculator.stop()


@requirement("workflow:speculation:results")
async def test_a_result_answers_one_real_call_and_no_second_one() -> None:
    async with world() as files:
        assert files.start()
        await wait_all_tasks_blocked()
        first, second = await files.call(), await files.call()

    assert first == ("content", "speculation")
    assert second == ("real", "call")
    assert (files.sum.started, files.sum.succeeded, files.sum.hits) == (1, 1, 1)
    assert files.sum.wasted_ms == 0
    assert (files.sum.dollars, files.sum.wasted_dollars) == (0.01, 0)


@pytest.mark.parametrize(
    ("target", "path", "session"),
    [
        (READ, "b", "client"),
        (READ, "a", "another client"),
        (READ, "a", None),
        (replace(READ, tool=replace(READ.tool, description="changed")), "a", "client"),
        (replace(READ, upstream=replace(SERVER, server=StdioServer("other"))), "a", "client"),
    ],
)
@requirement("workflow:speculation:results")
async def test_other_arguments_clients_and_versions_get_no_result_of_it(
    target: CallTarget, path: str, session: str | None
) -> None:
    async with world() as files:
        files.start()
        await wait_all_tasks_blocked()

        assert await files.call(target, path, session) == ("real", "call")
    assert files.sum.hits == 0
    assert files.sum.wasted_dollars == 0.01


async def test_the_order_of_arguments_does_not_matter() -> None:
    async with world() as files:
        files.speculator.start(READ, {"a": 1, "b": {"c": 2, "d": 3}}, CLIENT)
        await wait_all_tasks_blocked()
        arguments = {"b": {"d": 3, "c": 2}, "a": 1}
        answer = await files.speculator.answer(files.real, READ, arguments, CLIENT, "client")

    assert answer.source == "speculation"


@requirement("workflow:speculation:joined")
async def test_a_real_call_joins_the_one_that_is_under_way() -> None:
    answers = []

    async def call() -> None:
        answers.append(await files.call())

    async with world(open_gate=False) as files, anyio.create_task_group() as clients:
        files.start()
        clients.start_soon(call)
        await wait_all_tasks_blocked()
        files.gate.set()

    assert answers == [("content", "speculation")]
    assert len(files.calls) == 1


async def test_a_client_that_gives_up_ends_the_call_it_joined() -> None:
    async with world(open_gate=False) as files, anyio.create_task_group() as clients:
        files.start()
        clients.start_soon(files.call)
        await wait_all_tasks_blocked()
        clients.cancel_scope.cancel()
        await wait_all_tasks_blocked()

        assert files.cancelled == ["files:read"]


@pytest.mark.parametrize("failure", [UpstreamError("files", "is gone", "wait"), ValueError("odd")])
async def test_after_a_failure_the_real_call_is_made_and_nothing_else_is_tried(
    failure: Exception,
) -> None:
    async with world() as files:
        files.failure = failure
        files.start()
        await wait_all_tasks_blocked()

        assert not files.start(path="b")
        assert await files.call() == ("real", "call")
        assert files.start(path="b")
    assert files.sum.succeeded == 0


async def test_a_joined_call_that_fails_is_made_again() -> None:
    answers = []

    async def call() -> None:
        answers.append(await files.call())

    async with world(open_gate=False) as files, anyio.create_task_group() as clients:
        files.failure = UpstreamError("files", "is gone", "wait")
        files.start()
        clients.start_soon(call)
        await wait_all_tasks_blocked()
        files.gate.set()

    assert answers == [("real", "call")]


@requirement("workflow:speculation:results")
async def test_a_call_that_may_write_drops_everything_even_of_other_servers() -> None:
    async with world() as files:
        files.start()
        await wait_all_tasks_blocked()
        await files.call(WRITE)

        assert await files.call() == ("real", "call")


async def test_a_name_that_vetoes_counts_as_a_write() -> None:
    lying = replace(READ, tool=replace(READ.tool, name="read_and_delete"))
    async with world() as files:
        files.start()
        await wait_all_tasks_blocked()
        await files.call(lying)

        assert await files.call() == ("real", "call")


async def test_nothing_starts_while_a_write_is_open_and_what_is_under_way_ends() -> None:
    started = []

    async def write(
        target: CallTarget, arguments: Mapping[str, Any], caller: Caller
    ) -> types.CallToolResult:
        await wait_all_tasks_blocked()
        started.append(files.start(path="b"))
        return result("written")

    async with world(open_gate=False) as files:
        files.start()
        await wait_all_tasks_blocked()
        await files.speculator.answer(write, WRITE, {}, CLIENT, "client")

        assert files.cancelled == ["files:read"]
        assert started == [False]
        assert files.start(path="b")


@requirement("workflow:speculation:results")
async def test_a_result_expires() -> None:
    async with world(keep_seconds=0) as files:
        files.start()
        await wait_all_tasks_blocked()
        assert files.uses

        assert await files.call() == ("real", "call")


@pytest.mark.parametrize(("size", "is_error"), [(MOST_RESULT_BYTES, False), (1, True)])
async def test_errors_and_large_results_are_dropped(size: int, is_error: bool) -> None:
    async with world() as files:
        files.text, files.is_error = "x" * size, is_error
        files.start()
        await wait_all_tasks_blocked()

        assert await files.call() == ("real", "call")
    assert files.sum.succeeded == 0


async def test_what_waits_is_bounded_in_number_and_bytes() -> None:
    async with world() as files:
        files.text = "x" * (MOST_RESULT_BYTES - 1_000)
        started = [files.start(path=str(number)) for number in range(MOST_CALLS + 5)]
        await wait_all_tasks_blocked()

        assert sum(started) == MOST_CALLS
        assert files.sum.started >= MOST_CALLS - 8


async def test_one_call_is_not_started_twice_or_beside_the_real_one() -> None:
    started = []

    async def read(
        target: CallTarget, arguments: Mapping[str, Any], caller: Caller
    ) -> types.CallToolResult:
        started.append(files.start(path="b"))
        return result("read")

    async with world() as files:
        assert files.start()
        assert not files.start()
        await files.speculator.answer(read, READ, {"path": "b"}, CLIENT, "client")
    assert started == [False]


@requirement("workflow:speculation:joined")
async def test_the_end_cancels_everything_and_starts_nothing() -> None:
    async with world(open_gate=False) as files:
        files.start()
        await wait_all_tasks_blocked()
        await files.speculator.stop()
        await wait_all_tasks_blocked()

        assert files.cancelled == ["files:read"]
        assert not files.start(path="b")


async def test_what_a_session_or_a_server_forgets_is_dropped() -> None:
    async with world() as files:
        files.start()
        await wait_all_tasks_blocked()
        files.speculator.drop("another client")
        files.speculator.drop_server("another server")
        assert not files.uses
        files.speculator.drop_server("files")
        assert await files.call() == ("real", "call")

        files.start(path="b")
        await wait_all_tasks_blocked()
        files.speculator.drop("client")
        assert await files.call(path="b") == ("real", "call")
