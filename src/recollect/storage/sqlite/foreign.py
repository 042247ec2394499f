"""Databases of other programs, for reading. Whoever made one may have put anything into it.

Only plain tables are read, by queries that call no function: a view, a virtual table or a generated column of
the file could otherwise run code of its own choice, or run without end. Nothing is written.
"""

import sqlite3
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from recollect.errors import RefusedError

MAX_FILE = 8 * 1024 * 1024 * 1024
MAX_VALUE = 32 * 1024 * 1024  # bytes of one text
_MAGIC = b"SQLite format 3\0"
_WAIT = 5.0
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})


def is_database(path: Path) -> bool:
    """Whether a plain file begins like an SQLite database."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


class ForeignDatabase:
    """A database of another program. Raises RefusedError for what is none, or cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if not is_database(path):
            raise RefusedError(
                f"{str(path)!r} is not a SQLite database: a link, a pipe, or another file."
            )
        if path.stat().st_size > MAX_FILE:
            raise RefusedError(f"{str(path)!r} is larger than the {MAX_FILE:,} bytes that are read.")
        try:
            uri = f"{path.absolute().as_uri()}?mode=ro"
            self._db = sqlite3.connect(uri, timeout=_WAIT, isolation_level=None, uri=True)
            for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
                self._db.execute(f"PRAGMA {pragma}")
            self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
            self._tables = self._plain_tables()
            self._db.set_authorizer(_authorize)
        except sqlite3.Error as error:
            raise self._refusal(error) from None

    def _plain_tables(self) -> dict[str, frozenset[str]]:
        """The columns of each plain table."""
        sql = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        names = [
            name
            for name, text in self._db.execute(sql)
            if isinstance(name, str) and not str(text).upper().startswith("CREATE VIRTUAL")
        ]
        columns = "SELECT name FROM pragma_table_info(?)"
        return {
            name: frozenset(row[0] for row in self._db.execute(columns, (name,)).fetchall())
            for name in names
        }

    def has(self, table: str, columns: Sequence[str] = ()) -> bool:
        """Whether there is a plain table with these columns."""
        return table in self._tables and self._tables[table].issuperset(columns)

    def rows(
        self, table: str, columns: Sequence[str], order: str, **equal: object
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a plain table in an order; a column that it lacks is None in each."""
        if not self.has(table, (order, *equal)):
            raise RefusedError(
                f"{str(self._path)!r} has no plain table {table!r} with {order!r}; views are not read."
            )
        names = [name if name in self._tables[table] else "NULL" for name in columns]
        where = " AND ".join(f"{name} = ?" for name in equal)
        sql = f"SELECT {', '.join(names)} FROM {table}{f' WHERE {where}' if where else ''} ORDER BY {order}"
        try:
            yield from self._db.execute(sql, tuple(equal.values()))
        except sqlite3.Error as error:
            raise self._refusal(error) from None

    def _refusal(self, error: sqlite3.Error) -> RefusedError:
        return RefusedError(f"{str(self._path)!r} cannot be read: {error}.")

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


def _authorize(action: int, *_details: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
