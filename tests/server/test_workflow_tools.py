"""Workflows over MCP: a graph of real calls in one request, decisions in the next, in both protocol eras."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from tests.requirements import requirement
from tests.samples import draft
from tests.server.running import MODES, NEW, OLD, structured, text_of
from tests.upstreams.servers import CALCULATOR, light_entry

from recollect.app.gateway import Gateway
from recollect.app.project import Recollect
from recollect.app.run_store import RunStore, open_run_store
from recollect.app.worker import ProjectWorker
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.gateway.listing import ServerListing
from recollect.gateway.tool_graph import ToolEdge
from recollect.records.categories import Category
from recollect.server.gateway_tools import GatewayTools
from recollect.server.protocol import make_server
from recollect.storage.sqlite.state import StateDatabase
from recollect.workflow.commands import Command
from recollect.workflow.events import ApprovalRequested, JournalEntry, RunFinished, RunStarted
from recollect.workflow.grants import Grant

pytestmark = pytest.mark.anyio
Connect = Callable[..., AbstractAsyncContextManager[Client]]
ADD = {"id": "sum", "tool": "talk:add", "arguments": {"a": 2, "b": 3}}
TWICE = {"id": "twice", "tool": "talk:add", "arguments": {"a": "${sum.result}", "b": "${sum.result}"}}
DELETE = {"id": "delete", "tool": "talk:delete_file", "arguments": {"path": "x"}}


@pytest.fixture(scope="module")
def listing(tmp_path_factory: pytest.TempPathFactory) -> ServerListing:
    gateway = Gateway(tmp_path_factory.mktemp("listing"), {}, utc_now)
    gateway.add("talk", light_entry(CALCULATOR))
    gateway.refresh("talk")
    return ServerListing(gateway.catalogue.tools())


@pytest.fixture
def gateway(tmp_path: Path, listing: ServerListing) -> Gateway:
    gateway = Gateway(tmp_path / "data", {}, utc_now)
    gateway.add("talk", light_entry(CALCULATOR))
    gateway.record("talk", listing)
    return gateway


@pytest.fixture
def connect(gateway: Gateway, project: Recollect, folder: Path) -> Connect:
    @asynccontextmanager
    async def client(
        version: str = OLD, *, asks_person: bool = False, **callbacks: Any
    ) -> AsyncIterator[Client]:
        worker = ProjectWorker(lambda: project)
        tools = GatewayTools(gateway, folder, Exposure(asks_person=asks_person), worker)
        async with anyio.create_task_group() as tasks:
            await tools.start(tasks)
            async with Client(
                make_server(worker, tools), mode=MODES[version], **callbacks
            ) as connected:
                yield connected
            await tools.stop()
            tasks.cancel_scope.cancel()

    return client


@pytest.fixture
def store(gateway: Gateway, project: Recollect) -> RunStore:
    return open_run_store(gateway, project.folder)


def rows(result: types.CallToolResult) -> dict[str, Any]:
    return {row["id"]: row for row in structured(result)["tasks"]}


async def test_a_graph_of_calls_is_one_request(connect: Connect, version: str) -> None:
    async with connect(version) as client:
        result = await client.call_tool("run", {"tasks": [TWICE, ADD], "intent": "count"})

    assert structured(result)["status"] == "succeeded"
    assert rows(result)["twice"]["output"] == {"result": 10}
    assert '- twice (talk:add): succeeded: {"result": 10}' in text_of(result)


@requirement("workflow:dag:validated")
async def test_a_workflow_that_cannot_run_is_refused_with_all_its_problems(connect: Connect) -> None:
    tasks = [
        {"id": "a", "tool": "talk:ad"},
        {"id": "b", "tool": "talk:add", "arguments": {"a": "${c.x}"}},
    ]
    async with connect() as client:
        result = await client.call_tool("run", {"tasks": tasks})

    assert result.is_error
    assert "did you mean 'talk:add'" in text_of(result)
    assert "there is no task 'c'" in text_of(result)


async def test_progress_is_reported_while_it_runs(connect: Connect) -> None:
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress / (total or 1))

    async with connect() as client:
        await client.call_tool("run", {"tasks": [TWICE, ADD]}, progress_callback=hear)

    assert heard[0] == 0
    assert heard == sorted(set(heard))


async def test_a_failure_comes_back_as_a_decision_and_control_goes_on(connect: Connect) -> None:
    failing = {"id": "bad", "tool": "talk:fail"}
    after = {"id": "after", "tool": "talk:add", "arguments": {"a": 1, "b": 1}, "needs": ["bad"]}
    async with connect() as client:
        await client.call_tool("describe", {"tools": ["talk:fail"]})
        result = await client.call_tool("run", {"tasks": [failing, after, ADD]})
        assert structured(result)["paused"]["reason"] == "approval"
        other = await client.call_tool(
            "run",
            {
                "tasks": [
                    {"id": "a", "tool": "talk:add", "arguments": {"a": "${b.result}", "b": 1}},
                    {"id": "b", "tool": "talk:add", "arguments": {"a": 1, "b": 1}},
                ]
            },
        )
        assert structured(other)["status"] == "succeeded"
        run = structured(result)["run"]
        skipped = await client.call_tool("control", {"run": run, "command": "skip", "task": "bad"})

    assert structured(skipped)["status"] == "succeeded"
    assert rows(skipped)["after"]["status"] == "skipped"


@requirement("workflow:approval:human")
async def test_an_agent_cannot_approve_and_a_person_at_another_door_can(
    connect: Connect, store: RunStore
) -> None:
    async with connect() as client:
        result = await client.call_tool("run", {"tasks": [DELETE, ADD]})
        run = structured(result)["run"]
        assert structured(result)["paused"]["tasks"] == ["delete"]
        approval = rows(result)["delete"]["approval"]
        forged = await client.call_tool("control", {"run": run, "command": "approve", "task": "delete"})
        assert "only a person may" in text_of(forged)

        approve = Command(
            secrets.token_hex(8), "approve", {"task": "delete", "approval": approval}, "person"
        )
        store.journal.send(run, approve, store.now())
        with anyio.fail_after(20):
            while store.journal.waiting(run):
                await anyio.sleep(0.05)
        done = await client.call_tool("control", {"run": run})

    assert structured(done)["status"] == "succeeded"
    assert rows(done)["delete"]["output"] == {"result": "deleted x"}
    refused = [entry.event for entry in store.entries(run) if "Refused" in type(entry.event).__name__]
    assert len(refused) == 1


@requirement("workflow:approval:human")
async def test_a_person_is_asked_in_the_client_with_what_will_happen(
    connect: Connect, version: str
) -> None:
    asked: list[str] = []

    async def elicit(_: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    after = {**ADD, "id": "after", "needs": ["delete"]}
    async with connect(version, asks_person=True, elicitation_callback=elicit) as client:
        result = await client.call_tool("run", {"tasks": [DELETE, after], "intent": "tidy up"})

    assert structured(result)["status"] == "succeeded"
    [question] = asked
    for part in (
        "delete_file",
        'Arguments: {"path": "x"}',
        "Run: tidy up",
        "After it: after",
        "If you refuse",
    ):
        assert part in question


@requirement("workflow:approval:grants")
async def test_a_grant_covers_the_calls_it_names_and_no_other(
    connect: Connect, store: RunStore
) -> None:
    store.grants.add(
        Grant("g1", "talk:delete_file", {"path": "tmp/*"}, 2, "2100-01-01T00:00:00Z", "person")
    )
    tasks = [
        {**DELETE, "id": "one", "arguments": {"path": "tmp/a"}},
        {**DELETE, "id": "two", "arguments": {"path": "src/b"}},
    ]
    async with connect() as client:
        result = await client.call_tool("run", {"tasks": tasks})

    assert rows(result)["one"]["status"] == "succeeded"
    assert rows(result)["two"]["status"] == "waiting_approval"
    assert [grant.uses for grant in store.grants.of("talk:delete_file")] == [1]
    run = structured(result)["run"]
    rules = [
        entry.event.rule
        for entry in store.entries(run)
        if isinstance(entry.event, ApprovalRequested) and entry.event.task == "two"
    ]
    assert [rule.endswith("; the grant g1 is for other arguments") for rule in rules] == [True]


async def test_a_run_answers_when_its_time_is_over_and_abort_cancels_upstream(
    connect: Connect, gateway: Gateway, tmp_path: Path
) -> None:
    gateway.policy.put("allow", "talk:wait")
    mark = tmp_path / "mark"
    waiting = {"id": "w", "tool": "talk:wait", "arguments": {"mark": str(mark)}, "timeout": 0.2}
    async with connect() as client:
        result = await client.call_tool("run", {"tasks": [waiting], "wait": 0})
        assert structured(result)["status"] == "running"
        run = structured(result)["run"]
        with anyio.fail_after(30):
            while not mark.exists():
                await anyio.sleep(0.05)
        doubtful = await client.call_tool("control", {"run": run, "wait": 20})
        aborted = await client.call_tool("control", {"run": run, "command": "abort"})

    assert structured(doubtful)["paused"]["reason"] == "in_doubt"
    assert structured(aborted)["status"] == "aborted"


@requirement("workflow:journal:resume")
async def test_another_server_goes_on_with_a_run_that_was_left(connect: Connect) -> None:
    async with connect(OLD) as client:
        result = await client.call_tool("run", {"tasks": [ADD, TWICE], "decide": "each_layer"})
        run = structured(result)["run"]
        assert structured(result)["paused"]["reason"] == "layer"
    async with connect(NEW) as client:
        done = await client.call_tool("control", {"run": run, "command": "continue"})
        seen = await client.call_tool("control", {"run": run})

    assert structured(done)["status"] == "succeeded"
    assert structured(seen) == structured(done)
    assert rows(done)["sum"]["attempts"] == 1


@requirement("workflow:plan:missing")
@requirement("learning:traces:outcomes")
async def test_a_plan_says_what_it_needs_and_runs_with_it(
    connect: Connect, version: str, project: Recollect
) -> None:
    async with connect(version) as client:
        planned = structured(await client.call_tool("plan", {"request": "add two whole numbers"}))
        values = {planned["tasks"][0]["id"]: {"a": 4, "b": 5}}
        result = await client.call_tool("run", {"plan": planned["plan"], "values": values})

    assert planned["status"] == "needs_arguments"
    assert [(need["argument"], need["type"]) for need in planned["needs"]] == [
        ("a", "integer"),
        ("b", "integer"),
    ]
    assert rows(result)["add"]["output"] == {"result": 9}
    [trace] = project.traces.latest(10, "plan")
    assert (trace.candidate, trace.outcome) == (planned["plan"], "succeeded")
    assert round(trace.score, 2) == planned["confidence"]


async def test_a_plan_that_does_not_exist_or_lacks_values_is_refused(connect: Connect) -> None:
    async with connect() as client:
        unknown = await client.call_tool("run", {"plan": "plan-0"})
        neither = await client.call_tool("run", {})
        planned = structured(await client.call_tool("plan", {"request": "add two whole numbers"}))
        lacking = await client.call_tool("run", {"plan": planned["plan"]})

    assert "there is no plan 'plan-0'; plan again." in text_of(unknown)
    assert "give either tasks or a plan" in text_of(neither)
    assert "'a' is missing" in text_of(lacking)


async def test_a_plan_shows_what_is_remembered_about_its_tools(
    connect: Connect, project: Recollect
) -> None:
    project.memories.save(
        draft("Never add negative numbers with talk", Category.CONSTRAINT, tags=["talk"])
    )
    async with connect() as client:
        planned = await client.call_tool("plan", {"request": "add two whole numbers"})

    assert [row["title"] for row in structured(planned)["memories"]] == [
        "Never add negative numbers with talk"
    ]


@requirement("workflow:replan:uses-what-is-done")
async def test_replanning_replaces_what_failed_and_keeps_what_is_done(
    connect: Connect, gateway: Gateway
) -> None:
    gateway.policy.put("allow", "talk:*")
    failing = {"id": "bad", "tool": "talk:fail", "needs": ["sum"]}
    after = {"id": "after", "tool": "talk:count", "needs": ["bad"]}
    async with connect() as client:
        tasks = [ADD, failing, after]
        result = await client.call_tool("run", {"tasks": tasks, "intent": "count slowly and report"})
        assert structured(result)["paused"]["reason"] == "error"
        run = structured(result)["run"]
        planned = await client.call_tool("control", {"run": run, "command": "replan"})

    after_it = rows(planned)
    assert (after_it["sum"]["status"], after_it["sum"]["attempts"]) == ("succeeded", 1)
    assert after_it["after"]["status"] == "skipped"
    assert [row["tool"] for id, row in after_it.items() if id not in ("sum", "bad", "after")] == [
        "talk:fail",
        "talk:count",
    ]


async def test_a_run_is_known_by_the_beginning_of_its_id(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("run", {"tasks": [ADD, TWICE], "decide": "each_layer"})
        run = structured(result)["run"]
    async with connect() as client:
        done = await client.call_tool("control", {"run": run[:10], "command": "continue"})

    assert (structured(done)["run"], structured(done)["status"]) == (run, "succeeded")


@requirement("workflow:journal:retention")
async def test_the_end_of_a_run_deletes_those_that_ended_long_ago(
    connect: Connect, store: RunStore
) -> None:
    old = "2020-01-01T00:00:00.000Z"
    first = JournalEntry(1, old, RunStarted({"tasks": [{"id": "a", "tool": "talk:add"}]}))
    store.journal.begin("run-old", "", first)
    store.journal.append("run-old", [JournalEntry(2, old, RunFinished("succeeded"))], "succeeded")

    async with connect() as client:
        done = await client.call_tool("run", {"tasks": [ADD]})

    assert [record.id for record in store.journal.runs(10)] == [structured(done)["run"]]


@requirement("learning:episodes:found")
async def test_a_plan_says_how_the_same_request_went_last_time(
    connect: Connect, gateway: Gateway
) -> None:
    gateway.policy.put("allow", "talk:*")
    request = "Add two whole numbers."
    async with connect() as client:
        first = await client.call_tool("plan", {"request": request})
        failing = [ADD, {"id": "no", "tool": "talk:fail", "after": ["sum"]}]
        run = {"tasks": failing, "intent": " add TWO whole numbers.", "decide": "never"}
        await client.call_tool("run", run)
        second = await client.call_tool("plan", {"request": request})
        await client.call_tool("run", {"tasks": [ADD], "intent": request})
        third = await client.call_tool("plan", {"request": request})

    assert "earlier" not in structured(first)
    earlier = structured(second)["earlier"]
    assert (earlier["same_request"], earlier["tools"]) == (True, ["talk:add", "talk:fail"])
    assert earlier["failed_at"] == "talk:fail"
    assert "this failed at talk:fail: " in text_of(second)
    assert "this succeeded with talk:add" in text_of(third)


@requirement("learning:graph:edges")
async def test_a_run_teaches_the_tool_graph_which_tool_needed_which(
    connect: Connect, project: Recollect
) -> None:
    """A task that failed teaches nothing."""
    async with connect() as client:
        await client.call_tool("run", {"tasks": [TWICE, ADD]})

    state = StateDatabase(str(project.state_folder / "state.db"))
    edges = [edge for edge in state.tool_graph.edges() if edge.type == "dependency"]
    assert edges == [ToolEdge("talk:add", "talk:add", 1, "dependency")]
    state.close()
