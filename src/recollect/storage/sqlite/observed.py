"""Observed schemas in `gateway.db`: what results of each tool look like, without values."""

import json
import sqlite3
from typing import TYPE_CHECKING

from recollect.gateway.observed_schema import Observed, from_json, merged, to_json
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.gateway_database import GatewayDatabase


def observed_table(db: sqlite3.Connection) -> None:
    """Add observed schemas."""
    db.execute(
        "CREATE TABLE observed (server TEXT NOT NULL, tool TEXT NOT NULL, content TEXT NOT NULL,"
        " PRIMARY KEY (server, tool)) WITHOUT ROWID"
    )


class SqliteObservedSchemas:
    """Observed schemas in a database. Fills the `ObservedSchemas` port."""

    def __init__(self, db: "GatewayDatabase") -> None:
        self._db = db

    def get(self, server: str, name: str) -> Observed | None:
        sql = "SELECT content FROM observed WHERE server = ? AND tool = ?"
        rows = self._db.rows(sql, (server, storable(name)))
        return from_json(json.loads(rows[0][0])) if rows else None

    def refine(self, server: str, name: str, seen: Observed) -> None:
        stored = self.get(server, name)
        if stored is not None and merged(stored, seen) == stored:
            return
        with self._db.transaction(of_a_call=True):
            stored = self.get(server, name)
            content = json.dumps(to_json(seen if stored is None else merged(stored, seen)))
            row = (server, storable(name), content)
            self._db.rows("INSERT OR REPLACE INTO observed VALUES (?, ?, ?)", row)
