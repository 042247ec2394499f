"""Working memory in `state.db`: kept whole, across processes, pauses and versions."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.working.items import item

from recollect.ids import UnifiedId
from recollect.redaction.redact import redact
from recollect.storage.sqlite.history import SESSIONS_KEPT
from recollect.storage.sqlite.state import MIGRATIONS, NAME, StateDatabase
from recollect.storage.sqlite.working import FADED_KEPT, ToolCall, WorkingStore
from recollect.working.view import Left

FAILED = item("1 failed: test_login", kind="test", fingerprint="f1", command="pytest -q")
EDITED = item("edited a.py", 0.6, kind="edit", paths=("src/a.py",))
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
Open = Callable[..., WorkingStore]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open the store again, as another process would."""
    states: list[StateDatabase] = []

    def again(now: str = "2026-11-15T10:00:00Z") -> WorkingStore:
        states.append(StateDatabase(str(tmp_path / NAME)))
        return WorkingStore(states[-1], redact, lambda: now)

    yield again
    for state in states:
        state.close()


def failing(store: WorkingStore, session: str = "s1") -> None:
    store.call(session, "claude-code", ToolCall("Bash", "pytest -q", failed=True, item=FAILED))


@requirement("working:store:migrates")
def test_a_state_of_the_first_version_is_migrated_and_its_sessions_go_on(tmp_path: Path) -> None:
    path = tmp_path / NAME
    old = sqlite3.connect(path, isolation_level=None)
    MIGRATIONS[0](old)
    old.execute("PRAGMA user_version = 1")
    old.execute("INSERT INTO session VALUES ('s1', '2026-11-14T10:00:00Z', 12, 1, 1)")
    old.execute("INSERT INTO injection VALUES ('s1', 'mem:a', 1, 9, '2026-11-14T10:00:00Z', 0.7, NULL)")
    old.close()

    state = StateDatabase(str(path))
    store = WorkingStore(state, redact)
    store.call("s1", "claude-code", ToolCall("Read", item=EDITED))

    assert state.given("s1") == {"mem:a"}
    assert state.count_event("s1") == 13
    assert store.memory("s1").event == 1
    assert [found.content for found in store.memory("s1").items] == ["edited a.py"]
    state.close()


@requirement("working:store:counter")
def test_the_counter_moves_once_per_tool_call_and_stands_still_for_anything_else(opened: Open) -> None:
    store = opened()
    for _ in range(3):
        store.call("s1", "codex", ToolCall("Read"))

    store.begin("s1", "codex", "Rename the login column.")
    store.mention("s1", "a.py")
    store.memory("s1")

    assert store.memory("s1").event == 3


@requirement("working:store:kept")
def test_what_was_in_mind_is_still_there_when_the_store_is_opened_again(opened: Open) -> None:
    store = opened()
    failing(store)
    store.call("s1", "claude-code", ToolCall("Edit", item=EDITED))
    store.mention("s1", "is a.py done?")

    again = opened().memory("s1")

    assert again == store.memory("s1")
    found = {one.content: one for one in again.items}
    assert found["edited a.py"].mentions == 1
    assert found["edited a.py"].provenance.event == 2
    assert found["edited a.py"].paths == ("src/a.py",)
    assert found["1 failed: test_login"].last == 1


@requirement("working:store:pause")
def test_a_pause_of_a_day_changes_nothing(opened: Open) -> None:
    before = opened("2026-11-15T10:00:00Z")
    failing(before)
    before.call("s1", "claude-code", ToolCall("Edit", item=EDITED))
    left = before.memory("s1").ranked()

    after = opened("2026-11-16T10:00:00Z")
    after.begin("s1", "claude-code")

    assert after.memory("s1").ranked() == left


@requirement("working:store:sessions-apart")
def test_sessions_of_one_project_have_working_memories_of_their_own(opened: Open) -> None:
    store = opened()
    failing(store, "s1")
    store.call("s2", "codex", ToolCall("Edit", item=EDITED))
    store.call("s2", "codex", ToolCall("Read"))

    assert [found.content for found in store.memory("s1").items] == ["1 failed: test_login"]
    assert [found.content for found in store.memory("s2").items] == ["edited a.py"]
    assert {one.id: (one.harness, one.event) for one in store.sessions()} == {
        "s1": ("claude-code", 1),
        "s2": ("codex", 2),
    }


@requirement("working:store:faded")
def test_what_left_is_remembered_with_the_reason_and_only_the_latest_of_it(opened: Open) -> None:
    store = opened()
    failing(store)
    store.call("s1", "claude-code", ToolCall("Bash", "pytest -q"))
    assert store.faded("s1") == [Left("1 failed: test_login", "test", "resolved", 2)]

    for number in range(FADED_KEPT + 20):
        store.call("s1", "claude-code", ToolCall("Read", item=item(f"item {number}", 0.5)))

    left = store.faded("s1")
    assert len(left) == FADED_KEPT
    assert left[0].reason == "crowded out"


@requirement("working:store:gate")
def test_nothing_secret_is_written_and_provenance_says_that_something_was_taken_out(
    opened: Open, tmp_path: Path
) -> None:
    store = opened()
    secret = item(
        f"error: token {KEY} was refused",
        kind="error",
        fingerprint="f9",
        command=f"deploy --token {KEY}",
        paths=(f"keys/{KEY}.txt",),
    )

    store.call("s1", "claude-code", ToolCall("Bash", f"deploy --token {KEY}", failed=True, item=secret))
    store.call("s1", "claude-code", ToolCall("Bash", f"export TOKEN={KEY}"))
    store.begin("s1", "claude-code", f"Use the token {KEY} to deploy.")

    [found] = store.memory("s1").items
    assert found.provenance.redaction_applied
    assert "[REDACTED]" in found.content
    written = [path.read_bytes() for path in tmp_path.iterdir()]
    assert written
    assert not any(KEY.encode() in data for data in written)


@requirement("working:store:fail-closed")
def test_an_error_in_the_gate_stops_the_write(tmp_path: Path) -> None:
    def broken(_: str) -> tuple[str, list[object]]:
        raise RuntimeError("the gate is broken")

    state = StateDatabase(str(tmp_path / NAME))
    store = WorkingStore(state, broken)

    with pytest.raises(RuntimeError):
        store.call("s1", "claude-code", ToolCall("Bash", "pytest -q", item=FAILED))
    with pytest.raises(RuntimeError):
        store.begin("s1", "claude-code", "Rename the login column.")

    assert store.sessions() == []
    assert store.memory("s1").items == ()
    state.close()


@requirement("working:fingerprint:known")
def test_an_error_seen_before_is_known_in_any_session(opened: Open) -> None:
    store = opened()
    call = ToolCall("Bash", "pytest -q", failed=True, item=FAILED)

    assert not store.call("s1", "", call).known
    assert not store.call("s1", "", call).known  # the same one still, not seen before
    assert store.call("s2", "", call).known
    store.call("s2", "", ToolCall("Bash", "pytest -q"))
    assert store.call("s2", "", call).known


@requirement("working:fingerprint:fixed")
def test_a_command_that_succeeds_again_tells_what_it_had_failed_with(opened: Open) -> None:
    store = opened()
    failing(store)
    store.call("s1", "", ToolCall("Edit", item=EDITED))
    store.call("s1", "", ToolCall("Bash", "cat notes.txt"))
    store.call("s1", "", ToolCall("Bash", "pip install cart"))

    noted = store.call("s1", "", ToolCall("Bash", "pytest -q"))

    [fixed] = noted.fixed
    assert (fixed.fingerprint, fixed.event, fixed.resolved) == ("f1", 1, True)
    record = store.record("s1")
    assert [(deed.kind, deed.text) for deed in record.deeds] == [
        ("edit", "src/a.py"),
        ("command", "pip install cart"),
    ]
    assert store.call("s1", "", ToolCall("Bash", "pytest -q")).fixed == ()


@requirement("working:fingerprint:fixed")
def test_a_command_that_fails_again_fixes_nothing(opened: Open) -> None:
    store = opened()
    failing(store)

    assert store.call("s1", "", ToolCall("Bash", "pytest -q", failed=True)).fixed == ()
    assert [one.resolved for one in store.record("s1").troubles] == [False]


@requirement("working:fingerprint:told-once")
def test_a_prompt_is_told_of_a_runbook_once(opened: Open) -> None:
    store = opened()
    store.past.fixed_by("f1", UnifiedId("mem:run-migrations"))
    store.past.wait("s1", store.past.fixes("f1"))

    assert store.past.waiting("s2") == []
    assert store.past.waiting("s1") == ["mem:run-migrations"]
    assert store.past.waiting("s1") == []


@requirement("working:store:counts")
def test_every_match_of_a_rule_is_counted(opened: Open) -> None:
    store = opened()
    failing(store)
    failing(store)

    assert [(count.rule, count.matched) for count in store.counts()] == [("failing-tests", 2)]


@requirement("working:store:bounded")
def test_the_oldest_sessions_are_let_go(opened: Open) -> None:
    for number in range(SESSIONS_KEPT + 3):
        failing(opened(f"2026-11-15T10:{number:02}:00Z"), f"s{number}")
    store = opened("2026-11-15T12:00:00Z")

    store.tidy()

    assert store.memory("s2").items == ()
    assert len(store.memory("s3").items) == 1
    assert len(store.record("s2").troubles) == 1  # errors are remembered for longer


@requirement("working:store:counter")
def test_the_goal_of_a_session_is_what_it_first_said(opened: Open) -> None:
    store = opened()
    store.begin("s1", "claude-code", "")
    store.begin("s1", "codex", "Rename the login column.")
    store.begin("s1", "", "Something else by now.")

    record = store.record("s1")
    assert (record.goal, record.harness) == ("Rename the login column.", "codex")


@requirement("working:resume:own")
def test_a_session_is_known_once_it_has_begun(opened: Open) -> None:
    store = opened()
    before = store.knows("s1")
    store.begin("s1", "codex")

    assert (before, store.knows("s1"), store.knows("s2")) == (False, True, False)
