"""What hooks record on this machine reaches the team's database, once, and what they need comes back."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.postgres import new_project
from tests.requirements import requirement
from tests.working.items import item, tool_call

from recollect.app.database_state import DatabaseState
from recollect.app.state_source import FolderState
from recollect.ids import UnifiedId
from recollect.learning.capabilities import Capability
from recollect.learning.episodes import Episode
from recollect.learning.thresholds import started
from recollect.redaction.gate import gate
from recollect.storage.files.drafts import FileDrafts
from recollect.storage.postgres.database import Database, ProjectDatabase
from recollect.storage.postgres.state import PostgresState
from recollect.storage.sqlite.state import StateDatabase
from recollect.workflow.commands import Command
from recollect.workflow.events import JournalEntry, RunPaused, RunStarted
from recollect.working.ports import SessionDatabase
from recollect.working.recorder import SessionRecorder
from recollect.working.redacted import RedactedText
from recollect.working.session_state import GateScoring

AT, LATER = "2026-11-15T10:00:00Z", "2026-11-15T10:01:00Z"
FAILED = item("1 failed: test_login", kind="test", fingerprint="f1", command="pytest -q")
FAILING_CALL = tool_call("Bash", "pytest -q", failed=True, item=FAILED)
PASSING_CALL = tool_call("Bash", "pytest -q")
SCORING = GateScoring(
    "c0ffee", "mem:a", {"lexical": 0.5}, {"threshold": 0.4}, 0.7, 0.4, "accepted", 2.5
)
A = UnifiedId("mem:a")


@pytest.fixture
def team(postgres_project: ProjectDatabase, tmp_path: Path) -> DatabaseState:
    return DatabaseState(postgres_project, FolderState(tmp_path), tmp_path)


def hook(folder: Path, at: str = AT) -> SessionRecorder:
    """A recorder as a hook has it."""
    return SessionRecorder(StateDatabase(str(folder / "state.db")), lambda: at)


@requirement("team:postgres:hooks")
def test_a_session_that_hooks_recorded_is_in_the_database_as_it_is_here(
    team: DatabaseState, tmp_path: Path
) -> None:
    local = hook(tmp_path)
    local.begin("s1", "codex", RedactedText("Rename the column."))
    local.call("s1", "codex", FAILING_CALL)
    local.give("s1", [A], 0.7, SCORING)

    stores = team.open()

    assert stores.sessions.state("s1") == local.stores.sessions.state("s1")
    assert stores.sessions.memory("s1") == local.stores.sessions.memory("s1")
    assert stores.injections.of_session("s1") == local.stores.injections.of_session("s1")
    assert stores.history.failures("s1") == local.stores.history.failures("s1")
    assert [trace.candidate for trace in stores.traces.latest(10)] == ["mem:a"]


@requirement("team:postgres:hooks")
def test_what_happens_later_is_brought_in_and_nothing_twice(
    team: DatabaseState, tmp_path: Path
) -> None:
    hook(tmp_path).call("s1", "codex", FAILING_CALL)
    hook(tmp_path).give("s1", [A], 0.7, SCORING)
    team.open()
    hook(tmp_path, LATER).call("s1", "codex", PASSING_CALL)
    hook(tmp_path, LATER).use("s1", [A], "read")

    team.open()
    stores = team.open()

    assert stores.sessions.memory("s1").items == ()
    assert [(left.content, left.reason) for left in stores.sessions.left("s1")] == [
        ("1 failed: test_login", "resolved")
    ]
    assert [injection.used for injection in stores.injections.of_session("s1")] == ["read"]
    assert [(count.rule, count.matched) for count in stores.sessions.rule_counts()] == [
        ("failing-tests", 1)
    ]
    assert len(stores.traces.latest(10)) == 1


@requirement("team:postgres:hooks")
def test_a_fix_and_a_summary_that_people_saved_come_back_to_the_hooks_of_everybody(
    postgres_database: Database, tmp_path: Path
) -> None:
    project = new_project(postgres_database)
    here, there = (
        DatabaseState(project, FolderState(tmp_path / name), tmp_path / name) for name in ("a", "b")
    )
    for state, session in ((here, "s1"), (there, "s2")):
        state.folder.mkdir()
        hook(state.folder).call(session, "codex", FAILING_CALL)
    recorder = SessionRecorder(here.open(), lambda: LATER)
    recorder.fixed_by("f1", A)
    recorder.summarised("s1", "rename-the-column")
    for state, session in ((here, "s1"), (there, "s2")):
        hook(state.folder, LATER).call(session, "codex", FAILING_CALL)

    here.open()
    there.open()

    assert hook(here.folder).history("s1").summary_memory == "rename-the-column"
    assert hook(there.folder).stores.history.fixes("f1") == [A]
    assert {session.id for session in here.open().sessions.latest(10)} == {"s1", "s2"}


@requirement("team:postgres:hooks")
def test_drafts_of_hooks_move_to_where_people_review_them(team: DatabaseState, tmp_path: Path) -> None:
    FileDrafts(tmp_path, gate).put("session-s1", {"title": "A session"})

    assert [draft.name for draft in team.drafts(gate).all()] == ["session-s1"]
    assert FileDrafts(tmp_path, gate).all() == []
    assert [draft.name for draft in team.drafts(gate).all()] == ["session-s1"]


@requirement("team:postgres:hooks")
def test_what_a_project_did_and_learned_before_comes_along_once(
    team: DatabaseState, tmp_path: Path
) -> None:
    local = StateDatabase(str(tmp_path / "state.db"))
    entries = [JournalEntry(1, AT, RunStarted({})), JournalEntry(2, AT, RunPaused("command"))]
    local.journal.begin("r1", "try", entries[0])
    local.journal.append("r1", entries[1:], "paused")
    local.journal.send("r1", Command("c1", "abort"), AT)
    episode = Episode("c1", AT, "add", ("s:a",), "succeeded", "", "")
    local.episodes.add(episode)
    own = Capability("sum", "d1", "add", "await a()", {}, ("s:a",))
    local.capabilities.put(own)
    local.thresholds.put(started("capability"))
    local.sequences.add([("s1", "s:a"), ("s1", "s:b")])
    colleague = replace(own, digest="d2")
    PostgresState(team.rows).capabilities.put(colleague)

    team.open()
    (tmp_path / "brought-in.json").unlink()
    stores = team.open()

    record = stores.journal.get("r1")
    assert record is not None
    assert (record.status, record.events) == ("paused", 2)
    assert stores.journal.entries("r1") == entries
    assert [command.id for command in stores.journal.waiting("r1")] == ["c1"]
    assert stores.episodes.latest(10) == [episode]
    assert stores.capabilities.all() == [colleague, replace(own, name="sum-2")]
    assert stores.thresholds.all() == [started("capability")]
    assert stores.sequences.latest(10, 10) == [["s:a", "s:b"]]


def test_a_run_that_goes_on_here_stays_here(team: DatabaseState, tmp_path: Path) -> None:
    local = StateDatabase(str(tmp_path / "state.db"))
    local.journal.begin("r1", "try", JournalEntry(1, AT, RunStarted({})))

    with local.journal.lease("r1"):
        stores = team.open()

    assert stores.journal.runs(10) == []


def test_a_record_that_cannot_be_read_brings_everything_in_again(
    team: DatabaseState, tmp_path: Path
) -> None:
    hook(tmp_path).begin("s1", "codex")
    (tmp_path / "brought-in.json").write_text("[not ours")

    assert [session.id for session in team.open().sessions.latest(10)] == ["s1"]


def test_without_hooks_there_is_nothing_to_bring_in(team: DatabaseState, tmp_path: Path) -> None:
    sessions: SessionDatabase = team.open()

    assert sessions.sessions.latest(10) == []
    assert list(tmp_path.iterdir()) == []


def test_versions_change_with_what_anybody_writes(team: DatabaseState) -> None:
    before = team.versions()
    recorder = SessionRecorder(team.open(), lambda: AT)

    recorder.begin("s1", "codex")
    recorder.count_event("s1")
    team.drafts(gate).put("draft", {"title": "t"})

    after = team.versions()
    assert after.sessions != before.sessions
    assert after.review != before.review
    assert (after.runs, after.traces) == (before.runs, before.traces)
