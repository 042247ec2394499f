"""Text that looks like SQL in every string of every tool and endpoint: it reaches the database as a value."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import quote, urlencode

import pytest
from starlette.testclient import TestClient
from tests.conftest import Wall
from tests.postgres import Server
from tests.requirements import requirement
from tests.samples import draft
from tests.server.test_memory_tools import CALLS
from tests.server.test_team import NAMES, ask, client, team
from tests.storage.postgres.plans import Recorder
from tests.team.holders import token_of
from tests.web.conftest import CHANGE
from tests.web.conftest import PORT as PAGE_PORT

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.app.team import Team
from recollect.app.team_tokens import TeamTokens
from recollect.loopback.endpoint import API, EVENT_STREAM
from recollect.records.memories import Saved
from recollect.team.roles import MemberRole
from recollect.web.api import ENDPOINTS
from recollect.web.app import make_app
from recollect.web.keys import Keys
from recollect.web.page import WebPage

__all__ = ["client", "team"]
MARK = "zq7marker"
TEXTS = (
    f"{MARK}'; UPDATE memory SET data = ''; --",
    f"{MARK}' OR '1'='1",
    f'{MARK}"; SELECT %s %(project)s {{}} $1; --',
    f"{MARK}\\'; DROP TABLE memory; --",
)


@pytest.fixture
def settings(env: dict[str, str], postgres_server: Server) -> dict[str, str]:
    return env | {"RECOLLECT_DATABASE": postgres_server.url("tests")}


@pytest.fixture
def project(folder: Path, settings: dict[str, str], wall: Wall) -> Recollect:
    """The project of the MCP server, in the database, with a memory that must stay as it is."""
    recollect = open_project(folder, env=settings, clock=wall)
    saved = recollect.memories.save(draft("Uploads may not exceed 5 MB"))
    assert isinstance(saved, Saved)
    return recollect


@pytest.fixture
def recorder(project: Recollect) -> Iterator[Recorder]:
    """What is executed meanwhile. The text of no statement has the mark, and the memory stays as it was."""
    assert project.team is not None
    before = dict(project.team.memories.raw_files())
    recorder = Recorder()
    with recorder.recording():
        yield recorder
    assert any(MARK in repr(values) for values in recorder.statements.values())
    assert [text for text in recorder.statements if MARK in text] == []
    after = dict(project.team.memories.raw_files())
    assert {path: after.get(path) for path in before} == before


def variants(schema: dict[str, Any], valid: dict[str, Any], text: str) -> Iterator[dict[str, Any]]:
    """Arguments of a tool with the text in one string, or in a list of them."""
    for name, field in schema.get("properties", {}).items():
        kinds = [field, *field.get("anyOf", [])]
        if any(kind.get("type") == "string" and "enum" not in kind for kind in kinds):
            yield valid | {name: text}
        elif any(kind.get("type") == "array" for kind in kinds):
            yield valid | {name: [text]}
        elif any(kind.get("type") == "object" for kind in kinds):
            yield valid | {name: {text: text}}


@requirement("team:projects:sql")
def test_every_string_of_every_tool_is_a_value(
    client: TestClient, team: Team, recorder: Recorder
) -> None:
    agent = token_of(team, "root", MemberRole.WRITE, "agent")
    _, listing = ask(client, agent, "tools/list")
    schemas = {tool["name"]: tool["inputSchema"] for tool in listing["result"]["tools"]}
    assert schemas.keys() == set(NAMES)

    for number, (name, schema) in enumerate(schemas.items()):
        text = TEXTS[number % len(TEXTS)]
        for arguments in variants(schema, CALLS.get(name, {}), text):
            code, reply = ask(client, agent, "tools/call", name=name, arguments=arguments)
            assert code < 500, (name, arguments, reply)
            assert "syntax error" not in json.dumps(reply)
            assert "unexpected" not in json.dumps(reply), (name, arguments, reply)


def strings(kind: type, text: str) -> dict[str, Any]:
    """Values for the fields of a query or a body that may be text."""
    hints = get_type_hints(kind)
    return {name: text for name, hint in hints.items() if "str" in str(hint)}


@requirement("team:projects:sql")
def test_every_string_of_every_endpoint_is_a_value(
    folder: Path, settings: dict[str, str], team: Team, recorder: Recorder
) -> None:
    root = token_of(team, "root", MemberRole.ADMIN)
    headers = CHANGE | {"Content-Type": "application/json", "Authorization": f"Bearer {root}"}
    app = make_app(WebPage(folder, env=settings), Keys(PAGE_PORT), TeamTokens(team))
    with TestClient(app, base_url=f"http://127.0.0.1:{PAGE_PORT}") as page:
        for number, endpoint in enumerate(ENDPOINTS):
            if endpoint.answer == EVENT_STREAM:
                continue  # it never ends
            text = TEXTS[number % len(TEXTS)]
            path = endpoint.path
            for name in endpoint.parameters:
                path = path.replace(f"{{{name}:path}}", quote(text, safe=""))
                path = path.replace(f"{{{name}}}", quote(text, safe=""))
            query = urlencode(strings(endpoint.query, text))
            body = None if endpoint.method == "GET" else json.dumps(strings(endpoint.body, text))
            answer = page.request(
                endpoint.method, f"{API}{path}?{query}", content=body, headers=headers
            )
            assert answer.status_code < 500, (endpoint.path, answer.text)
            assert "syntax error" not in answer.text
