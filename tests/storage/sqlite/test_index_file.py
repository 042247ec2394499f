"""Opening the kept index, whatever is there."""

import shutil
import sqlite3
import sqlite3 as engine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.errors import StoreError
from recollect.storage.sqlite import connections, index_file
from recollect.storage.sqlite.schema import VERSION


def tables(db: sqlite3.Connection) -> set[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {name for (name,) in rows if not name.startswith(("sqlite_", "text_"))}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


def opened(path: Path) -> index_file.OpenIndex:
    found = index_file.open_index(str(path))
    assert tables(found.connection) == tables(index_file.memory())
    return found


def test_a_missing_index_is_made_and_found_again(path: Path) -> None:
    first = opened(path)
    first.connection.execute("INSERT INTO meta VALUES ('a', 'b')")
    first.connection.close()

    again = opened(path)

    assert (first.note, again.note) == (None, None)
    assert again.connection.execute("SELECT * FROM meta WHERE key <> 'made'").fetchall() == [("a", "b")]


@requirement("retrieval:index:ours")
def test_an_index_that_was_made_elsewhere_is_moved_aside_and_made_anew(path: Path) -> None:
    """As one that came with a repository, which could say what no memory says."""
    elsewhere = path.with_name("elsewhere.db")
    theirs = opened(elsewhere).connection
    theirs.execute("INSERT INTO meta VALUES ('a', 'b')")
    theirs.close()
    shutil.copy(elsewhere, path)

    ours = opened(path)

    assert ours.connection.execute("SELECT * FROM meta WHERE key <> 'made'").fetchall() == []
    assert (
        ours.note == "the index was made elsewhere; it was moved to 'index.db.corrupt' and is rebuilt"
    )
    ours.connection.close()
    assert opened(path).note is None


@requirement("retrieval:index:ours")
def test_a_link_in_place_of_an_index_is_moved_aside_and_what_it_leads_to_stays(path: Path) -> None:
    precious = path.with_name("precious.db")
    db = sqlite3.connect(precious)
    db.execute("CREATE TABLE accounts (x)")
    db.close()
    before = precious.read_bytes()
    path.symlink_to(precious)

    found = opened(path)

    assert precious.read_bytes() == before
    assert not path.is_symlink()
    assert path.with_name("index.db.link").readlink() == precious
    found.connection.close()


@pytest.mark.parametrize("version", [0, VERSION - 1, VERSION + 1])
def test_an_index_of_another_schema_is_made_anew(path: Path, version: int) -> None:
    old = opened(path).connection
    old.execute("INSERT INTO meta VALUES ('a', 'b')")
    old.execute("CREATE TABLE of_another_time (x)")
    old.execute(f"PRAGMA user_version = {version}")
    old.close()

    again = opened(path)

    assert again.connection.execute("SELECT * FROM meta WHERE key <> 'made'").fetchall() == []
    assert again.connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    assert again.note is None


@requirement("retrieval:index:corrupt")
@pytest.mark.parametrize("bytes_", [b"\0" * 5000, b"no database", b"SQLite format 3\0" + b"\xff" * 900])
def test_what_is_no_database_is_moved_aside(path: Path, bytes_: bytes) -> None:
    path.write_bytes(bytes_)
    Path(f"{path}-wal").write_bytes(b"left over")

    found = opened(path)

    assert found.note is not None
    assert "corrupt" in found.note
    assert path.with_name("index.db.corrupt").read_bytes() == bytes_
    assert not found.in_memory


def test_an_empty_file_is_an_empty_index(path: Path) -> None:
    path.touch()

    assert opened(path).note is None


def test_where_nothing_can_be_kept_the_index_is_in_memory(path: Path) -> None:
    path.mkdir()

    for found in (opened(path), opened(path.parent / "no" / "such" / "index.db")):
        assert found.in_memory
        assert found.note is not None
        assert "cannot be stored" in found.note


def test_a_corrupt_index_that_cannot_be_moved_gives_way_to_memory(path: Path) -> None:
    path.write_bytes(b"no database" * 100)
    path.with_name("index.db.corrupt").mkdir()

    found = opened(path)

    assert found.in_memory


def test_many_who_open_a_new_index_at_once_all_get_it(tmp_path: Path) -> None:
    together = Barrier(8)

    def opener(_: int) -> list[str | None]:
        notes = []
        for number in range(40):
            together.wait(30)
            found = index_file.open_index(str(tmp_path / f"{number}.db"))
            notes.append(found.note)
            found.connection.close()
        return notes

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(opener, range(8))) == [[None] * 40] * 8


def test_two_who_open_an_index_see_what_the_other_writes(path: Path) -> None:
    one, other = opened(path), opened(path)

    one.connection.execute("INSERT INTO meta VALUES ('a', 'b')")

    assert other.connection.execute("SELECT count(*) FROM meta WHERE key <> 'made'").fetchone() == (1,)


def test_a_snapshot_does_not_see_what_others_write_meanwhile(path: Path) -> None:
    one, other = opened(path).connection, opened(path).connection
    count = "SELECT count(*) FROM meta WHERE key <> 'made'"

    with connections.snapshot(one), connections.snapshot(one):
        assert one.execute(count).fetchone() == (0,)
        other.execute("INSERT INTO meta VALUES ('a', 'b')")
        assert one.execute(count).fetchone() == (0,)
    assert one.execute(count).fetchone() == (1,)


def test_writing_is_all_or_nothing(path: Path) -> None:
    db = opened(path).connection

    def fails() -> None:
        with connections.writing(db):
            db.execute("INSERT INTO meta VALUES ('a', 'b')")
            raise KeyError

    with pytest.raises(KeyError):
        fails()

    assert db.execute("SELECT count(*) FROM meta WHERE key <> 'made'").fetchone() == (0,)


class WithoutFts5(sqlite3.Connection):
    """Stands for an SQLite that was built without FTS5."""

    def executescript(self, sql: str) -> sqlite3.Cursor:
        return super().executescript(sql.replace("USING fts5", "USING no_such_fts5"))

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return super().execute(sql.replace("USING fts5", "USING no_such_fts5"), *values)


@requirement("retrieval:index:needs-fts5")
def test_an_sqlite_that_cannot_search_text_is_a_clear_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "connect", WithoutFts5)

    with pytest.raises(StoreError, match="has FTS5"):
        index_file.open_index(str(path))
