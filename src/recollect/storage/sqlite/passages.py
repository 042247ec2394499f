"""Which row of the vector matrix belongs to which document, and which documents have none yet."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from recollect.errors import UnwritableError
from recollect.storage.sqlite.connections import is_corrupt, snapshot, writing


class PassageTable:
    """The `passage` table of an open index. Not for two threads at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def snapshot(self) -> snapshot:
        """Read the table as it is at one moment."""
        return snapshot(self._db)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A write transaction. Raises UnwritableError when the database cannot be written now."""
        try:
            with writing(self._db):
                yield
        except sqlite3.OperationalError as error:
            if is_corrupt(error):
                raise
            raise UnwritableError(str(error)) from None

    def version(self) -> tuple[int, int]:
        """A value that changes whenever this or another process writes to the index."""
        return content_version(self._db)

    def count_documents(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM document").fetchone()[0])

    def count_missing(self) -> int:
        """How many documents have no rows."""
        sql = "SELECT count(*) FROM document WHERE key NOT IN (SELECT document FROM passage)"
        return int(self._db.execute(sql).fetchone()[0])

    def missing(self, most: int) -> list[tuple[int, str, str]]:
        """Key, title and body of the first `most` documents that have no rows."""
        sql = (
            "SELECT key, title, body FROM document WHERE key NOT IN (SELECT document FROM passage)"
            " ORDER BY key LIMIT ?"
        )
        return list(self._db.execute(sql, (most,)))

    def still_missing(self, keys: Sequence[int]) -> set[int]:
        """Those of `keys` that still exist and that no other process has added rows for."""
        sql = (
            "SELECT value FROM json_each(?) WHERE value IN (SELECT key FROM document)"
            " AND value NOT IN (SELECT document FROM passage)"
        )
        return {row[0] for row in self._db.execute(sql, (json.dumps(keys),))}

    def count_rows(self) -> int:
        """How many rows are in use."""
        return int(self._db.execute("SELECT count(*) FROM passage").fetchone()[0])

    def owners(self) -> list[tuple[int, int]]:
        """Row and document of every row in use, by row."""
        return list(self._db.execute("SELECT slot, document FROM passage ORDER BY slot"))

    def clear(self) -> None:
        self._db.execute("DELETE FROM passage")

    def add(self, first: int, owners: Sequence[int]) -> None:
        """Record the owners of the rows from `first` on."""
        rows = [(first + place, owner) for place, owner in enumerate(owners)]
        self._db.executemany("INSERT INTO passage VALUES (?, ?)", rows)

    def get_property(self, key: str) -> str | None:
        """A stored property of the matrix, such as its model or its number of rows."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_properties(self, **values: str | int) -> None:
        rows = [(key, str(value)) for key, value in values.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)


def content_version(db: sqlite3.Connection) -> tuple[int, int]:
    """A value that changes whenever this connection or another one writes."""
    return int(db.execute("PRAGMA data_version").fetchone()[0]), db.total_changes
