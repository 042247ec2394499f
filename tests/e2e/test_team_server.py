"""A team's server as a process: members' tokens over HTTP, logs without secrets, and a quiet end."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from tests.postgres import Server
from tests.requirements import requirement
from tests.server.running import META, NEW, SERVE, WAIT

from recollect.app.opening import init_project
from recollect.app.team import TokenWish
from recollect.app.team_access import open_team_of
from recollect.team.principal import Principal
from recollect.team.roles import MemberRole

OPERATOR = Principal("operator", "person", MemberRole.ADMIN)


@dataclass(frozen=True, slots=True)
class Running:
    """A server, its address, and a token of an agent and of a person."""

    process: "subprocess.Popen[str]"
    url: str
    agent: str
    person: str


@pytest.fixture
def running(tmp_path: Path, postgres_server: Server) -> Iterator[Running]:
    folder, home = tmp_path / "shop", tmp_path / "home"
    for made in (folder, home):
        made.mkdir(exist_ok=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin"
    env = {"HOME": str(home), "PATH": path, "RECOLLECT_DATABASE": postgres_server.url("tests")}
    init_project(folder, env=env)
    team = open_team_of(folder, env=env)
    team.add_member("anna", MemberRole.ADMIN, OPERATOR)
    agent, _ = team.create_token(TokenWish("anna", MemberRole.WRITE, "agent"), OPERATOR)
    person, _ = team.create_token(TokenWish("anna", MemberRole.APPROVE, "person"), OPERATOR)
    command = [*SERVE, "--http", "--port", "0"]
    options = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(  # type: ignore[call-overload]
        command, cwd=folder, env=env | {"RECOLLECT_LOG": "json"}, **options
    ) as process:
        said = process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert address, said + process.stderr.read()
        yield Running(process, address[0], str(agent), str(person))
        process.kill()


def call(running: Running, token: str, name: str, /, **arguments: object) -> httpx2.Response:
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": NEW,
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
    }
    envelope = {f"{META}/protocolVersion": NEW, f"{META}/clientCapabilities": {}}
    params = {"name": name, "arguments": arguments, "_meta": envelope}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return httpx2.post(f"{running.url}/mcp", json=body, headers=headers, timeout=WAIT)


@requirement("team:server:process")
def test_members_use_a_server_whose_memories_are_in_the_database(running: Running) -> None:
    content = {
        "status": "accepted",
        "context": "The API must know who calls.",
        "decision": "Sign a JWT at login.",
        "rationale": ["No session store to run."],
    }
    saved = call(
        running,
        running.agent,
        "memory_save",
        category="decision",
        title="Sign a JWT at login",
        tags=["auth"],
        content=content,
    )
    found = call(running, running.agent, "memory_search", query="who signs at login")
    assert "Sign a JWT" in found.text, saved.text + found.text
    assert call(running, running.person, "memory_search", query="login").status_code == 401
    assert httpx2.get(f"{running.url}/readyz", timeout=WAIT).status_code == 200
    holder = {"Authorization": f"Bearer {running.person}"}
    metrics = httpx2.get(f"{running.url}/api/metrics", headers=holder, timeout=WAIT).text
    assert 'recollect_tool_calls_total{outcome="done",tool="memory_save"} 1' in metrics

    running.process.send_signal(signal.SIGTERM)

    assert running.process.stderr is not None
    lines = running.process.stderr.read().splitlines()
    assert running.process.wait(WAIT) in (0, -signal.SIGTERM)
    logged = [json.loads(line) for line in lines if line.startswith("{")]
    assert any(line.get("route") == "metrics" and line["member"] == "anna" for line in logged), lines
    for token in (running.agent, running.person):
        assert not any(token[-43:] in line for line in lines)
