"""Opening the kept index: made when missing, remade when the schema changed, replaced when corrupt."""

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from recollect.storage.sqlite.schema import TABLES, VERSION

_BUSY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Opened:
    """An index ready for use. `note` says what had to be done about it, if anything."""

    connection: sqlite3.Connection
    note: str | None = None
    in_memory: bool = False


def open_kept(path: Path) -> Opened:
    """Open `path` for reading and writing.

    A corrupt file is moved aside and an empty index takes its place. Where nothing can be written the
    index lives in memory for as long as it is open.
    """
    try:
        return Opened(_connect(path))
    except sqlite3.OperationalError as error:
        if _is_corrupt(error):
            return replace_corrupt(path)
        return Opened(memory(), f"the index cannot be kept in {str(path)!r} ({error})", in_memory=True)
    except sqlite3.DatabaseError:
        return replace_corrupt(path)


def replace_corrupt(path: Path) -> Opened:
    """Move a corrupt index aside, and start an empty one in its place."""
    aside = path.with_name(f"{path.name}.corrupt")
    with contextlib.suppress(OSError):
        path.replace(aside)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    note = f"the index was corrupt; it was moved to {aside.name!r} and is built anew"
    return Opened(_connect(path), note)


def _is_corrupt(error: sqlite3.Error) -> bool:
    return any(word in str(error) for word in ("malformed", "not a database", "corrupt"))


def memory() -> sqlite3.Connection:
    """An empty index that is kept nowhere."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(TABLES)
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            _make(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    """Drop whatever another version kept, and make our tables. One of several openers does it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            names = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
                " AND (sql LIKE 'CREATE VIRTUAL%' OR name NOT GLOB 'text_*') ORDER BY sql NOT LIKE '%vocab%'"
            ).fetchall()
            for (name,) in names:
                connection.execute(f'DROP TABLE IF EXISTS "{name}"')
            for statement in TABLES.split(";\n"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
