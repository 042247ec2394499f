"""A server recorded while it is used, and replayed without it: the official client over real pipes."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from tests.cli.running import Cli
from tests.requirements import requirement
from tests.server.running import MODES, OLD, WAIT, structured, text_of
from tests.upstreams.servers import light_entry

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
COUNTING = """
calls = 0

@tool(read_only=True)
def count() -> int:
    "Count the calls."
    global calls
    calls += 1
    return calls

@tool(read_only=True)
def user(token: str):
    "Look a user up."
    return {"content": [], "structuredContent": {"token": token, "name": "Ada"}}

@tool(read_only=True)
def fail() -> str:
    "Always fails."
    raise ValueError("no luck")

@tool(read_only=True)
def read() -> str:
    "Read a long text."
    return "word " * 20_000
"""


def client(cli: Cli, *words: str) -> Client:
    """The official client, with a command of ours as its server."""
    arguments = ["-m", "recollect", "gateway", *words]
    server = StdioServerParameters(
        command=sys.executable, args=arguments, cwd=cli.folder, env=dict(cli.env)
    )
    return Client(server, mode=MODES[OLD], read_timeout_seconds=WAIT)


async def use(connected: Client) -> dict[str, Any]:
    """What a client sees of the server."""
    tools = (await connected.list_tools()).tools
    return {
        "tools": [tool.model_dump(exclude_none=True) for tool in tools],
        "count": [structured(await connected.call_tool("count")) for _ in range(2)],
        "user": structured(await connected.call_tool("user", {"token": TOKEN})),
        "fail": text_of(await connected.call_tool("fail")),
        "read": structured(await connected.call_tool("read")),
    }


@pytest.mark.anyio
@requirement("workflow:recording:replay")
async def test_a_replay_answers_as_the_server_did_and_has_no_secret(cli: Cli, tmp_path: Path) -> None:
    server = light_entry(COUNTING)
    cli.ok("gateway", "add", "counting", "--", server["command"], *server["args"])
    file = tmp_path / "counting.jsonl"

    async with client(cli, "record", "counting", str(file)) as connected:
        recorded = await use(connected)
    cli.ok("gateway", "remove", "counting")
    async with client(cli, "replay", str(file)) as connected:
        replayed = await use(connected)
        again = structured(await connected.call_tool("count"))
        other = await connected.call_tool("user", {"token": "x", "name": "y"})
        unknown = await connected.call_tool("delete")

    assert recorded["user"] == {"token": TOKEN, "name": "Ada"}
    assert recorded["count"] == [{"result": 1}, {"result": 2}]
    assert replayed == {**recorded, "user": {"token": "[REDACTED]", "name": "Ada"}}
    assert again == {"result": 2}
    assert other.is_error
    assert text_of(other).startswith(
        "not recorded: the recording has no call of 'user' of the server 'counting' with"
    )
    assert "not recorded: the recording has no call of 'delete'" in text_of(unknown)
    assert TOKEN not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_recording_is_not_overwritten_and_a_file_that_is_none_is_refused(
    cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "recording.jsonl"
    file.write_text(json.dumps({"format": "other"}) + "\n")
    server = light_entry(COUNTING)
    cli.ok("gateway", "add", "counting", "--", server["command"], *server["args"])

    assert "exists; remove it" in cli("gateway", "record", "counting", str(file)).err
    assert "is not a recording of version 1" in cli("gateway", "replay", str(file)).err
    assert "cannot be read" in cli("gateway", "replay", str(tmp_path / "none")).err
