"""What a member's calls cost, by day and tool: the PostgreSQL adapter of `Receipts`."""

from collections.abc import Sequence

from recollect.gateway import retention
from recollect.gateway.receipts import OUTCOMES, Receipt, ToolUse, bucket_of
from recollect.storage.postgres.member_rows import OWNED, MemberRows
from recollect.storage.postgres.project_rows import Row

_TOKENS = (
    "argument_tokens",
    "result_tokens",
    "reply_tokens",
    "read_tokens",
    "projection_saved_tokens",
)
_SUMS = (*OUTCOMES, *_TOKENS)
_ADD = f"""
INSERT INTO receipt (project, member, day, server, tool, {", ".join(_SUMS)})
VALUES (%(project)s, %(member)s, %(day)s, %(server)s, %(tool)s, {", ".join(f"%({n})s" for n in _SUMS)})
ON CONFLICT (project, member, day, server, tool)
    DO UPDATE SET {", ".join(f"{name} = receipt.{name} + excluded.{name}" for name in _SUMS)}
"""
_ADD_LATENCY = """
INSERT INTO latency (project, member, day, server, tool, bucket, calls)
VALUES (%(project)s, %(member)s, %(day)s, %(server)s, %(tool)s, %(bucket)s, 1)
ON CONFLICT (project, member, day, server, tool, bucket) DO UPDATE SET calls = latency.calls + 1
"""
_OLD_DAY = f"SELECT DISTINCT day FROM receipt WHERE {OWNED} ORDER BY day DESC LIMIT 1 OFFSET %(most)s"
_USES = f"""
SELECT server, tool, max(day), {", ".join(f"sum({name})::bigint" for name in _SUMS)} FROM receipt
WHERE {OWNED} AND day >= %(since)s GROUP BY server, tool ORDER BY server, tool
"""
_LATENCIES = f"""
SELECT server, tool, bucket, sum(calls)::bigint FROM latency
WHERE {OWNED} AND day >= %(since)s GROUP BY server, tool, bucket
"""


class PostgresReceipts:
    """One row for each day and tool, and one for each of its latency buckets."""

    def __init__(self, rows: MemberRows) -> None:
        self._rows = rows

    def record(self, receipt: Receipt, day: str) -> None:
        sums = {outcome: int(receipt.outcome == outcome) for outcome in OUTCOMES} | {
            "argument_tokens": receipt.argument_tokens,
            "result_tokens": receipt.result_tokens,
            "reply_tokens": receipt.reply_tokens,
            "read_tokens": 0,
            "projection_saved_tokens": receipt.saved_tokens if receipt.is_projected else 0,
        }
        place = {"day": day, "server": receipt.server, "tool": receipt.tool}
        with self._rows.transaction(of_a_call=True):
            self._add(place, sums)
            self._rows.write(_ADD_LATENCY, **place, bucket=bucket_of(receipt.milliseconds))

    def record_read(self, server: str, tool: str, tokens: int, day: str) -> None:
        with self._rows.transaction(of_a_call=True):
            place = {"day": day, "server": server, "tool": tool}
            self._add(place, dict.fromkeys(_SUMS, 0) | {"read_tokens": tokens})

    def _add(self, place: dict[str, str], sums: dict[str, int]) -> None:
        sql = f"SELECT 1 FROM receipt WHERE {OWNED} AND day = %(day)s LIMIT 1"
        is_new_day = not self._rows.read(sql, day=place["day"])
        self._rows.write(_ADD, **place, **sums)
        if is_new_day:
            self._drop_old_days()

    def _drop_old_days(self) -> None:
        days = self._rows.read(_OLD_DAY, most=retention.MAX_DAYS)
        for table in ("receipt", "latency") if days else ():
            self._rows.write(f"DELETE FROM {table} WHERE {OWNED} AND day <= %(day)s", day=days[0][0])

    def uses(self, since: str = "") -> Sequence[ToolUse]:
        buckets: dict[tuple[str, str], dict[int, int]] = {}
        for server, tool, bucket, calls in self._rows.read(_LATENCIES, since=since):
            buckets.setdefault((server, tool), {})[bucket] = calls
        rows = self._rows.read(_USES, since=since)
        return [_use(row, buckets.get((row[0], row[1]), {})) for row in rows]


def _use(row: Row, latencies: dict[int, int]) -> ToolUse:
    server, tool, day, *sums = row
    outcomes = dict(zip(OUTCOMES, sums[: len(OUTCOMES)], strict=True))
    tokens = dict(zip(_TOKENS, sums[len(OUTCOMES) :], strict=True))
    return ToolUse(server, tool, outcomes, **tokens, latencies=latencies, last_day=day)
