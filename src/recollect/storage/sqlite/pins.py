"""Pins in `gateway.db`: the accepted version of every tool."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.gateway.entry import content_of, digest_of, tool_of
from recollect.gateway.pins import Pin
from recollect.gateway.tool import UpstreamTool
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.gateway_database import GatewayDatabase

_ADOPT = """
INSERT INTO pin (server, tool, content, accepted_at, accepted_by, rejected, origin)
SELECT :server, tool, content, accepted_at, accepted_by, rejected, origin FROM pin
WHERE server = (
    SELECT server FROM pin WHERE origin = :origin AND server <> :server
    ORDER BY accepted_at DESC, server LIMIT 1
) AND NOT EXISTS (SELECT 1 FROM pin WHERE server = :server)
"""
_PINS = "SELECT server, content, accepted_at, accepted_by, rejected FROM pin"


class SqlitePins:
    """The pins in a database. Fills the `Pins` port."""

    def __init__(self, db: "GatewayDatabase") -> None:
        self._db = db

    def all(self) -> Mapping[str, Pin]:
        return {pin.tool.id: pin for pin in map(_pin, self._db.rows(_PINS))}

    def get(self, server: str, name: str) -> Pin | None:
        rows = self._db.rows(f"{_PINS} WHERE server = ? AND tool = ?", (server, storable(name)))
        return _pin(rows[0]) if rows else None

    def newest(self) -> str:
        return str(self._db.rows("SELECT coalesce(max(accepted_at), '') FROM pin")[0][0])

    def first_use(self, server: str, tools: Sequence[UpstreamTool], origin: str, at: str) -> None:
        with self._db.transaction():
            self._db.rows(_ADOPT, {"server": server, "origin": origin})
            self._db.write_many(
                "INSERT OR IGNORE INTO pin VALUES (?, ?, ?, ?, '', '', ?)",
                [(server, storable(tool.name), _content(tool), at, origin) for tool in tools],
            )
            self._db.rows("UPDATE pin SET origin = ? WHERE server = ?", (origin, server))

    def accept(self, tool: UpstreamTool, at: str, by: str) -> None:
        with self._db.transaction():
            self._db.rows(
                "INSERT INTO pin VALUES (?, ?, ?, ?, ?, '', '') ON CONFLICT DO UPDATE SET"
                " content = excluded.content, accepted_at = excluded.accepted_at,"
                " accepted_by = excluded.accepted_by, rejected = ''",
                (tool.server, storable(tool.name), _content(tool), at, storable(by)),
            )

    def reject(self, tool: UpstreamTool) -> None:
        with self._db.transaction():
            self._db.rows(
                "UPDATE pin SET rejected = ? WHERE server = ? AND tool = ?",
                (digest_of(tool), tool.server, storable(tool.name)),
            )


def _pin(row: tuple[str, ...]) -> Pin:
    server, content, accepted_at, accepted_by, rejected = row
    return Pin(tool_of(server, json.loads(content)), accepted_at, accepted_by, rejected)


def _content(tool: UpstreamTool) -> str:
    return json.dumps(content_of(tool))
