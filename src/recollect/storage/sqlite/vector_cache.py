"""Vectors of texts that were embedded before, in a database per model, shared by all projects of a user."""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from recollect.paths import open_folder
from recollect.storage import private

MAX_VECTORS = 300_000  # at 384 floats each, half a gigabyte
_TABLE = "CREATE TABLE IF NOT EXISTS vector (text BLOB PRIMARY KEY, floats BLOB NOT NULL)"


class VectorCache:
    """Bytes by key. A cache that cannot be read or written behaves like an empty one."""

    def __init__(self, path: Path) -> None:
        self._db = _open(path)

    def get(self, key: bytes) -> bytes | None:
        try:
            row = self._db.execute("SELECT floats FROM vector WHERE text = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return row[0] if row and isinstance(row[0], bytes) else None

    def put(self, key: bytes, vector: bytes) -> None:
        """Store a vector, and drop the oldest beyond MAX_VECTORS."""
        oldest = "DELETE FROM vector WHERE rowid <= (SELECT max(rowid) - ? FROM vector)"
        try:
            self._db.execute("INSERT OR REPLACE INTO vector VALUES (?, ?)", (key, vector))
            self._db.execute(oldest, (MAX_VECTORS,))
        except sqlite3.Error:
            pass  # the vector is computed again next time

    def remove(self, keys: Sequence[bytes]) -> None:
        """Delete vectors, and overwrite them in the file."""
        try:
            self._db.execute("PRAGMA secure_delete = ON")
            self._db.executemany("DELETE FROM vector WHERE text = ?", [(key,) for key in keys])
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error:
            pass  # they are numbers, and are dropped with their age


def _open(path: Path) -> sqlite3.Connection:
    try:
        private.make_folder(path.parent)
        folder = open_folder(str(path.parent.resolve()))  # links on the way to it are the user's own
        try:
            private.make_file(folder, path.name)
        finally:
            os.close(folder)
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.execute(_TABLE)
    except (OSError, sqlite3.Error):
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        db.execute(_TABLE)
    return db
