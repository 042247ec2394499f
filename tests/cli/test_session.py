"""`session`: what is going on, and the drafts that wait."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.requirements import requirement
from tests.working.items import item, tool_call

from recollect.paths import STATE_NAME
from recollect.redaction.gate import gate
from recollect.storage.files.drafts import FileDrafts
from recollect.storage.sqlite.state import StateDatabase, precise_now
from recollect.views.saves import SaveOutput
from recollect.views.sessions import DraftsOutput, SessionOutput, SessionsOutput
from recollect.working.draft import runbook_document, summary_document
from recollect.working.history import Action, Failure, SessionHistory
from recollect.working.recorder import SessionRecorder
from recollect.working.session import Provenance
from recollect.working.tool_call import ToolCall

HISTORY = SessionHistory(
    "5f2c-1", "codex", "Rename the column.", actions=(Action("edit", "src/login.py", 4),)
)


def call(cli: Cli, session: str, *calls: ToolCall) -> None:
    """Tool calls of a session, as the hook notes them."""
    state = StateDatabase(str(cli.root / ".recollect" / STATE_NAME))
    recorder = SessionRecorder(state, precise_now)
    for finished in calls:
        recorder.call(session, "codex", finished)
    state.close()


@pytest.fixture
def busy(cli: Cli) -> Cli:
    """A project with a session that has two items in mind and has lost one."""
    failing = item(kind="failing_tests", fingerprint="f1", command="pytest -q")
    edit = item("Edited [bold]a.py[/]", 0.5, kind="edit", paths=("a.py",))
    kept = item("old word", 0.9, kind="spec")
    call(
        cli,
        "5f2c-1",
        tool_call("Read", item=kept),
        tool_call("Bash", "pytest -q", failed=True, item=failing),
        tool_call("Edit", item=edit),
        tool_call("Bash", "pytest -q"),
    )
    return cli


def drafted(cli: Cli) -> None:
    drafts = FileDrafts(cli.root / ".recollect", gate)
    drafts.put("session-5f2c-1", summary_document(HISTORY))
    failure = Failure("f1", "pytest -q", "1 failed: test_login", 2, resolved_at="2026")
    runbook = runbook_document(failure, HISTORY)
    assert runbook
    drafts.put("runbook-f1", runbook)


@requirement("working:redactions:counted")
def test_session_says_from_how_many_items_a_secret_was_removed(busy: Cli) -> None:
    leaked = item(
        "token [REDACTED]", provenance=Provenance("Bash", "deploys", 5, redaction_applied=True)
    )
    call(busy, "5f2c-1", tool_call("Bash", "deploy", item=leaked))

    row = busy.ok("session", "--json").json()["session"]

    assert (row["extracted"], row["redacted"]) == (4, 1)
    assert "1 of 4 items redacted" in busy.ok("session").out
    assert "1 of 4 redacted" in busy.ok("session", "list").out


def test_session_shows_what_is_in_mind_and_what_left_and_why(busy: Cli) -> None:
    told = busy.ok("session", "--json").json()

    assert mismatches(told, SessionOutput) == []
    assert told == busy.ok("session", "show", "5f2c", "--json").json()
    assert told["session"]["id"] == "5f2c-1"
    assert told["event"] == 4
    assert [(row["kind"], row["attention"], row["age"]) for row in told["items"]] == [
        ("spec", 0.5527, 3),
        ("edit", 0.425, 1),
    ]
    [left] = told["faded"]
    assert (left["content"], left["reason"], left["event"]) == ("1 failed: test_login", "resolved", 4)


def test_session_draws_a_bar_for_each_item(busy: Cli) -> None:
    shown = busy.ok("session").out

    assert "██████░░░░" in shown
    assert "0.55" in shown
    assert "3 events" in shown
    assert "Edited [bold]a.py[/]" in shown
    assert "resolved 0 events ago: 1 failed: test_login" in shown


def test_a_project_without_sessions_says_so(cli: Cli) -> None:
    assert cli.ok("session", "--json").json() == {
        "session": None,
        "event": 0,
        "items": [],
        "faded": [],
    }
    assert "No session" in cli.ok("session").out
    assert "No session" in cli.ok("session", "list").out
    assert cli.ok("session", "drafts", "--json").json() == {"drafts": []}
    assert not (cli.root / ".recollect" / STATE_NAME).exists()


def test_a_session_is_named_by_how_its_id_begins_if_only_one_does(busy: Cli) -> None:
    call(busy, "5f2c-2", tool_call("Read"))

    assert busy("session", "show", "nobody").exit_code == 3
    many = busy("session", "show", "5f2c")
    assert many.exit_code == 3
    assert "more than one session" in many.err
    assert busy.ok("session", "show", "5f2c-2", "--json").json()["items"] == []


@pytest.mark.parametrize("command", [("session",), ("session", "list"), ("status",)])
def test_a_state_that_cannot_be_used_is_an_error_that_says_what_to_do(
    command: tuple[str, ...], cli: Cli
) -> None:
    (cli.root / ".recollect").mkdir(exist_ok=True)
    (cli.root / ".recollect" / STATE_NAME).write_bytes(b"no database" * 1000)

    done = cli(*command)

    assert done.exit_code not in (0, 1)
    assert "state.db' (file is not a database)" in done.err
    assert "move it away" in done.err
    assert cli("search", "login").exit_code == 0  # it goes without


def test_sessions_are_listed_the_one_seen_last_first(busy: Cli) -> None:
    call(busy, "a1b2", tool_call("Read"))

    told = busy.ok("session", "list", "--json").json()

    assert mismatches(told, SessionsOutput) == []
    assert [(row["id"], row["items"]) for row in told["sessions"]] == [("a1b2", 0), ("5f2c-1", 2)]
    assert "5f2c-1" in busy.ok("session", "list").out


def test_drafts_are_listed_kept_and_thrown_away(busy: Cli) -> None:
    drafted(busy)
    told = busy.ok("session", "drafts", "--json").json()
    assert mismatches(told, DraftsOutput) == []
    assert [row["name"] for row in told["drafts"]] == ["runbook-f1", "session-5f2c-1"]
    assert "Edit src/login.py" in busy.ok("session", "drafts").out

    kept = busy.ok("session", "keep", "session-5f2c-1", "--json").json()
    dropped = busy.ok("session", "drop", "runbook-f1", "--json").json()

    assert mismatches(kept, SaveOutput) == []
    assert busy.memory(kept["id"])["source"] == {"kind": "user", "session": "5f2c-1"}
    assert dropped == {"dropped": "runbook-f1"}
    assert busy.ok("session", "drafts", "--json").json() == {"drafts": []}
    assert busy("session", "keep", "runbook-f1").exit_code == 3


def test_a_draft_that_a_memory_says_already_is_not_kept_twice(busy: Cli) -> None:
    drafted(busy)
    busy.ok("session", "keep", "runbook-f1")
    drafted(busy)

    again = busy("session", "keep", "runbook-f1")

    assert again.exit_code == 6
    assert "recollect session drop runbook-f1" in again.out


def test_follow_shows_each_change_and_ends_cleanly_on_ctrl_c(busy: Cli) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "recollect", "session", "--follow"],
        cwd=busy.folder,
        env=busy.env | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout
    _until(process.stdout.fileno(), b"old word")

    call(busy, "5f2c-1", tool_call("Edit", item=item("Edited cart.py", 0.5, kind="edit")))
    _until(process.stdout.fileno(), b"Edited cart.py")
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)

    assert (process.returncode, err) == (0, b"")


def _until(descriptor: int, wanted: bytes) -> None:
    seen = b""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    while wanted not in seen:
        assert waiting.poll(30_000), seen
        part = os.read(descriptor, 4096)
        assert part, seen
        seen += part


def test_follow_is_not_for_machines(busy: Cli) -> None:
    done = busy("session", "--follow", "--json")

    assert done.exit_code == 5
    assert "--json" in done.json()["error"]


@requirement("working:boost:flag")
def test_the_session_boost_moves_a_hit_unless_it_is_switched_off(cli: Cli) -> None:
    cli.save("Expire the token of a login", related_files=["src/token.py"])
    cli.save("Expire the token of a login page", "--allow-duplicate", related_files=["src/login.py"])
    call(cli, "s1", tool_call("Edit", item=item("edited", 0.9, paths=("src/login.py",))))

    def best() -> str:
        found = cli.ok("search", "expire token login", "--json").json()["hits"]
        return str(found[0]["id"])

    assert best() == "expire-the-token-of-a-login-page"
    cli.env["RECOLLECT_SESSION_BOOST"] = "0"
    assert best() == "expire-the-token-of-a-login"
    plain = cli.ok("search", "expire token login", "--json").out
    (cli.root / ".recollect" / STATE_NAME).unlink()
    cli.env["RECOLLECT_SESSION_BOOST"] = "1"
    assert cli.ok("search", "expire token login", "--json").out == plain


def test_what_a_session_shows_is_one_json_document(busy: Cli, tmp_path: Path) -> None:
    out = busy.process("session", "show", "--json").out

    assert json.loads(out)["session"]["harness"] == "codex"
