"""The bookkeeping of sessions."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.storage.sqlite.state import MIGRATIONS, NAME, Impact, StateDatabase


@requirement("connections:state:migrates")
def test_an_empty_file_is_migrated_to_the_newest_version_once(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.touch()
    first = StateDatabase(str(path))
    first.give("s", ["mem:a"], 0.5)
    first.close()

    second = StateDatabase(str(path))

    assert second.given("s") == {"mem:a"}
    second.close()
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


@requirement("connections:state:migrates")
def test_a_migration_that_fails_leaves_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half (x)")
        raise RuntimeError("power cut")

    StateDatabase(str(tmp_path / NAME)).close()
    monkeypatch.setattr("recollect.storage.sqlite.state.MIGRATIONS", (*MIGRATIONS, broken))
    with pytest.raises(RuntimeError):
        StateDatabase(str(tmp_path / NAME))

    db = sqlite3.connect(tmp_path / NAME)
    assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    db.close()


_COUNTS = """
import sys
from pathlib import Path
from recollect.storage.sqlite.state import StateDatabase
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    state = StateDatabase(sys.argv[1])
    state.count_event("s")
    state.give(f"own-{sys.argv[2]}", [f"mem:{number}"], 0.5)
    state.close()
"""


@requirement("connections:state:concurrent")
def test_ten_processes_at_once_from_an_empty_folder_lose_no_event(tmp_path: Path) -> None:
    path = tmp_path / NAME
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _COUNTS, str(path), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(10)
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in running:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")

    state = StateDatabase(str(path))
    assert state.count_event("s") == 201
    assert {row.given for row in state.impact()} == {10}
    assert len(state.impact()) == 20
    state.close()


@requirement("connections:state:once")
def test_a_memory_is_new_to_a_session_once_until_a_compaction(state: StateDatabase) -> None:
    assert state.give("s", ["mem:a", "mem:b"], 0.9) == ["mem:a", "mem:b"]
    assert state.give("s", ["mem:b", "mem:c"], 0.8) == ["mem:c"]
    assert state.give("other", ["mem:a"], 0.9) == ["mem:a"]
    assert state.given("s") == {"mem:a", "mem:b", "mem:c"}

    state.compacted("s")

    assert state.given("s") == set()
    assert state.given("other") == {"mem:a"}
    assert state.give("s", ["mem:a"], 0.9) == ["mem:a"]
    assert state.given("s") == {"mem:a"}


def test_a_compaction_may_be_the_first_that_is_heard_of_a_session(state: StateDatabase) -> None:
    state.compacted("s")

    assert state.give("s", ["mem:a"], 0.9) == ["mem:a"]


def test_what_cannot_be_noted_whole_is_not_noted_at_all(state: StateDatabase) -> None:
    with pytest.raises(sqlite3.ProgrammingError):
        state.give("s", ["mem:a", object()], 0.9)  # type: ignore[list-item]

    assert state.given("s") == set()
    assert state.count_event("s") == 1


def test_a_session_is_pointed_to_search_once(state: StateDatabase) -> None:
    assert state.point("s")
    assert not state.point("s")
    assert state.point("other")


@requirement("hook:prompt:follow-up-silence")
def test_a_session_that_was_given_something_is_not_pointed_to_search_when_it_follows_that_up(
    state: StateDatabase,
) -> None:
    state.give("s", ["mem:a"], 0.5)

    assert not state.point("s", follows=True)
    assert state.point("t", follows=True)
    assert state.point("s")
    assert state.count_event("s") == 4


@requirement("connections:state:impact")
def test_impact_counts_what_was_given_and_what_of_it_was_used(state: StateDatabase) -> None:
    state.give("one", ["mem:a", "mem:b"], 0.9)
    state.give("two", ["mem:a"], 0.7)
    assert state.unused("one") == ["mem:a", "mem:b"]

    state.use("one", ["mem:a"], "read")
    state.use("one", ["mem:a"], "cited")
    state.use("one", ["mem:unknown"], "read")

    assert state.unused("one") == ["mem:b"]
    assert state.impact() == [Impact("mem:a", 2, 1), Impact("mem:b", 1, 0)]
    assert [row.used for row in state.latest(10) if row.session == "one"] == ["read", None]
    assert len(state.latest(2)) == 2


@requirement("connections:state:any-name")
@pytest.mark.parametrize("session", ["\ud800", "a\0b", "", "ü\udfff"])
def test_a_session_may_have_any_name(state: StateDatabase, session: str) -> None:
    state.compacted(session)

    assert state.give(session, ["mem:a", "mem:b"], 0.5) == ["mem:a", "mem:b"]
    assert state.give(session, ["mem:a"], 0.5) == []
    assert state.given(session) == {"mem:a", "mem:b"}
    state.use(session, ["mem:a"], "read")
    assert state.unused(session) == ["mem:b"]
    assert (state.point(session), state.point(session)) == (True, False)
    assert state.count_event(session) == 6
