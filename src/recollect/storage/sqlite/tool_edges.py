"""The tool graph in `state.db`: the SQLite adapter of `ToolGraphStore`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.gateway import retention
from recollect.gateway.tool_graph import EdgeOrigin, EdgeType, ToolEdge
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.state import StateConnection


class SqliteToolGraph:
    """Counts edges. Safe for many processes at once."""

    def __init__(self, db: "StateConnection") -> None:
        self._db = db

    def observe(
        self,
        source: str,
        target: str,
        at: str,
        type: EdgeType = "sequence",
        origin: EdgeOrigin = "inferred",
    ) -> None:
        with self._db.transaction():
            self._db.rows(
                "INSERT INTO tool_edge VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " count = count + excluded.count, seen_at = excluded.seen_at,"
                " origin = min(origin, excluded.origin)",  # inferred comes before template
                (storable(source), storable(target), type, origin, origin == "inferred", at),
            )
            self._db.rows(
                "DELETE FROM tool_edge WHERE (source, target, type) IN (SELECT source, target, type"
                " FROM tool_edge ORDER BY seen_at DESC, source, target LIMIT -1 OFFSET ?)",
                (retention.MAX_EDGES,),
            )

    def edges(self) -> Sequence[ToolEdge]:
        rows = self._db.rows(
            "SELECT source, target, count, type, origin FROM tool_edge ORDER BY source, target, type"
        )
        return [ToolEdge(*row) for row in rows]
