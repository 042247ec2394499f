"""Sessions over HTTP: what the hook recorded, with the reasons and without secrets."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.requirements import requirement
from tests.server.conftest import save

from recollect.app.project import Recollect
from recollect.clock import to_text
from recollect.hook.answer import answer
from recollect.ids import UnifiedId
from recollect.paths import STATE_NAME
from recollect.storage.sqlite.state import StateDatabase
from recollect.working.session_state import GateScoring, Injection

SECRET = "ghp_x7Qp2Lm9Rt4Vw8Zkx7Qp2Lm9Rt4Vw8ZkAb3D"
FAILED = f"""
=========================== short test summary info ============================
FAILED tests/test_a.py::test_b - AssertionError: {SECRET} is <b>wrong</b>
========================= 1 failed, 41 passed in 3.12s =========================
"""


@pytest.fixture
def session(project: Recollect, folder: Path, env: dict[str, str]) -> str:
    """A session that edited a file and ran a test that failed, and was given one memory."""

    id = UnifiedId(f"mem:{save(project, 'Keep <i>uploads</i> small')}")
    project.prepare_state_folder()

    def send(name: str, **fields: object) -> None:
        payload = {"session_id": "abc-1", "cwd": str(folder), "hook_event_name": name, **fields}
        answer("claude-code", name, json.dumps(payload).encode(), env)

    send(
        "PostToolUse", tool_name="Edit", tool_input={"file_path": f"{folder}/a.py"}, tool_response="ok"
    )
    response = {"stdout": FAILED, "stderr": "", "exit_code": 1}
    send("PostToolUse", tool_name="Bash", tool_input={"command": "pytest -q"}, tool_response=response)
    at = to_text(project.now)
    database = StateDatabase(str(project.state_folder / STATE_NAME))
    gone = UnifiedId("mem:gone")
    database.injections.save(
        [
            Injection("abc-1", id, at, 0.83, "read"),
            Injection("abc-1", gone, "2020-01-01T00:00:00Z", 0.6),
        ]
    )
    signals = {"coverage": 0.7, "cosine": None}
    scoring = GateScoring("d", id, signals, {"about.bias": 1.0}, 0.83, 0.41, "accepted", 3.0)
    with database.transaction():
        database.injections.add_scoring("abc-1", scoring, at)
    database.close()
    return "abc-1"


@requirement("page:session:live")
@requirement("page:session:redacted")
def test_a_session_has_its_items_and_events_and_no_secret(browser: TestClient, session: str) -> None:
    text = browser.get("/api/session").text
    out = json.loads(text)

    assert SECRET not in text
    assert (out["session"]["id"], out["event"]) == (session, 2)
    assert {item["kind"] for item in out["items"]} >= {"edit"}
    assert all(0 < item["attention"] <= 1 for item in out["items"])
    assert {row["kind"] for row in out["events"]} >= {"edit", "error"}
    [removed] = out["redactions"]
    assert (removed["tool"], removed["event"]) == ("Bash", 2)
    assert "test_a.py::test_b" in removed["text"]


@requirement("page:session:why")
def test_an_injection_has_its_probability_the_threshold_and_the_signals(
    browser: TestClient, session: str
) -> None:
    [newest, oldest] = browser.get("/api/session", params={"id": session[:3]}).json()["injections"]

    assert (newest["title"], newest["used"]) == ("Keep <i>uploads</i> small", "read")
    assert (newest["probability"], newest["threshold"]) == (0.83, 0.41)
    assert newest["signals"] == {"coverage": 0.7, "cosine": None}
    assert (oldest["memory"], oldest["title"], oldest["scoring"]) == ("gone", None, None)


def test_a_project_without_sessions_and_an_unknown_session(browser: TestClient) -> None:
    assert browser.get("/api/sessions").json() == {"sessions": []}
    assert browser.get("/api/session").json()["session"] is None
    assert browser.get("/api/session", params={"id": "zzz"}).json()["session"] is None
