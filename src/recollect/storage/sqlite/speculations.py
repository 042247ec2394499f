"""Receipts of speculation in `gateway.db`: one row for each day and tool."""

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from recollect.gateway import retention
from recollect.gateway.speculation_use import SpeculationUse
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.gateway_database import GatewayDatabase

_SUMS = tuple(field.name for field in fields(SpeculationUse))[2:]


def speculation_table(db: sqlite3.Connection) -> None:
    """Add what calls that ran ahead saved and wasted."""
    counts = ("predicted", "started", "succeeded", "hits")
    measures = ("saved_ms", "wasted_ms", "dollars", "wasted_dollars")
    columns = [f"{name} INTEGER NOT NULL" for name in counts]
    columns += [f"{name} REAL NOT NULL" for name in measures]
    db.execute(
        "CREATE TABLE speculation (day TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,"
        f" {', '.join(columns)}, PRIMARY KEY (day, server, tool)) WITHOUT ROWID"
    )


class SqliteSpeculations:
    """Receipts of speculation in a database. Fills the `Speculations` port."""

    def __init__(self, db: "GatewayDatabase") -> None:
        self._db = db

    def record(self, use: SpeculationUse, day: str) -> None:
        added = ", ".join(f"{name} = {name} + excluded.{name}" for name in _SUMS)
        marks = ", ".join("?" * (3 + len(_SUMS)))
        row = (day, storable(use.server), storable(use.tool), *astuple(use)[2:])
        with self._db.transaction(of_a_call=True):
            is_new_day = not self._db.rows("SELECT 1 FROM speculation WHERE day = ? LIMIT 1", (day,))
            self._db.rows(
                f"INSERT INTO speculation VALUES ({marks}) ON CONFLICT DO UPDATE SET {added}", row
            )
            if is_new_day:
                self._drop_old_days()

    def _drop_old_days(self) -> None:
        days = self._db.rows(
            "SELECT DISTINCT day FROM speculation ORDER BY day DESC LIMIT 1 OFFSET ?",
            (retention.MAX_DAYS,),
        )
        if days:
            self._db.rows("DELETE FROM speculation WHERE day <= ?", days[0])

    def uses(self, since: str = "") -> Sequence[SpeculationUse]:
        sums = ", ".join(f"sum({name})" for name in _SUMS)
        rows = self._db.rows(
            f"SELECT server, tool, {sums} FROM speculation WHERE day >= ?"
            " GROUP BY server, tool ORDER BY server, tool",
            (since,),
        )
        return [SpeculationUse(*row) for row in rows]
