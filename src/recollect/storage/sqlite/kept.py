"""Opening the kept index: made when missing, remade when the schema changed, replaced when corrupt."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import StoreError
from recollect.storage.sqlite.schema import TABLES, VERSION

_BUSY_SECONDS = 5.0
_PAUSE = 0.005  # seconds between two tries
_SURROUNDINGS = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOLFS,
    }
)


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
        return Opened(connect(path, _make))
    except sqlite3.DatabaseError as error:
        return replace_corrupt(path) if is_corrupt(error) else homeless(path, error)


def replace_corrupt(path: Path) -> Opened:
    """Move a corrupt index aside, and start an empty one in its place; in memory where that fails."""
    aside = path.with_name(f"{path.name}.corrupt")
    try:
        path.replace(aside)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        connection = connect(path, _make)
    except (OSError, sqlite3.DatabaseError) as error:
        return homeless(path, error)
    return Opened(
        connection, f"the index was corrupt; it was moved to {aside.name!r} and is built anew"
    )


def homeless(path: Path, error: Exception) -> Opened:
    """An empty index in memory, because none can be kept at `path`."""
    return Opened(memory(), f"the index cannot be kept in {str(path)!r} ({error})", in_memory=True)


def is_corrupt(error: sqlite3.DatabaseError) -> bool:
    """Whether an error speaks of what is in the file, not of who holds it or where it lies."""
    if isinstance(error, sqlite3.ProgrammingError) or "no such module" in str(error):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF not in _SURROUNDINGS


def is_busy(error: sqlite3.DatabaseError) -> bool:
    """Whether somebody else is writing for longer than we wait."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read the index as it is at one moment, whatever others write. Inside another, that one's moment."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """Write to the index, all of it or nothing; one writer at a time."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def memory() -> sqlite3.Connection:
    """An empty index that is kept nowhere. Raises StoreError where SQLite cannot search text."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        connection.executescript(TABLES)
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"this Python's SQLite {sqlite3.sqlite_version} cannot search text ({error}); "
            "use a Python whose sqlite3 has FTS5."
        ) from None
    return connection


def connect(path: Path, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Open a database that many processes share, and `prepare` it.

    Tries for as long as we wait: SQLite does not wait when several turn a new file into a database.
    """
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            return _connected(path, prepare)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)


def _connected(path: Path, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    """Drop whatever another version kept, and make our tables. One of several openers does it."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return
    with writing(connection):
        if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            return
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
