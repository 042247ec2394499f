"""Opening the kept index: made when missing, remade when the schema changed, replaced when corrupt."""

from __future__ import annotations

import os
import sqlite3

from recollect.storage.sqlite.connections import connect, is_corrupt, writing
from recollect.storage.sqlite.schema import TABLES, VERSION
from recollect.values import Frozen

NAME = "index.db"
CORRUPTION_ERRORS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
)  # of reading what was kept and went bad


class OpenIndex(Frozen):
    """An index ready for use. `note` says what had to be done about it, if anything."""

    connection: sqlite3.Connection
    note: str | None = None
    in_memory: bool = False


def open_index(path: str) -> OpenIndex:
    """Open `path` for reading and writing.

    A corrupt file is moved aside and an empty index takes its place, and so is one that was made elsewhere:
    a repository may bring one that says what no memory says. Where nothing can be written the index lives
    in memory for as long as it is open.
    """
    try:
        connection = _made(path)
        if _is_ours(connection, path):
            return OpenIndex(connection)
        connection.close()
    except CORRUPTION_ERRORS:
        return replace_corrupt(path)
    except OSError as error:  # it went away while we looked, or a link cannot be moved
        return in_memory_fallback(path, error)
    except sqlite3.DatabaseError as error:
        return replace_corrupt(path) if is_corrupt(error) else in_memory_fallback(path, error)
    return replace_corrupt(path, "was made elsewhere")


def replace_corrupt(path: str, why: str = "was corrupt") -> OpenIndex:
    """Move a corrupt index aside, and start an empty one in its place; in memory where that fails."""
    aside = f"{path}.corrupt"
    try:
        os.replace(path, aside)
        for left in (f"{path}-wal", f"{path}-shm"):
            if os.path.lexists(left):
                os.unlink(left)
        connection = _made(path)
    except (OSError, sqlite3.DatabaseError) as error:
        return in_memory_fallback(path, error)
    return OpenIndex(
        connection,
        f"the index {why}; it was moved to {os.path.basename(aside)!r} and is built anew",
    )


def _made(path: str) -> sqlite3.Connection:
    return connect(path, lambda opened: _make(opened, path))


def _is_ours(connection: sqlite3.Connection, path: str) -> bool:
    """Whether an index was made where it is: a copy, as of a repository, is another file."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'made'").fetchone()
    return row is not None and row[0] == _identity(path)


def _identity(path: str) -> str:
    return str(os.stat(path).st_ino)


def in_memory_fallback(path: str, error: Exception) -> OpenIndex:
    """An empty index in memory, because none can be kept at `path`."""
    return OpenIndex(memory(), f"the index cannot be kept in {path!r} ({error})", in_memory=True)


def damage(connection: sqlite3.Connection) -> str:
    """What is wrong with an index that opens well, or nothing. Looks at every page, which takes a while.

    Raises sqlite3.DatabaseError for what is worse.
    """
    said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    connection.execute("INSERT INTO text(text) VALUES ('integrity-check')")
    documents, texts, files = connection.execute(
        "SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM text_docsize),"
        " (SELECT count(document) FROM file)"
    ).fetchone()
    if documents == texts == files:
        return "" if said == "ok" else str(said)
    return f"{files} memories, {documents} documents, {texts} texts"


def memory() -> sqlite3.Connection:
    """An empty index that is kept nowhere. Raises StoreError where SQLite cannot search text."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        connection.executescript(TABLES)
    except sqlite3.OperationalError as error:
        from recollect.errors import StoreError

        raise StoreError(
            f"this Python's SQLite {sqlite3.sqlite_version} cannot search text ({error}); "
            "use a Python whose sqlite3 has FTS5."
        ) from None
    return connection


def _make(connection: sqlite3.Connection, path: str) -> None:
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
        connection.execute("INSERT INTO meta VALUES ('made', ?)", (_identity(path),))
        connection.execute(f"PRAGMA user_version = {VERSION}")
