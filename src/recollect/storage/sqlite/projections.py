"""Projections in `gateway.db`: which fields of large results were read, and which previews show."""

import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.gateway import retention
from recollect.gateway.vault.projection import FieldReads, Projection
from recollect.gateway.weights import PROJECTION_RESULTS
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.gateway_database import GatewayDatabase


def projection_tables(db: sqlite3.Connection) -> None:
    """Add projections, and the reads that they are proposed from."""
    db.execute(
        "CREATE TABLE field_read (number INTEGER PRIMARY KEY, server TEXT NOT NULL, tool TEXT NOT NULL,"
        " field TEXT NOT NULL, result TEXT NOT NULL, UNIQUE (server, tool, field, result))"
    )
    db.execute(
        "CREATE TABLE projection (server TEXT NOT NULL, tool TEXT NOT NULL, fields TEXT NOT NULL,"
        " accepted_at TEXT NOT NULL, PRIMARY KEY (server, tool)) WITHOUT ROWID"
    )


class SqliteProjections:
    """Projections in a database. Fills the `Projections` port."""

    def __init__(self, db: "GatewayDatabase") -> None:
        self._db = db

    def read(self, server: str, tool: str, field: str, result: str) -> None:
        key = (storable(server), storable(tool))
        row = (*key, storable(field), storable(result))
        known = "SELECT count(*) FROM field_read WHERE server = ? AND tool = ? AND field = ?"
        with self._db.transaction(of_a_call=True):
            if self._db.rows(known, row[:3])[0][0] >= PROJECTION_RESULTS:
                return  # read often enough
            self._db.rows(
                "INSERT OR IGNORE INTO field_read (server, tool, field, result) VALUES (?, ?, ?, ?)",
                row,
            )
            self._db.rows(
                "DELETE FROM field_read WHERE server = ? AND tool = ? AND number <= (SELECT number"
                " FROM field_read WHERE server = ? AND tool = ? ORDER BY number DESC LIMIT 1 OFFSET ?)",
                (*key, *key, retention.MAX_READS),
            )

    def reads(self) -> Sequence[FieldReads]:
        rows = self._db.rows(
            "SELECT server, tool, field, count(*) FROM field_read GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
        return [FieldReads(*row) for row in rows]

    def accepted(self) -> Sequence[Projection]:
        rows = self._db.rows("SELECT server, tool, fields FROM projection ORDER BY server, tool")
        return [Projection(server, tool, tuple(json.loads(fields))) for server, tool, fields in rows]

    def fields(self, server: str, tool: str) -> tuple[str, ...]:
        sql = "SELECT fields FROM projection WHERE server = ? AND tool = ?"
        rows = self._db.rows(sql, (server, storable(tool)))
        return tuple(json.loads(rows[0][0])) if rows else ()

    def accept(self, projection: Projection, at: str) -> None:
        fields = json.dumps(projection.fields)
        row = (storable(projection.server), storable(projection.tool), fields, at)
        with self._db.transaction():
            self._db.rows("INSERT OR REPLACE INTO projection VALUES (?, ?, ?, ?)", row)

    def remove(self, server: str, tool: str) -> bool:
        key = (storable(server), storable(tool))
        with self._db.transaction():
            self._db.rows("DELETE FROM field_read WHERE server = ? AND tool = ?", key)
            sql = "DELETE FROM projection WHERE server = ? AND tool = ? RETURNING 1"
            return bool(self._db.rows(sql, key))
