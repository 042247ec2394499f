"""`state.db`: migrations and errors. What the session ports promise is in `tests/conformance/sessions`."""

import sqlite3
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.requirements import requirement
from tests.working.items import item, tool_call

from recollect.errors import StateError, UnwritableError
from recollect.ids import UnifiedId
from recollect.paths import STATE_NAME
from recollect.storage.sqlite.adoption import adopt
from recollect.storage.sqlite.connections import FOREIGN
from recollect.storage.sqlite.state import MIGRATIONS, StateDatabase, precise_text
from recollect.working.recorder import SessionRecorder
from recollect.working.redacted import RedactedText

WAIT = 10.0

A = UnifiedId("mem:a")


def recorder(database: StateDatabase) -> SessionRecorder:
    return SessionRecorder(database, lambda: "2026-11-15T10:00:00.000000Z")


@requirement("connections:state:migrates")
def test_an_empty_file_is_migrated_to_the_newest_version_once(tmp_path: Path) -> None:
    path = tmp_path / STATE_NAME
    path.touch()
    first = StateDatabase(str(path))
    recorder(first).give("s", [A], 0.5)
    first.close()

    second = StateDatabase(str(path))

    assert recorder(second).in_context("s") == {A}
    second.close()
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("SELECT at FROM injection").fetchone() == ("2026-11-15T10:00:00Z",)
    db.close()


@requirement("connections:state:migrates")
def test_a_migration_that_fails_leaves_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half (x)")
        raise RuntimeError("power cut")

    StateDatabase(str(tmp_path / STATE_NAME)).close()
    monkeypatch.setattr("recollect.storage.sqlite.state.MIGRATIONS", (*MIGRATIONS, broken))
    with pytest.raises(RuntimeError):
        StateDatabase(str(tmp_path / STATE_NAME))

    db = sqlite3.connect(tmp_path / STATE_NAME)
    assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    db.close()


@requirement("working:store:migrates")
def test_sessions_of_the_first_version_go_on(tmp_path: Path) -> None:
    path = tmp_path / STATE_NAME
    old = sqlite3.connect(path, isolation_level=None)
    MIGRATIONS[0](old)
    old.execute("PRAGMA user_version = 1")
    old.execute("INSERT INTO session VALUES ('s1', '2026-11-14T10:00:00Z', 12, 1, 1)")
    old.execute("INSERT INTO injection VALUES ('s1', 'mem:a', 1, 9, '2026-11-14T10:00:00Z', 0.7, NULL)")
    old.close()
    path.rename(f"{path}{FOREIGN}")  # where it is moved, because nothing says who made it
    assert adopt(str(path))

    database = StateDatabase(str(path))
    sessions = recorder(database)
    sessions.call("s1", "claude-code", tool_call("Read", item=item("edited a.py")))

    assert sessions.in_context("s1") == {A}
    assert sessions.count_event("s1") == 13
    assert not sessions.point_to_search("s1")
    assert database.sessions.memory("s1").event == 1
    assert [found.content for found in database.sessions.memory("s1").items] == ["edited a.py"]
    database.close()


@requirement("connections:state:migrates")
def test_sessions_of_the_second_version_go_on(tmp_path: Path) -> None:
    path = tmp_path / STATE_NAME
    old = sqlite3.connect(path, isolation_level=None)
    for number in range(2):
        MIGRATIONS[number](old)
    old.execute("PRAGMA user_version = 2")
    old.execute("INSERT INTO session (id, started_at, goal) VALUES ('s1', '', 'Rename the column.')")
    old.close()
    path.rename(f"{path}{FOREIGN}")  # where it is moved, because nothing says who made it
    assert adopt(str(path))

    database = StateDatabase(str(path))
    recorder(database).keep_turn("s1", RedactedText("and the index too"))

    assert database.turns.turns("s1") == ["and the index too"]
    assert database.sessions.state("s1").goal == "Rename the column."
    database.close()


def test_a_file_that_is_no_database_is_a_state_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / STATE_NAME
    path.write_bytes(b"no database at all" * 100)

    with pytest.raises(StateError, match="move it away") as raised:
        StateDatabase(str(path))

    assert repr(str(path)) in str(raised.value)


def test_a_database_that_another_process_writes_is_an_unwritable_error_after_the_wait(
    tmp_path: Path,
) -> None:
    database = StateDatabase(str(tmp_path / STATE_NAME), wait=0.01)
    other = sqlite3.connect(tmp_path / STATE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(UnwritableError, match="locked"):
        recorder(database).count_event("s1")

    other.close()
    database.close()


def test_precise_moments_sort_as_text() -> None:
    moments = [0, 999, 1_000, 10**9 - 1, 10**9, 1_763_200_000 * 10**9]
    texts = [precise_text(moment) for moment in moments]

    assert texts == sorted(texts)
    assert texts[2] == "1970-01-01T00:00:00.000001Z"


def test_threads_that_share_a_database_take_turns_with_their_transactions(tmp_path: Path) -> None:
    """The journal of a run writes in a thread while an answer to its client writes in another."""
    database = StateDatabase(str(tmp_path / "state.db"))
    inside, first_ends, order = Event(), Event(), list[str]()

    def first() -> None:
        with database.transaction():
            inside.set()
            first_ends.wait(WAIT)
            order.append("first")

    def second() -> None:
        inside.wait(WAIT)
        with database.transaction():
            order.append("second")

    threads = [Thread(target=first), Thread(target=second)]
    for thread in threads:
        thread.start()
    inside.wait(WAIT)
    threads[1].join(0.05)  # it waits for its turn, and does not fail
    first_ends.set()
    for thread in threads:
        thread.join(WAIT)
    database.close()

    assert order == ["first", "second"]
