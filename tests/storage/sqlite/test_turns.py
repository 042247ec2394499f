"""The last prompts of sessions that have no transcript."""

import sqlite3
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.redaction.redact import redact
from recollect.storage.sqlite.history import SESSIONS_KEPT
from recollect.storage.sqlite.state import MIGRATIONS, NAME, StateDatabase
from recollect.storage.sqlite.turns import keep_turn, turns
from recollect.storage.sqlite.working import WorkingStore


@requirement("working:store:turns")
def test_the_last_prompts_of_a_session_are_kept_apart_and_in_order(state: StateDatabase) -> None:
    for number in range(5):
        keep_turn(state, "s1", f"  prompt {number} \n", redact)
    keep_turn(state, "s2\ud83d", "another session's", redact)
    keep_turn(state, "s2\ud83d", " \n", redact)

    assert turns(state, "s1") == ["prompt 2", "prompt 3", "prompt 4"]
    assert turns(state, "s2\ud83d") == ["another session's"]
    assert turns(state, "s3") == []


@requirement("working:store:turns")
def test_no_half_of_a_secret_is_kept_of_a_long_prompt(state: StateDatabase) -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\n" + "QUJD" * 900 + "\n-----END RSA PRIVATE KEY-----"
    cut = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5A"
    keep_turn(state, "s1", f"{block}\n" + "x " * ((3_980 - len(block)) // 2) + cut, redact)
    keep_turn(state, "s1", "x" * 10_000, redact)

    [text] = turns(state, "s1")
    assert "QUJD" not in text
    assert "ghp_" not in text


@requirement("working:store:fail-closed")
def test_an_error_in_the_gate_keeps_a_prompt_from_being_written(state: StateDatabase) -> None:
    def broken(text: str) -> tuple[str, list[object]]:
        raise RuntimeError(f"cannot look at {len(text)} characters")

    with pytest.raises(RuntimeError):
        keep_turn(state, "s1", "rename the column", broken)

    assert turns(state, "s1") == []


@requirement("working:store:bounded")
def test_the_prompts_of_the_oldest_sessions_are_let_go(state: StateDatabase) -> None:
    for number in range(SESSIONS_KEPT + 1):
        store = WorkingStore(state, redact, lambda number=number: f"2026-11-15T10:{number:02}:00Z")  # type: ignore[misc]
        store.begin(f"s{number}", "opencode")
        keep_turn(state, f"s{number}", "rename the column", redact)
    store.tidy()

    assert turns(state, "s0") == []
    assert turns(state, "s1") == ["rename the column"]


@requirement("connections:state:migrates")
def test_a_state_of_the_second_version_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / NAME
    old = sqlite3.connect(path, isolation_level=None)
    for number in range(2):
        MIGRATIONS[number](old)
    old.execute("PRAGMA user_version = 2")
    old.execute("INSERT INTO session (id, started_at, goal) VALUES ('s1', '', 'Rename the column.')")
    old.close()

    opened = StateDatabase(str(path))
    keep_turn(opened, "s1", "and the index too", redact)

    assert turns(opened, "s1") == ["and the index too"]
    assert opened.in_mind("s1") == (True, False)
    opened.close()
