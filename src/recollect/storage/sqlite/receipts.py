"""Receipts in `gateway.db`: one row for each day and tool, and one for each of its latency buckets."""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.gateway import retention
from recollect.gateway.receipts import OUTCOMES, Receipt, ToolUse, bucket_of
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.gateway_database import GatewayDatabase

_FIRST_SUMS = (*OUTCOMES, "argument_tokens", "result_tokens", "reply_tokens", "read_tokens")
_SUMS = (*_FIRST_SUMS, "projection_saved_tokens")


def receipt_tables(db: sqlite3.Connection) -> None:
    """Add receipts."""
    sums = ", ".join(f"{name} INTEGER NOT NULL DEFAULT 0" for name in _FIRST_SUMS)
    db.execute(
        f"CREATE TABLE receipt (day TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, {sums},"
        " PRIMARY KEY (day, server, tool)) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE latency (day TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,"
        " bucket INTEGER NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (day, server, tool, bucket))"
        " WITHOUT ROWID"
    )


def projection_savings(db: sqlite3.Connection) -> None:
    """Add what projections saved."""
    db.execute("ALTER TABLE receipt ADD COLUMN projection_saved_tokens INTEGER NOT NULL DEFAULT 0")


class SqliteReceipts:
    """Receipts in a database. Fills the `Receipts` port."""

    def __init__(self, db: "GatewayDatabase") -> None:
        self._db = db

    def record(self, receipt: Receipt, day: str) -> None:
        projection = receipt.saved_tokens if receipt.is_projected else 0
        tokens = (receipt.argument_tokens, receipt.result_tokens, receipt.reply_tokens, 0, projection)
        counts = [int(receipt.outcome == outcome) for outcome in OUTCOMES]
        self._add(
            receipt.server, receipt.tool, day, [*counts, *tokens], bucket_of(receipt.milliseconds)
        )

    def record_read(self, server: str, tool: str, tokens: int, day: str) -> None:
        self._add(server, tool, day, [tokens if name == "read_tokens" else 0 for name in _SUMS])

    def _add(
        self, server: str, tool: str, day: str, sums: Sequence[int], bucket: int | None = None
    ) -> None:
        key = (day, storable(server), storable(tool))
        marks = ", ".join("?" * (3 + len(_SUMS)))
        added = ", ".join(f"{name} = {name} + excluded.{name}" for name in _SUMS)
        with self._db.transaction(of_a_call=True):
            is_new_day = not self._db.rows("SELECT 1 FROM receipt WHERE day = ? LIMIT 1", (day,))
            self._db.rows(
                f"INSERT INTO receipt VALUES ({marks}) ON CONFLICT DO UPDATE SET {added}", (*key, *sums)
            )
            if bucket is not None:
                self._db.rows(
                    "INSERT INTO latency VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET calls = calls + 1",
                    (*key, bucket),
                )
            if is_new_day:
                self._drop_old_days()

    def _drop_old_days(self) -> None:
        days = self._db.rows(
            "SELECT DISTINCT day FROM receipt ORDER BY day DESC LIMIT 1 OFFSET ?", (retention.MAX_DAYS,)
        )
        for table in ("receipt", "latency") if days else ():
            self._db.rows(f"DELETE FROM {table} WHERE day <= ?", days[0])

    def uses(self, since: str = "") -> Sequence[ToolUse]:
        buckets: dict[tuple[str, str], dict[int, int]] = {}
        for server, tool, bucket, calls in self._db.rows(
            "SELECT server, tool, bucket, sum(calls) FROM latency WHERE day >= ? GROUP BY 1, 2, 3",
            (since,),
        ):
            buckets.setdefault((server, tool), {})[bucket] = calls
        sums = ", ".join(f"sum({name})" for name in _SUMS)
        rows = self._db.rows(
            f"SELECT server, tool, max(day), {sums} FROM receipt WHERE day >= ?"
            " GROUP BY server, tool ORDER BY server, tool",
            (since,),
        )
        return [_use(row, buckets.get((row[0], row[1]), {})) for row in rows]


def _use(row: tuple[Any, ...], latencies: dict[int, int]) -> ToolUse:
    server, tool, day, *sums = row
    outcomes = dict(zip(OUTCOMES, sums[: len(OUTCOMES)], strict=True))
    tokens = dict(zip(_SUMS[len(OUTCOMES) :], sums[len(OUTCOMES) :], strict=True))
    return ToolUse(server, tool, outcomes, **tokens, latencies=latencies, last_day=day)
