"""The accepted version of every tool of a member: the PostgreSQL adapter of `Pins`."""

import json
from collections.abc import Mapping, Sequence

from recollect.gateway.entry import content_of, digest_of, tool_of
from recollect.gateway.pins import Pin
from recollect.gateway.tool import UpstreamTool
from recollect.storage.postgres.member_rows import OWNED, MemberRows
from recollect.storage.postgres.project_rows import Row

_COLUMNS = "server, tool, content, accepted_at, accepted_by, rejected, origin"
_ADOPT = f"""
INSERT INTO pin (project, member, {_COLUMNS})
SELECT project, member, %(server)s, tool, content, accepted_at, accepted_by, rejected, origin FROM pin
WHERE {OWNED} AND server = (
    SELECT server FROM pin WHERE {OWNED} AND origin = %(origin)s AND server <> %(server)s
    ORDER BY accepted_at DESC, server LIMIT 1
) AND NOT EXISTS (SELECT 1 FROM pin WHERE {OWNED} AND server = %(server)s)
"""
_ADD = f"""
INSERT INTO pin (project, member, {_COLUMNS})
VALUES (%(project)s, %(member)s, %(server)s, %(tool)s, %(content)s, %(at)s, %(by)s, '', %(origin)s)
"""
_ACCEPT = f"""{_ADD}
ON CONFLICT (project, member, server, tool) DO UPDATE SET content = excluded.content,
    accepted_at = excluded.accepted_at, accepted_by = excluded.accepted_by, rejected = ''
"""
_PINS = f"SELECT server, content, accepted_at, accepted_by, rejected FROM pin WHERE {OWNED}"


class PostgresPins:
    """The pins of one member."""

    def __init__(self, rows: MemberRows) -> None:
        self._rows = rows

    def all(self) -> Mapping[str, Pin]:
        return {pin.tool.id: pin for pin in map(_pin, self._rows.read(_PINS))}

    def get(self, server: str, name: str) -> Pin | None:
        sql = f"{_PINS} AND server = %(server)s AND tool = %(tool)s"
        rows = self._rows.read(sql, server=server, tool=name)
        return _pin(rows[0]) if rows else None

    def newest(self) -> str:
        [(newest,)] = self._rows.read(f"SELECT coalesce(max(accepted_at), '') FROM pin WHERE {OWNED}")
        return str(newest)

    def first_use(self, server: str, tools: Sequence[UpstreamTool], origin: str, at: str) -> None:
        with self._rows.transaction():
            self._rows.write(_ADOPT, server=server, origin=origin)
            values = ({**_values(tool), "at": at, "by": "", "origin": origin} for tool in tools)
            self._rows.write_many(
                f"{_ADD} ON CONFLICT DO NOTHING", ({**each, "server": server} for each in values)
            )
            self._rows.write(
                f"UPDATE pin SET origin = %(origin)s WHERE {OWNED} AND server = %(server)s",
                origin=origin,
                server=server,
            )

    def accept(self, tool: UpstreamTool, at: str, by: str) -> None:
        with self._rows.transaction():
            self._rows.write(_ACCEPT, **_values(tool), at=at, by=by, origin="")

    def reject(self, tool: UpstreamTool) -> None:
        with self._rows.transaction():
            self._rows.write(
                f"UPDATE pin SET rejected = %(digest)s"
                f" WHERE {OWNED} AND server = %(server)s AND tool = %(tool)s",
                digest=digest_of(tool),
                server=tool.server,
                tool=tool.name,
            )


def _pin(row: Row) -> Pin:
    server, content, accepted_at, accepted_by, rejected = row
    return Pin(tool_of(server, json.loads(content)), accepted_at, accepted_by, rejected)


def _values(tool: UpstreamTool) -> dict[str, object]:
    return {"server": tool.server, "tool": tool.name, "content": json.dumps(content_of(tool))}
