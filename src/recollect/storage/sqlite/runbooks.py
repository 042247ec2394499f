"""Which runbooks name an error? The SQLite adapter of `RunbookIndex`, read from the index as it is."""

from __future__ import annotations

import os
import sqlite3

from recollect.storage.sqlite.connections import existing
from recollect.storage.sqlite.schema import IN_FORCE, in_force_values
from recollect.values import Frozen
from recollect.working.history import fingerprint_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.ids import UnifiedId

# By the words of the body first: looking through every body takes 1 ms for each thousand memories.
_NAMING = (
    "SELECT id FROM document NOT INDEXED WHERE key IN (SELECT rowid FROM text WHERE text MATCH ?)"
    f" AND category = 'runbook' AND status = 'active' AND {IN_FORCE} AND instr(body, ?) ORDER BY id"
)
_START = 10  # digits of a fingerprint that stemming leaves alone


class SqliteRunbooks(Frozen):
    """The runbooks of the index at a path. No index, or a busy or corrupt one, has none."""

    path: str

    def naming(self, fingerprint: str, now: str) -> list[UnifiedId]:
        """The runbooks in force at `now` that name an error by its fingerprint."""
        if not os.path.exists(self.path):
            return []
        try:
            return self._query(fingerprint, now)
        except sqlite3.DatabaseError:
            return []  # the next search repairs the index

    def _query(self, fingerprint: str, now: str) -> list[UnifiedId]:
        # Read only: closing a writable connection would checkpoint the WAL, which takes longer than this.
        connection = sqlite3.connect(existing(self.path, "ro"), timeout=0.1, uri=True)
        try:
            word = f'body : "{fingerprint[:_START]}" *'
            values = (word, *in_force_values(now), fingerprint_label(fingerprint))
            return [row[0] for row in connection.execute(_NAMING, values).fetchall()]
        finally:
            connection.close()
