"""Calls that run ahead over real MCP: what a counting server sees, and what its client gets."""

import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest
from anyio import wait_all_tasks_blocked
from mcp import Client
from tests.requirements import requirement
from tests.server.running import MODES, OLD, WAIT, raw_client, structured, text_of
from tests.upstreams.servers import COUNTING, entry

from recollect.app.gateway import Gateway
from recollect.app.opening import open_project
from recollect.app.run_store import open_run_store
from recollect.app.worker import ProjectWorker
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.gateway.receipts import Receipt
from recollect.gateway.speculation_use import SpeculationUse
from recollect.learning.rescoring import rescored
from recollect.learning.trace import CandidateTrace
from recollect.paths import STATE_NAME
from recollect.server.gateway_tools import GatewayTools
from recollect.server.protocol import make_server
from recollect.storage.sqlite.gateway_database import GatewayDatabase
from recollect.storage.sqlite.state import StateDatabase
from recollect.workflow import weights
from recollect.workflow.events import TaskSucceeded

pytestmark = pytest.mark.anyio
Connect = Callable[..., AbstractAsyncContextManager[Client]]
DAY = utc_now().date().isoformat()
UNSAFE = ("read_and_delete", "get_payment_send", "unannotated", "contradictory", "open_world", "wait")


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, calls ahead and their results last for the whole test."""
    monkeypatch.setattr(weights, "SPECULATION_MS", 600_000)
    monkeypatch.setattr(weights, "RESULT_SECONDS", 600)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """One folder for all tests: a server that is started once serves them all."""
    with TemporaryDirectory(prefix="r-") as name:
        (Path(name) / ".claude" / "memory").mkdir(parents=True)
        yield Path(name).resolve()


@pytest.fixture(scope="module")
def server_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "calls"


@pytest.fixture(scope="module")
def trusting(tmp_path_factory: pytest.TempPathFactory, server_log: Path) -> Gateway:
    gateway = Gateway(tmp_path_factory.mktemp("data"), {}, utc_now)
    gateway.add("count", {**entry(COUNTING, str(server_log)), "speculate": True})
    gateway.refresh("count")
    return gateway


@pytest.fixture
def gateway(trusting: Gateway, log: Path) -> Gateway:
    """A trusted server whose tools took some time before; nothing ran ahead yet."""
    database = trusting.database
    assert isinstance(database, GatewayDatabase)
    with database.transaction():
        for table in ("receipt", "latency", "speculation"):
            database.rows(f"DELETE FROM {table}")
        for tool in trusting.catalogue.tools():
            database.receipts.record(Receipt("count", tool.name, "ok", 40), DAY)
    return trusting


@pytest.fixture
def log(server_log: Path) -> Path:
    """The calls that the server gets, none so far."""
    server_log.write_text("")
    return server_log


@pytest.fixture
def graph(folder: Path) -> Callable[[str, str], None]:
    """Teach that one tool nearly always follows another, and the other way round."""
    state = folder / ".claude" / "memory" / ".recollect"
    for path in state.glob(f"{STATE_NAME}*"):
        path.unlink()

    def teach(before: str, after: str) -> None:
        path = state / STATE_NAME
        path.parent.mkdir(exist_ok=True)
        database = StateDatabase(str(path))
        for _ in range(40):
            database.tool_graph.observe(f"count:{before}", f"count:{after}", "2026-01-01T00:00:00Z")
            database.tool_graph.observe(f"count:{after}", f"count:{before}", "2026-01-01T00:00:00Z")
        database.close()

    return teach


@pytest.fixture
def connect(gateway: Gateway, folder: Path) -> Connect:
    @asynccontextmanager
    async def client(version: str = OLD, *, speculates: bool = True) -> AsyncIterator[Client]:
        worker = ProjectWorker(lambda: open_project(folder))
        tools = GatewayTools(gateway, folder, Exposure(speculates=speculates), worker)
        async with anyio.create_task_group() as tasks:
            await tools.start(tasks)
            async with Client(make_server(worker, tools), mode=MODES[version]) as connected:
                yield connected
            await tools.stop()
            tasks.cancel_scope.cancel()

    return client


def calls(log: Path) -> list[Any]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def names(log: Path) -> Counter[str]:
    return Counter(name for name, _ in calls(log))


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens in another process or task."""
    with anyio.fail_after(WAIT):
        while not condition():
            await anyio.sleep(0.005)


def use(gateway: Gateway, tool: str) -> SpeculationUse:
    uses = {each.tool: each for each in gateway.database.speculations.uses()}
    return uses.get(tool, SpeculationUse("count", tool))


def is_predicted(gateway: Gateway, tool: str) -> bool:
    return use(gateway, tool).predicted > 0


async def call(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool("call", {"tool": f"count:{tool}", "arguments": arguments})
    assert not result.is_error, text_of(result)
    return text_of(result)


def speculations(folder: Path) -> dict[str, CandidateTrace]:
    """What was judged, by tool; with the recorded parameters every score is computed again."""
    database = StateDatabase(str(folder / ".claude" / "memory" / ".recollect" / STATE_NAME))
    traces = database.traces.latest(100, "speculation")
    database.close()
    assert [rescored(trace) for trace in traces] == [trace.score for trace in traces]
    return {trace.candidate: trace for trace in traces}


@requirement("workflow:speculation:measured")
@requirement("learning:traces:recorded")
async def test_the_usual_next_call_is_done_when_the_agent_makes_it(
    connect: Connect,
    graph: Callable[..., None],
    gateway: Gateway,
    folder: Path,
    log: Path,
    version: str,
) -> None:
    graph("search", "state")
    async with connect(version) as client:
        await call(client, "search", text="x")
        await until(lambda: names(log)["state"] == 1)
        reply = await call(client, "state")

    assert reply == "fine"
    assert names(log) == {"search": 1, "state": 1}
    state = use(gateway, "state")
    assert (state.predicted, state.started, state.succeeded, state.hits) == (1, 1, 1, 1)
    [receipt] = [each for each in gateway.database.receipts.uses() if each.tool == "state"]
    assert receipt.calls == 2  # the one of the fixture, and the agent's
    trace = speculations(folder)["count:state"]
    assert (trace.decision, trace.outcome) == ("accepted", "selected")
    assert trace.score >= (trace.threshold or 1.0)


async def test_a_guess_teaches_neither_graph_nor_receipts(
    connect: Connect, graph: Callable[..., None], gateway: Gateway, folder: Path, log: Path
) -> None:
    graph("search", "broken")
    async with connect() as client:
        await call(client, "search", text="x")
        await until(lambda: names(log)["broken"] == 1)

    [receipt] = [each for each in gateway.database.receipts.uses() if each.tool == "broken"]
    assert receipt.outcomes["tool_error"] == 0
    assert use(gateway, "broken").started == 1
    path = folder / ".claude" / "memory" / ".recollect" / STATE_NAME
    assert [edge.count for edge in StateDatabase(str(path)).tool_graph.edges()] == [40, 40]


@requirement("workflow:speculation:safe")
async def test_a_tool_that_may_write_is_never_called_ahead_however_likely_it_is(
    connect: Connect, graph: Callable[..., None], gateway: Gateway, folder: Path, log: Path
) -> None:
    """Lying names, missing and contradictory annotations, no known cost, and a rule that asks."""
    gateway.policy.put("ask", "count:wait")
    before = ("search", "read", "state", "report", "other", "another")
    for first, unsafe in zip(before, UNSAFE, strict=True):
        graph(first, unsafe)
    arguments = {"search": {"text": "x"}, "read": {"issue": "x"}}
    async with connect() as client:
        for first, unsafe in zip(before, UNSAFE, strict=True):
            await call(client, first, **arguments.get(first, {}))
            await until(partial(is_predicted, gateway, unsafe))
        for unsafe in UNSAFE:
            plan = {"request": unsafe, "values": {f"count:{unsafe}": {}}}
            planned = structured(await client.call_tool("plan", plan))
            assert f"count:{unsafe}" in {task["tool"] for task in planned["tasks"]}
    gateway.policy.remove("count:wait")

    assert sum(use(gateway, unsafe).started for unsafe in UNSAFE) == 0
    assert (names(log)["WRITE"], names(log)["wait"]) == (0, 0)
    judged = speculations(folder)
    assert {judged[f"count:{unsafe}"].decision for unsafe in UNSAFE} == {"policy"}


@requirement("workflow:speculation:off")
async def test_one_flag_turns_it_off(
    connect: Connect, graph: Callable[..., None], gateway: Gateway, log: Path
) -> None:
    graph("search", "state")
    async with connect(speculates=False) as client:
        await call(client, "search", text="x")
        await client.call_tool("plan", {"request": "state", "values": {"count:state": {}}})
        await wait_all_tasks_blocked()

    assert names(log) == {"search": 1}
    assert not gateway.database.speculations.uses()


@requirement("workflow:speculation:off")
async def test_a_server_that_the_user_does_not_trust_is_left_alone(
    connect: Connect, graph: Callable[..., None], gateway: Gateway, log: Path
) -> None:
    graph("search", "state")
    gateway.trust("count", trusted=False)
    async with connect() as client:
        await call(client, "search", text="x")
        await wait_all_tasks_blocked()
    gateway.trust("count")

    assert names(log) == {"search": 1}
    assert not gateway.database.speculations.uses()


async def test_an_argument_that_a_field_fed_three_times_is_filled_in(
    connect: Connect, graph: Callable[..., None], log: Path
) -> None:
    graph("search", "read")
    async with connect() as client:
        for text in ("a", "b", "c"):
            await call(client, "search", text=text)
            await call(client, "read", issue=f"id of {text}")
        assert names(log)["read"] == 3
        await call(client, "search", text="d")
        await until(lambda: names(log)["read"] == 4)

        assert calls(log)[-1] == ["read", {"issue": "id of d"}]
        assert await call(client, "read", issue="id of d") == "issue id of d"
    assert names(log)["read"] == 4


async def test_a_write_in_between_makes_the_real_call_read_again(
    connect: Connect, graph: Callable[..., None], log: Path
) -> None:
    graph("search", "state")
    async with connect() as client:
        await call(client, "search", text="x")
        await until(lambda: names(log)["state"] == 1)
        await call(client, "change")
        await call(client, "state")

    assert names(log)["state"] == 2


@requirement("workflow:speculation:joined")
async def test_a_call_under_way_is_joined_and_cancelled_upstream_when_the_client_goes(
    connect: Connect, graph: Callable[..., None], gateway: Gateway, log: Path
) -> None:
    graph("search", "wait")
    async with connect() as client:
        await call(client, "search", text="x")
        await until(lambda: names(log)["wait"] == 1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, client, "wait")
            await wait_all_tasks_blocked()
            Path(f"{log}.gate").touch()
        assert names(log)["wait"] == 1

        Path(f"{log}.gate").unlink()
        await call(client, "search", text="y")
        await until(lambda: names(log)["wait"] == 2)
    await until(lambda: names(log)["cancelled"] == 1)

    assert use(gateway, "wait").hits == 1
    assert use(gateway, "wait").started == 2


@requirement("workflow:speculation:joined")
async def test_a_server_of_ours_that_is_killed_leaves_no_call_ahead(
    graph: Callable[..., None], gateway: Gateway, folder: Path, log: Path
) -> None:
    graph("search", "wait")
    env = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT")}
    arguments = {"tool": "count:search", "arguments": {"text": "x"}}
    with raw_client(folder, env | {"RECOLLECT_HOME": str(gateway.folder)}, OLD) as client:
        client.begin()
        client.result("tools/call", {"name": "call", "arguments": arguments})
        await until(lambda: names(log)["wait"] == 1)
        client.process.kill()
        await until(lambda: names(log)["cancelled"] == 1)

    assert names(log) == {"search": 1, "wait": 1, "cancelled": 1}


async def test_a_large_result_goes_to_the_vault_as_any_other(
    connect: Connect, graph: Callable[..., None], log: Path
) -> None:
    graph("search", "report")
    async with connect() as client:
        await call(client, "search", text="x")
        await until(lambda: names(log)["report"] == 1)
        reply = await call(client, "report")

    assert names(log)["report"] == 1
    assert "read_result" in reply
    assert len(reply) < 20_000


@requirement("workflow:speculation:plan")
async def test_a_run_finds_the_reads_of_its_plan_done_and_says_so(
    connect: Connect, gateway: Gateway, folder: Path, log: Path, version: str
) -> None:
    values = {"count:search": {"text": "x"}, "count:state": {}}
    async with connect(version) as client:
        request = {"request": "search for an issue, then state of the world", "values": values}
        planned = structured(await client.call_tool("plan", request))
        assert {"count:search", "count:state"} <= {task["tool"] for task in planned["tasks"]}
        await until(lambda: names(log).keys() >= {"search", "state"})
        result = structured(await client.call_tool("run", {"plan": planned["plan"]}))

    assert names(log)["search"] == names(log)["state"] == 1
    sources = {row["tool"]: row.get("source") for row in result["tasks"]}
    assert sources["count:state"] == sources["count:search"] == "speculation"
    store = open_run_store(gateway, folder)
    entries = store.journal.entries(result["run"])
    recorded = [each.event.source for each in entries if isinstance(each.event, TaskSucceeded)]
    assert recorded.count("speculation") == 2
