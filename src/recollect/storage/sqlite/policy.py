"""The user's policy in `gateway.db`: a rule for each pattern."""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.gateway.policy import Effect, PolicyRule

if TYPE_CHECKING:
    from recollect.storage.sqlite.gateway_database import GatewayDatabase


def policy_table(db: sqlite3.Connection) -> None:
    """A rule for each pattern."""
    db.execute("CREATE TABLE policy (pattern TEXT PRIMARY KEY, effect TEXT NOT NULL) WITHOUT ROWID")


class SqlitePolicy:
    """The policy in a database. Fills the `PolicyRules` port."""

    def __init__(self, db: "GatewayDatabase") -> None:
        self._db = db

    def rules(self) -> Sequence[PolicyRule]:
        rows = self._db.rows("SELECT effect, pattern FROM policy ORDER BY pattern")
        return [PolicyRule(effect, pattern) for effect, pattern in rows]

    def put(self, effect: Effect, pattern: str) -> None:
        with self._db.transaction():
            self._db.rows("INSERT OR REPLACE INTO policy VALUES (?, ?)", (pattern, effect))

    def remove(self, pattern: str) -> bool:
        with self._db.transaction():
            deleted = self._db.rows("DELETE FROM policy WHERE pattern = ? RETURNING 1", (pattern,))
        return bool(deleted)
