"""The tool graph of a project: the PostgreSQL adapter of `ToolGraphStore`."""

from collections.abc import Sequence

from recollect.gateway import retention
from recollect.gateway.tool_graph import EdgeOrigin, EdgeType, ToolEdge
from recollect.storage.postgres.project_rows import ProjectRows

_COUNT = """
INSERT INTO tool_edge (project, source, target, type, origin, count, seen_at)
VALUES (%(project)s, %(source)s, %(target)s, %(type)s, %(origin)s, %(count)s, %(at)s)
ON CONFLICT (project, source, target, type) DO UPDATE SET
    count = tool_edge.count + excluded.count, seen_at = excluded.seen_at,
    origin = LEAST(tool_edge.origin, excluded.origin)  -- inferred comes before template
"""
_MAKE_ROOM = """
DELETE FROM tool_edge WHERE project = %(project)s AND (source, target, type) IN (
    SELECT source, target, type FROM tool_edge WHERE project = %(project)s
    ORDER BY seen_at DESC, source, target OFFSET %(most)s)
"""


class PostgresToolGraph:
    """Counts edges."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def observe(
        self,
        source: str,
        target: str,
        at: str,
        type: EdgeType = "sequence",
        origin: EdgeOrigin = "inferred",
    ) -> None:
        with self._rows.transaction("tool_graph"):
            self._rows.write(
                _COUNT,
                source=source,
                target=target,
                type=type,
                origin=origin,
                count=int(origin == "inferred"),
                at=at,
            )
            self._rows.write(_MAKE_ROOM, most=retention.MAX_EDGES)

    def edges(self) -> Sequence[ToolEdge]:
        rows = self._rows.read(
            "SELECT source, target, count, type, origin FROM tool_edge WHERE project = %(project)s"
            " ORDER BY source, target, type"
        )
        return [ToolEdge(*row) for row in rows]
