"""Published servers behind `recollect serve`: every tool is found, and one of each server is called."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

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


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a user."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT")}
    return env | {"HOME": str(tmp_path_factory.mktemp("home"))}


@pytest.fixture(scope="module")
def folder(env: dict[str, str]) -> Path:
    folder = Path(env["HOME"]) / "project"
    (folder / ".claude" / "memory").mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def gateway(env: dict[str, str], folder: Path) -> Gateway:
    """The six servers, whose tools are known."""
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


async def test_tools_that_a_server_offers_only_to_an_able_client_are_known_from_the_start(
    gateway: Gateway, folder: Path, env: dict[str, str]
) -> None:
    name = "everything:trigger-sampling-request"
    async with connected(SERVE, folder, env) as client:
        sampled = await client.call_tool(
            "call", {"tool": name, "arguments": {"prompt": "x", "maxTokens": 5}}
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
