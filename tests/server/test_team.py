"""MCP and the API of runs for the members of a team: every tool with every role, and the audit log."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient
from tests.requirements import requirement
from tests.server.running import META, NEW
from tests.server.test_memory_tools import CALLS
from tests.team.holders import Holder, holders, new_team, token_of
from tests.upstreams.servers import CALCULATOR, light_entry

from recollect.app.gateway import Gateway
from recollect.app.project import Recollect
from recollect.app.team import Team
from recollect.app.team_tokens import TeamTokens
from recollect.app.worker import ProjectWorker
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.loopback.endpoint import API
from recollect.loopback.run_api import RUN_ENDPOINTS
from recollect.server.gateway_tools import META_TOOLS, GatewayTools
from recollect.server.http import HttpLimits, HttpService, make_app
from recollect.server.memory_tools import TOOLS, MemoryTools
from recollect.server.tool_permissions import tool_permission
from recollect.storage.postgres.database import Database
from recollect.team.roles import MemberRole, Permission
from recollect.tools.provider import Providers

PORT = 8377
ENVELOPE = {f"{META}/protocolVersion": NEW, f"{META}/clientCapabilities": {}}
NAMES = [tool.name for tool in TOOLS] + [tool.name for tool in META_TOOLS]


@pytest.fixture
def team(postgres_database: Database) -> Team:
    return new_team(postgres_database)


@pytest.fixture
def client(
    project: Recollect, folder: Path, env: dict[str, str], team: Team, tmp_path: Path
) -> Iterator[TestClient]:
    """The server of a team, with a server behind its gateway."""
    gateway = Gateway(tmp_path / "gateway", env, utc_now)
    gateway.add("talk", light_entry(CALCULATOR))
    worker = ProjectWorker(lambda: project)
    gateway_tools = GatewayTools(gateway, folder, Exposure(), worker)
    tools = Providers(MemoryTools(worker), gateway_tools)
    served = HttpService(worker, tools, runs=gateway_tools.open_runs, team=TeamTokens(team))
    app = make_app(served, PORT, "unused", HttpLimits())
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}") as client:
        assert client.portal is not None
        with client.portal.wrap_async_context_manager(_started(tools)):
            yield client


@asynccontextmanager
async def _started(tools: Providers) -> AsyncIterator[None]:
    """The tools, running."""
    async with anyio.create_task_group() as tasks:
        await tools.start(tasks)
        yield
        await tools.stop()
        tasks.cancel_scope.cancel()


def ask(
    client: TestClient, holder: Holder | str, method: str, **params: Any
) -> tuple[int, dict[str, Any]]:
    """One request of the newer protocol, which needs no session."""
    token = holder if isinstance(holder, str) else holder.token
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": NEW,
        "Mcp-Method": method,
    }
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
    answer = client.post("/mcp", json=body, headers=headers)
    if answer.status_code != 200:
        return answer.status_code, {"text": answer.text}
    text = answer.text
    if text.startswith(("event:", "id:", "data:")):
        text = [line for line in text.splitlines() if line.startswith("data:")][-1].removeprefix(
            "data:"
        )
    message: dict[str, Any] = json.loads(text)
    return 200, message


def words(message: dict[str, Any]) -> str:
    return json.dumps(message)


@requirement("team:roles:every-tool")
def test_every_tool_is_listed_for_and_answers_exactly_the_roles_that_it_allows(
    client: TestClient, team: Team
) -> None:
    agents = [holder for holder in holders(team) if holder.kind == "agent"]
    assert {holder.role for holder in agents} == {MemberRole.READ, MemberRole.WRITE}
    for holder in agents:
        _, listing = ask(client, holder, "tools/list")
        listed = {tool["name"] for tool in listing["result"]["tools"]}
        assert listed == {name for name in NAMES if holder.principal.may(tool_permission(name))}

        for name in NAMES:
            _, reply = ask(client, holder, "tools/call", name=name, arguments=CALLS.get(name, {}))
            refused = "needs the role" in words(reply)
            assert refused is not holder.principal.may(tool_permission(name)), f"{name}: {reply}"


@pytest.mark.parametrize("name", ["talk__add", "anything-else"])
def test_a_tool_of_a_server_behind_the_gateway_needs_the_role_to_call_any(name: str) -> None:
    assert tool_permission(name) is Permission.CALL_TOOLS


@requirement("team:mcp:agents-only")
def test_a_persons_token_is_refused_where_agents_speak(client: TestClient, team: Team) -> None:
    """An agent that was handed it would otherwise hold the right to approve."""
    code, answer = ask(client, token_of(team, "root", MemberRole.ADMIN), "tools/list")

    assert code == 401
    assert "an agent's" in answer["text"]


def test_another_projects_token_is_refused(client: TestClient, postgres_database: Database) -> None:
    stranger = token_of(new_team(postgres_database), "root", MemberRole.WRITE, "agent")

    code, answer = ask(client, stranger, "tools/list")

    assert (code, "another project" in answer["text"]) == (403, True)


def test_every_endpoint_of_runs_answers_exactly_the_roles_that_it_allows(
    client: TestClient, team: Team
) -> None:
    for holder in holders(team):
        for endpoint in RUN_ENDPOINTS:
            path = API + endpoint.path.replace("{run}", "none")
            answer = client.request(
                endpoint.method,
                path,
                headers=holder.header,
                json=None if endpoint.method == "GET" else {},
            )
            assert (answer.status_code == 403) is not holder.principal.may(endpoint.permission), (
                answer.text
            )


def test_tools_that_may_change_something_are_recorded(client: TestClient, team: Team) -> None:
    writer = token_of(team, "root", MemberRole.WRITE, "agent")
    reader = token_of(team, "root", MemberRole.READ, "agent")

    ask(client, writer, "tools/call", name="memory_search", arguments={"query": "login"})
    ask(client, writer, "tools/call", name="memory_save", arguments=CALLS["memory_save"])
    ask(client, reader, "tools/call", name="memory_save", arguments=CALLS["memory_save"])

    rows = team.audit.latest(2)
    assert [(row.kind, row.target, row.outcome) for row in rows] == [
        ("agent", "tool memory_save", "refused"),
        ("agent", "tool memory_save", "done"),
    ]
