"""What calls that ran ahead saved and wasted, by day and tool: the PostgreSQL adapter of `Speculations`."""

from collections.abc import Sequence
from dataclasses import asdict

from recollect.gateway import retention
from recollect.gateway.speculation_use import SpeculationUse
from recollect.storage.postgres.member_rows import OWNED, MemberRows

_COUNTS = ("predicted", "started", "succeeded", "hits")
_MEASURES = ("saved_ms", "wasted_ms", "dollars", "wasted_dollars")
_SUMS = (*_COUNTS, *_MEASURES)
_ADD = f"""
INSERT INTO speculation (project, member, day, server, tool, {", ".join(_SUMS)})
VALUES (%(project)s, %(member)s, %(day)s, %(server)s, %(tool)s, {", ".join(f"%({n})s" for n in _SUMS)})
ON CONFLICT (project, member, day, server, tool)
    DO UPDATE SET {", ".join(f"{name} = speculation.{name} + excluded.{name}" for name in _SUMS)}
"""
_OLD_DAY = (
    f"SELECT DISTINCT day FROM speculation WHERE {OWNED} ORDER BY day DESC LIMIT 1 OFFSET %(most)s"
)
_USES = f"""
SELECT server, tool, {", ".join(f"sum({name})::bigint" for name in _COUNTS)},
    {", ".join(f"sum({name})" for name in _MEASURES)} FROM speculation
WHERE {OWNED} AND day >= %(since)s GROUP BY server, tool ORDER BY server, tool
"""


class PostgresSpeculations:
    """One row for each day and tool."""

    def __init__(self, rows: MemberRows) -> None:
        self._rows = rows

    def record(self, use: SpeculationUse, day: str) -> None:
        with self._rows.transaction(of_a_call=True):
            sql = f"SELECT 1 FROM speculation WHERE {OWNED} AND day = %(day)s LIMIT 1"
            is_new_day = not self._rows.read(sql, day=day)
            self._rows.write(_ADD, day=day, **asdict(use))
            if is_new_day:
                self._drop_old_days()

    def _drop_old_days(self) -> None:
        days = self._rows.read(_OLD_DAY, most=retention.MAX_DAYS)
        if days:
            sql = f"DELETE FROM speculation WHERE {OWNED} AND day <= %(day)s"
            self._rows.write(sql, day=days[0][0])

    def uses(self, since: str = "") -> Sequence[SpeculationUse]:
        return [SpeculationUse(*row) for row in self._rows.read(_USES, since=since)]
