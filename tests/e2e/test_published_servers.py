"""Published servers behind `recollect serve`: every tool is found, and behaves as when called directly."""

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from pydantic import FileUrl
from tests.e2e.published_servers import entries, needs_npm
from tests.requirements import requirement
from tests.server.running import SERVE, WAIT, structured, text_of

from recollect.app.gateway import Gateway
from recollect.clock import utc_now
from recollect.paths import data_folder

pytestmark = [pytest.mark.anyio, needs_npm]

ARGUMENTS: dict[str, dict[str, Any]] = {
    "echo": {"message": "hello"},
    "get-sum": {"a": 1, "b": 2},
    "get-annotated-message": {"messageType": "success"},
    "get-structured-content": {"location": "Chicago"},
    "get-resource-links": {"count": 2},
    "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
    "gzip-file-as-resource": {"name": "a.gz", "data": "data:text/plain;base64,aGk="},
    "trigger-long-running-operation": {"duration": 0.2, "steps": 2},
    "trigger-sampling-request": {"prompt": "x", "maxTokens": 5},
    "trigger-url-elicitation": {"url": "https://example.com"},
    "simulate-research-query": {"topic": "x"},
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a user with the six servers, whose tools are known."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".claude" / "memory").mkdir(parents=True)
    return folder


@pytest.fixture
def gateway(env: dict[str, str], folder: Path) -> Gateway:
    gateway = Gateway(Path(data_folder(env)), env, utc_now)
    for name, entry in entries(folder).items():
        gateway.add(name, entry)
        gateway.refresh(name)
    return gateway


async def decline(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


async def answer(context: object, params: object) -> types.CreateMessageResult:
    content = types.TextContent(text="hello")
    return types.CreateMessageResult(role="assistant", content=content, model="test")


async def roots(context: object) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[types.Root(uri=FileUrl("file:///work"))])


@asynccontextmanager
async def connected(command: list[str], folder: Path, env: dict[str, str]) -> AsyncIterator[Client]:
    """A client that can be asked everything, with the server as its child."""
    server = StdioServerParameters(command=command[0], args=command[1:], cwd=folder, env=env)
    async with Client(
        server,
        mode="legacy",
        read_timeout_seconds=WAIT,
        elicitation_callback=decline,
        sampling_callback=answer,
        list_roots_callback=roots,
    ) as client:
        yield client


async def outcomes(client: Client, names: dict[str, str]) -> dict[str, object]:
    """What each tool of the everything server answers, called by these names."""
    results: dict[str, object] = {}
    for tool, name in names.items():
        result = await client.call_tool(name, ARGUMENTS.get(tool, {}))
        blocks = [block.model_dump_json(exclude_none=True) for block in result.content]
        timeless = [re.sub(r"\d+:\d+:\d+ [AP]M", "a time", block) for block in blocks]
        results[tool] = timeless, result.structured_content, result.is_error
    return results


@requirement("gateway:catalogue:cached")
async def test_every_tool_of_six_servers_is_first_by_its_name_and_described_before_any_server_runs(
    gateway: Gateway, folder: Path, env: dict[str, str]
) -> None:
    tools = gateway.catalogue.tools()
    async with connected(SERVE, folder, env) as client:
        for tool in tools:
            hits = structured(await client.call_tool("discover", {"request": tool.id}))
            described = structured(await client.call_tool("describe", {"tools": [tool.id]}))

            assert hits["tools"][0]["id"] == tool.id
            assert described["tools"][0]["id"] == tool.id
    assert {tool.server for tool in tools} == set(entries(folder))
    assert len(tools) > 45


@requirement("gateway:meta-tools:pass-through")
async def test_every_tool_of_the_everything_server_behaves_as_when_called_directly(
    gateway: Gateway, folder: Path, env: dict[str, str]
) -> None:
    entry = entries(folder)["everything"]
    async with connected([entry["command"]], folder, {**env, **entry["env"]}) as client:
        names = [tool.name for tool in (await client.list_tools()).tools if tool.name != "get-env"]
        direct = await outcomes(client, {name: name for name in names})
    proxy = {**env, "RECOLLECT_GATEWAY_EXPOSURE": "proxy"}
    async with connected(SERVE, folder, proxy) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        shown = {name: f"everything__{name}" for name in names if f"everything__{name}" in listed}
        proxied = await outcomes(client, shown)

    assert len(shown) >= 12
    assert proxied == {name: direct[name] for name in shown}


async def test_tools_that_a_server_offers_only_to_an_able_client_are_found_once_it_has_come(
    gateway: Gateway, folder: Path, env: dict[str, str]
) -> None:
    name = "everything:trigger-sampling-request"
    async with connected(SERVE, folder, env) as client:
        await client.call_tool("call", {"tool": "everything:echo", "arguments": {"message": "x"}})
        with anyio.fail_after(WAIT):
            while (await client.call_tool("describe", {"tools": [name]})).is_error:
                await anyio.sleep(0.05)
        sampled = await client.call_tool(
            "call", {"tool": name, "arguments": ARGUMENTS["trigger-sampling-request"]}
        )

    assert "hello" in text_of(sampled)


async def test_a_tool_of_each_server_works(gateway: Gateway, folder: Path, env: dict[str, str]) -> None:
    (folder / "note.txt").write_text("remember")
    calls: dict[str, dict[str, Any]] = {
        "filesystem:read_text_file": {"path": str(folder / "note.txt")},
        "memory:create_entities": {
            "entities": [{"name": "shop", "entityType": "project", "observations": ["is open"]}]
        },
        "sequential-thinking:sequentialthinking": {
            "thought": "x",
            "nextThoughtNeeded": False,
            "thoughtNumber": 1,
            "totalThoughts": 1,
        },
        "time:get_current_time": {"timezone": "UTC"},
        "everything:get-sum": {"a": 2, "b": 3},
    }
    async with connected(SERVE, folder, env) as client:
        answers = {
            id: await client.call_tool("call", {"tool": id, "arguments": arguments})
            for id, arguments in calls.items()
        }

    assert {id: result.is_error for id, result in answers.items()} == dict.fromkeys(calls, False)
    assert "remember" in text_of(answers["filesystem:read_text_file"])
    assert "5" in text_of(answers["everything:get-sum"])
    assert "shop" in (folder / "memory.jsonl").read_text()
