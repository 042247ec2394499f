"""What agents read out of large results, and which fields previews show: the adapter of `Projections`."""

import json
from collections.abc import Sequence

from recollect.gateway import retention
from recollect.gateway.vault.projection import FieldReads, Projection
from recollect.gateway.weights import PROJECTION_RESULTS
from recollect.storage.postgres.member_rows import OWNED, MemberRows

_TOOL = f"{OWNED} AND server = %(server)s AND tool = %(tool)s"
_ADD_READ = """
INSERT INTO field_read (project, member, server, tool, field, result, number)
VALUES (%(project)s, %(member)s, %(server)s, %(tool)s, %(field)s, %(result)s, %(number)s)
ON CONFLICT DO NOTHING
"""
_MAKE_ROOM = f"""
DELETE FROM field_read WHERE {_TOOL} AND number <= (
    SELECT number FROM field_read WHERE {_TOOL} ORDER BY number DESC LIMIT 1 OFFSET %(most)s)
"""
_ACCEPT = """
INSERT INTO projection (project, member, server, tool, fields, accepted_at)
VALUES (%(project)s, %(member)s, %(server)s, %(tool)s, %(fields)s, %(at)s)
ON CONFLICT (project, member, server, tool)
    DO UPDATE SET fields = excluded.fields, accepted_at = excluded.accepted_at
"""


class PostgresProjections:
    """Projections of one member."""

    def __init__(self, rows: MemberRows) -> None:
        self._rows = rows

    def read(self, server: str, tool: str, field: str, result: str) -> None:
        place = {"server": server, "tool": tool}
        with self._rows.transaction(of_a_call=True):
            [(known,)] = self._rows.read(
                f"SELECT count(*) FROM field_read WHERE {_TOOL} AND field = %(field)s",
                **place,
                field=field,
            )
            if known >= PROJECTION_RESULTS:
                return  # read often enough
            number = self._rows.next_number("field_read")
            self._rows.write(_ADD_READ, **place, field=field, result=result, number=number)
            self._rows.write(_MAKE_ROOM, **place, most=retention.MAX_READS)

    def reads(self) -> Sequence[FieldReads]:
        rows = self._rows.read(
            f"SELECT server, tool, field, count(*) FROM field_read WHERE {OWNED}"
            " GROUP BY server, tool, field ORDER BY server, tool, field"
        )
        return [FieldReads(*row) for row in rows]

    def accepted(self) -> Sequence[Projection]:
        sql = f"SELECT server, tool, fields FROM projection WHERE {OWNED} ORDER BY server, tool"
        rows = self._rows.read(sql)
        return [Projection(server, tool, tuple(json.loads(fields))) for server, tool, fields in rows]

    def fields(self, server: str, tool: str) -> tuple[str, ...]:
        rows = self._rows.read(f"SELECT fields FROM projection WHERE {_TOOL}", server=server, tool=tool)
        return tuple(json.loads(rows[0][0])) if rows else ()

    def accept(self, projection: Projection, at: str) -> None:
        with self._rows.transaction():
            self._rows.write(
                _ACCEPT,
                server=projection.server,
                tool=projection.tool,
                fields=json.dumps(projection.fields),
                at=at,
            )

    def remove(self, server: str, tool: str) -> bool:
        place = {"server": server, "tool": tool}
        with self._rows.transaction():
            self._rows.write(f"DELETE FROM field_read WHERE {_TOOL}", **place)
            sql = f"DELETE FROM projection WHERE {_TOOL} RETURNING 1"
            return bool(self._rows.write(sql, **place))
