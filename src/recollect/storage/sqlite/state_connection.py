"""The connection to `state.db`. Errors of SQLite become StoreError here, for all its adapters."""

from __future__ import annotations

import sqlite3

from recollect.storage.sqlite.connections import connect, is_corrupt, writing
from recollect.storage.sqlite.schema import storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Any

    from recollect.errors import StoreError


class StateConnection:
    """An open `state.db` that many processes may write to."""

    def __init__(self, path: str, prepare: Callable[[sqlite3.Connection], None], wait: float) -> None:
        self._path = path
        try:
            self._db = connect(path, prepare, wait)
        except sqlite3.Error as error:
            raise _translated(path, error) from error

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise _translated(self._path, error) from error

    def write_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values."""
        try:
            self._db.executemany(sql, rows)
        except sqlite3.Error as error:
            raise _translated(self._path, error) from error

    def keep_sessions(self, table: str, sessions: Collection[str]) -> None:
        """Delete the rows of a table that belong to other sessions."""
        marks = ",".join("?" * len(sessions))
        names = [storable(session) for session in sessions]
        self.rows(f"DELETE FROM {table} WHERE session NOT IN ({marks})", names)

    def transaction(self) -> StateTransaction:
        """A transaction that no other writer interrupts."""
        return StateTransaction(self._db, self._path)

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


class StateTransaction:
    """`writing` on `state.db`, with StoreError for what SQLite says at its begin and end."""

    def __init__(self, db: sqlite3.Connection, path: str) -> None:
        self._writing, self._path = writing(db), path

    def __enter__(self) -> None:
        try:
            self._writing.__enter__()
        except sqlite3.Error as error:
            raise _translated(self._path, error) from error

    def __exit__(self, raised: type[BaseException] | None, *details: object) -> None:
        try:
            self._writing.__exit__(raised, *details)
        except sqlite3.Error as error:
            raise _translated(self._path, error) from error


def _translated(path: str, error: sqlite3.Error) -> StoreError:
    from recollect.errors import (  # 0.4 ms, which a hook without errors saves
        StateError,
        UnwritableError,
    )

    if isinstance(error, sqlite3.DatabaseError) and not is_corrupt(error):
        return UnwritableError(f"cannot use {path!r} now ({error}); try again.")
    return StateError(path, str(error))
