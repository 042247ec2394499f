"""Opening the index file: created when missing or of another schema, replaced when corrupt."""

from __future__ import annotations

import os
import sqlite3

from recollect.paths import MEMORY_FOLDERS
from recollect.storage.sqlite.connections import (
    connect,
    is_corrupt,
    mark,
    move_aside,
    was_made_here,
    writing,
)
from recollect.storage.sqlite.schema import TABLES, VERSION
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CORRUPTION_ERRORS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
)  # raised while reading values that have gone bad


class OpenIndex(Frozen):
    """An open index. `note` says what was done about a bad file, if anything."""

    connection: sqlite3.Connection
    note: str | None = None
    in_memory: bool = False


def open_index(path: str) -> OpenIndex:
    """Open `path` for reading and writing.

    A corrupt file is moved aside and replaced by an empty index. So is a file that was copied from
    elsewhere, because a repository could contain an index that matches no memory. Where nothing can be
    written, the index is in memory.
    """
    try:
        connection = _create(path)
        if was_made_here(connection, path):
            return OpenIndex(connection)
        connection.close()
    except CORRUPTION_ERRORS:
        return replace_corrupt(path)
    except OSError as error:  # it was removed meanwhile, or a link cannot be moved
        return in_memory_fallback(path, error)
    except sqlite3.DatabaseError as error:
        return replace_corrupt(path) if is_corrupt(error) else in_memory_fallback(path, error)
    return replace_corrupt(path, "was made elsewhere")


def replace_corrupt(path: str, why: str = "was corrupt") -> OpenIndex:
    """Move a corrupt index aside and create an empty one; in memory where that fails."""
    try:
        aside = move_aside(path, ".corrupt")
        connection = _create(path)
    except (OSError, sqlite3.DatabaseError) as error:
        return in_memory_fallback(path, error)
    return OpenIndex(
        connection,
        f"the index {why}; it was moved to {os.path.basename(aside)!r} and is rebuilt",
    )


def _create(path: str) -> sqlite3.Connection:
    return connect(path, lambda opened: _create_tables(opened, path))


def in_memory_fallback(path: str, error: Exception) -> OpenIndex:
    """An empty index in memory, because `path` cannot be used."""
    return OpenIndex(memory(), f"the index cannot be stored in {path!r} ({error})", in_memory=True)


def damage(connection: sqlite3.Connection) -> str:
    """What is wrong with an index that can be opened; empty if nothing. Reads every page.

    Raises sqlite3.DatabaseError for worse damage.
    """
    result = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    connection.execute("INSERT INTO text(text) VALUES ('integrity-check')")
    documents, texts, files = connection.execute(
        "SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM text_docsize),"
        " (SELECT count(document) FROM file)"
    ).fetchone()
    if documents == texts == files:
        return "" if result == "ok" else str(result)
    return f"{files} memories, {documents} documents, {texts} texts"


def memory() -> sqlite3.Connection:
    """An empty index in memory. Raises StoreError if SQLite has no full-text search."""
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


def _create_tables(connection: sqlite3.Connection, path: str) -> None:
    """Drop the tables of another version and create ours. One of several processes does it."""
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
        mark(connection, path)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def folder_times(roots: Iterable[str]) -> str:
    """The modification times of the folders of some roots, as text to compare with the index.

    They change when a memory file is created, renamed or deleted, which is how Recollect and git write. A
    file edited in place goes unnoticed, so callers check a hit's file again.
    """
    return " ".join(map(str, times_of(roots)))


def times_of(roots: Iterable[str]) -> list[int]:
    """The modification time of each folder of some roots, in nanoseconds; 0 for a missing folder."""
    folders = MEMORY_FOLDERS.values()
    return [_time(os.path.join(root, folder)) for root in roots for folder in folders]


def files_version(roots: Iterable[str]) -> tuple[int, int]:
    """When a memory file of some roots was last written, in nanoseconds, and a sum over all files.

    One of the two changes when any file is written, also with an older time. This looks at every file.
    """
    states = [
        state
        for root in roots
        for folder in MEMORY_FOLDERS.values()
        for state in _states(os.path.join(root, folder))
    ]
    return max((modified for modified, _ in states), default=0), sum(map(sum, states))


def _states(folder: str) -> list[tuple[int, int]]:
    """The modification time and the size of each file of a folder."""
    try:
        with os.scandir(folder) as entries:
            stats = [entry.stat(follow_symlinks=False) for entry in entries]
    except OSError:
        return []
    return [(stat.st_mtime_ns, stat.st_size) for stat in stats]


def _time(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
