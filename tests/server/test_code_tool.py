"""Code over MCP: several real calls in one request, under the same rules as any other call."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import TextContent
from tests.requirements import requirement
from tests.server.running import MODES, OLD, WAIT, structured, text_of
from tests.upstreams.servers import TALKATIVE, entry

from recollect.app.gateway import Gateway
from recollect.app.project import Recollect
from recollect.app.run_store import open_run_store
from recollect.app.worker import ProjectWorker
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.gateway.listing import ServerListing
from recollect.gateway.tool import UpstreamTool
from recollect.learning.capabilities import stale_tools
from recollect.server.gateway_tools import GatewayTools
from recollect.server.protocol import make_server
from recollect.workflow.commands import Command

pytestmark = pytest.mark.anyio
Connect = Callable[[], AbstractAsyncContextManager[Client]]


@pytest.fixture(scope="module")
def listing(tmp_path_factory: pytest.TempPathFactory) -> ServerListing:
    gateway = Gateway(tmp_path_factory.mktemp("listing"), {}, utc_now)
    gateway.add("talk", entry(TALKATIVE))
    gateway.refresh("talk")
    return ServerListing(gateway.catalogue.tools())


@pytest.fixture
def gateway(tmp_path: Path, listing: ServerListing) -> Gateway:
    gateway = Gateway(tmp_path / "data", {}, utc_now)
    gateway.add("talk", entry(TALKATIVE))
    gateway.record("talk", listing)
    return gateway


@pytest.fixture
def connect(gateway: Gateway, project: Recollect, folder: Path) -> Connect:
    @asynccontextmanager
    async def client() -> AsyncIterator[Client]:
        worker = ProjectWorker(lambda: project)
        tools = GatewayTools(gateway, folder, Exposure(), worker)
        async with anyio.create_task_group() as tasks:
            await tools.start(tasks)
            async with Client(make_server(worker, tools), mode=MODES[OLD]) as connected:
                yield connected
            await tools.stop()
            tasks.cancel_scope.cancel()

    return client


@requirement("sandbox:code-tool")
async def test_code_calls_tools_and_gives_its_last_value(connect: Connect) -> None:
    code = (
        "import asyncio\n"
        "sums = await asyncio.gather(*[talk_add(a=n, b=1) for n in range(3)])\n"
        "print('added', len(sums))\n"
        "sum(each['result'] for each in sums) + more"
    )
    async with connect() as client:
        result = await client.call_tool("code", {"code": code, "variables": {"more": 10}})

    output = structured(result)
    assert output["status"] == "succeeded"
    assert output["result"] == 16
    assert output["printed"] == "added 3\n"
    assert [call["line"] for call in output["calls"]] == [2, 2, 2]
    assert not result.is_error


@requirement("sandbox:types")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("await talk_add(a='x', b=1)", "line 1"),
        ("x = 1\nawait talk_ad(a=1, b=1)", "talk_add"),
        ("def (:", "cannot be read"),
    ],
)
async def test_wrong_code_comes_back_as_a_readable_error(
    connect: Connect, code: str, said: str
) -> None:
    async with connect() as client:
        result = await client.call_tool("code", {"code": code})

    assert result.is_error
    assert said in text_of(result)
    assert result.structured_content is not None
    assert result.structured_content["calls"] == []


@requirement("sandbox:approval")
async def test_a_rule_of_policy_holds_for_code(connect: Connect, gateway: Gateway) -> None:
    gateway.policy.put("deny", "talk:add")
    code = "try:\n    await talk_add(a=1, b=1)\nexcept Exception as error:\n    x = str(error)\nx"
    async with connect() as client:
        result = await client.call_tool("code", {"code": code})

    assert "may not be called" in structured(result)["result"]


@requirement("sandbox:approval")
async def test_code_pauses_for_a_person_and_goes_on_in_the_next_server(
    connect: Connect, gateway: Gateway, project: Recollect
) -> None:
    code = "total = (await talk_add(a=1, b=1))['result']\nawait talk_delete_file(path=f'x{total}')"
    async with connect() as client:
        result = await client.call_tool("code", {"code": code})
    output = structured(result)
    assert output["paused"]["reason"] == "approval"
    call = output["calls"][1]
    assert (call["tool"], call["line"], call["status"]) == ("talk:delete_file", 2, "waiting_approval")

    store = open_run_store(gateway, project.folder)
    decision = {"task": call["id"], "approval": call["approval"]}
    store.journal.send(
        output["run"], Command(secrets.token_hex(8), "approve", decision, "person"), store.now()
    )
    async with connect() as client:
        done = await client.call_tool("control", {"run": output["run"]})
    rows = {row["id"]: row for row in structured(done)["tasks"]}
    assert rows["code"]["output"]["result"] == {"result": "deleted x2"}


@requirement("sandbox:code-tool")
async def test_a_large_result_of_code_goes_to_the_vault(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("code", {"code": "[f'row {n}' for n in range(20_000)]"})

    assert "read_result" in text_of(result)
    assert len(text_of(result)) < 20_000


@requirement("learning:capabilities:first-success")
async def test_code_that_worked_is_found_by_the_very_next_request(connect: Connect) -> None:
    async with connect() as client:
        before = structured(await client.call_tool("discover", {"request": "double a number"}))
        code = {"code": "(await talk_add(a=2, b=2))['result']", "intent": "double a number"}
        await client.call_tool("code", code)
        result = await client.call_tool("discover", {"request": "double a number"})

    assert before["capabilities"] == []
    [row] = structured(result)["capabilities"]
    assert (row["name"], row["parameters"], row["tools"]) == (
        "double_number",
        {"a": 2, "b": 2},
        ["talk:add"],
    )
    assert "await capability_double_number(a=2, b=2)" in text_of(result)


@requirement("learning:capabilities:called")
async def test_a_capability_is_a_task_of_a_workflow_and_counted(
    connect: Connect, gateway: Gateway, project: Recollect
) -> None:
    code = {"code": "(await talk_add(a=2, b=2))['result']", "intent": "double a number"}
    tasks = [
        {"id": "first", "capability": "double_number", "arguments": {"a": 40}},
        {
            "id": "second",
            "code": "await capability_double_number(a=x) + 1",
            "arguments": {"x": "${first.result}"},
        },
    ]
    unknown = [{"id": "first", "capability": "double_numbers"}]
    wrong = [{"id": "first", "capability": "double_number", "arguments": {"c": 1}}]
    async with connect() as client:
        await client.call_tool("code", code)
        result = await client.call_tool("run", {"tasks": tasks})
        refused = [text_of(await client.call_tool("run", {"tasks": each})) for each in (unknown, wrong)]
        await client.call_tool("discover", {"request": "anything"})

    rows = {row["id"]: row for row in structured(result)["tasks"]}
    assert rows["first"]["tool"] == "capability:double_number"
    assert rows["second"]["output"]["result"] == 45
    assert "did you mean 'double_number'" in refused[0]
    assert "there is no parameter 'c'; it has a, b" in refused[1]
    store = open_run_store(gateway, project.folder)
    counts = {each.name: (each.runs, each.tools) for each in store.capabilities.all()}
    assert counts["double_number"] == (3, ("talk:add",))
    assert sorted(tools for _, tools in counts.values()) == [("talk:add",)] * 2


@requirement("learning:capabilities:called")
async def test_tasks_that_are_added_to_a_run_may_call_capabilities(connect: Connect) -> None:
    code = {"code": "(await talk_add(a=2, b=2))['result']", "intent": "double a number"}
    failing = {"id": "wrong", "tool": "talk:add", "arguments": {"a": "${context.n}", "b": 1}}
    added = {"id": "more", "capability": "double_number", "arguments": {"a": 40}}
    async with connect() as client:
        await client.call_tool("code", code)
        paused = await client.call_tool("run", {"tasks": [failing], "context": {"n": "x"}})
        inject = {"run": structured(paused)["run"], "command": "inject_tasks"}
        unknown = {**inject, "tasks": [{**added, "capability": "double_numbers"}]}
        refused = await client.call_tool("control", unknown)
        await client.call_tool("control", {**inject, "tasks": [added]})
        done = structured(await client.call_tool("control", {**inject, "command": "continue"}))

    assert "did you mean 'double_number'" in text_of(refused)
    rows = {row["id"]: row for row in done["tasks"]}
    assert rows["more"]["output"]["result"] == 42


@requirement("learning:capabilities:unasked")
async def test_code_that_does_what_the_last_calls_did_is_named_behind_a_result(
    connect: Connect, gateway: Gateway, project: Recollect
) -> None:
    gateway.policy.put("allow", "talk:where")
    await_both = "await talk_where()\nawait talk_add(a=2, b=2)"
    calls: list[dict[str, Any]] = [
        {"tool": "talk:where"},
        {"tool": "talk:add", "arguments": {"a": 1, "b": 1}},
    ]
    async with connect() as client:
        await client.call_tool(
            "run", {"tasks": [{"id": "c", "code": await_both}], "intent": "sum here"}
        )
    async with connect() as client:
        with anyio.fail_after(WAIT):
            for number in count():
                result = await client.call_tool("call", calls[number % 2])
                if len(result.content) > 1:
                    break
        after = await client.call_tool("call", calls[1])
        await client.call_tool("code", {"code": "await capability_sum_here(a=3)"})

    edges = open_run_store(gateway, project.folder).tool_graph.edges()
    assert {edge.target for edge in edges if edge.type == "contains"} == {"talk:add", "talk:where"}
    *_, line = result.content
    assert isinstance(line, TextContent)
    assert line.text.startswith("[recollect] Code that worked (succeeded 1 of 1 times)")
    assert "await capability_sum_here(a=2, b=2)" in line.text
    assert len(after.content) == 1
    [trace] = [each for each in project.traces.latest(10, "capability") if "overlap" in each.signals]
    assert (trace.candidate, trace.outcome) == ("sum_here", "succeeded")


@requirement("learning:capabilities:stale")
async def test_a_capability_is_not_suggested_after_a_schema_changed_until_it_works_again(
    connect: Connect, gateway: Gateway, project: Recollect, listing: ServerListing
) -> None:
    request = {"request": "double a number"}
    code = {"code": "(await talk_add(a=2, b=2))['result']", "intent": "double a number"}

    def other(tool: UpstreamTool) -> UpstreamTool:
        properties = {**tool.input_schema.get("properties", {}), "c": {"type": "integer"}}
        return replace(tool, input_schema={**tool.input_schema, "properties": properties})

    assert listing.tools is not None
    changed = [other(tool) if tool.name == "add" else tool for tool in listing.tools]
    async with connect() as client:
        await client.call_tool("code", code)
        gateway.record("talk", replace(listing, tools=changed))
        gateway.accept(gateway.review("talk:add"))
        stale = structured(await client.call_tool("discover", request))
        [kept] = open_run_store(gateway, project.folder).capabilities.all()
        assert stale_tools(kept, {tool.id: tool for tool in changed}) == ("talk:add",)
        result = structured(await client.call_tool("code", code))
        again = structured(await client.call_tool("discover", request))

    assert stale["capabilities"] == []
    assert result["status"] == "succeeded"
    assert [row["name"] for row in again["capabilities"]] == ["double_number"]
