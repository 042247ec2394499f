"""Ids of another project of the same database, in every tool and endpoint: they lead nowhere."""

import json
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from starlette.testclient import TestClient
from tests.conformance.test_journal import START, entry
from tests.requirements import requirement
from tests.samples import draft
from tests.server.test_memory_tools import CALLS
from tests.server.test_team import ask, client, team
from tests.server.test_team_sql import project, settings, strings, variants
from tests.team.holders import token_of
from tests.web.conftest import CHANGE
from tests.web.conftest import PORT as PAGE_PORT

from recollect.app.opening import open_project
from recollect.app.team import Team
from recollect.app.team_tokens import TeamTokens
from recollect.loopback.endpoint import API, EVENT_STREAM
from recollect.records.memories import Saved
from recollect.storage.postgres.state import PostgresState
from recollect.team.roles import MemberRole
from recollect.web.api import ENDPOINTS
from recollect.web.app import make_app
from recollect.web.keys import Keys
from recollect.web.page import WebPage

__all__ = ["client", "project", "settings", "team"]
CANARY = "cormorant"
RUN = "run-77777777"


@pytest.fixture
def foreign(tmp_path: Path, settings: dict[str, str]) -> list[str]:
    """The ids of a memory and a run of a colleague's project; their texts have the canary."""
    folder = tmp_path / "colleague"
    (folder / ".claude" / "memory").mkdir(parents=True)
    recollect = open_project(folder, env=settings)
    saved = recollect.memories.save(
        draft("Feeding plan", content={"decision": f"The {CANARY} eats at noon."})
    )
    assert isinstance(saved, Saved)
    assert recollect.team is not None
    journal = PostgresState(recollect.team.rows).journal
    journal.begin(RUN, f"feed the {CANARY}", entry(1, START))
    return [saved.stored.memory.id, RUN]


@requirement("team:roles:other-project")
def test_no_tool_answers_with_what_another_project_has(
    client: TestClient, team: Team, foreign: list[str]
) -> None:
    agent = token_of(team, "root", MemberRole.WRITE, "agent")
    _, listing = ask(client, agent, "tools/list")
    for tool in listing["result"]["tools"]:
        for id in foreign:
            for text in (id, f"mem:{id}"):
                for arguments in variants(tool["inputSchema"], CALLS.get(tool["name"], {}), text):
                    _, reply = ask(client, agent, "tools/call", name=tool["name"], arguments=arguments)
                    assert CANARY not in json.dumps(reply), (tool["name"], arguments, reply)
    _, found = ask(
        client, agent, "tools/call", name="memory_search", arguments={"query": "who eats at noon"}
    )
    assert CANARY not in json.dumps(found)


@requirement("team:roles:other-project")
def test_no_endpoint_answers_with_what_another_project_has(
    folder: Path, settings: dict[str, str], team: Team, foreign: list[str]
) -> None:
    root = token_of(team, "root", MemberRole.ADMIN)
    headers = CHANGE | {"Content-Type": "application/json", "Authorization": f"Bearer {root}"}
    app = make_app(WebPage(folder, env=settings), Keys(PAGE_PORT), TeamTokens(team))
    with TestClient(app, base_url=f"http://127.0.0.1:{PAGE_PORT}") as page:
        for endpoint in ENDPOINTS:
            if endpoint.answer == EVENT_STREAM:
                continue  # it never ends
            for id in foreign:
                path = endpoint.path
                for name in endpoint.parameters:
                    path = path.replace(f"{{{name}:path}}", quote(id)).replace(f"{{{name}}}", quote(id))
                query = urlencode(strings(endpoint.query, id))
                body = None if endpoint.method == "GET" else json.dumps(strings(endpoint.body, id))
                url = f"{API}{path}?{query}"
                answer = page.request(endpoint.method, url, content=body, headers=headers)
                assert answer.status_code < 500, (url, answer.text)
                assert CANARY not in answer.text, (url, answer.text)
