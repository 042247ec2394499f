"""The causal graph in the index. Fills the `Edges` port with one statement per hop."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import local
from typing import Any

from psycopg import errors as sqlstates

from recollect.graph.causal import FAN, Edge, GraphNode
from recollect.ids import UnifiedId
from recollect.records.record import LinkType
from recollect.storage.postgres.database import Connection, ProjectDatabase
from recollect.storage.postgres.filters import IN_FORCE, in_force_values
from recollect.storage.postgres.text_values import restored, storable

MOST_WALKED = 500  # memories whose links are read in one walk
_TYPES = {type.value: type for type in LinkType}
# A memory of the project hides one of the user's that has the same id.
_SHOWN = (
    "NOT EXISTS (SELECT 1 FROM document WHERE document.project = edge.project AND document.id = edge.source"
    " AND document.priority < edge.priority)"
)
# The first links of each type and direction at some ids, so that a hub crowds none out.
_AT = f"""
SELECT asked.id, edge.source, edge.type, edge.target, edge.evidence, edge.is_shown
FROM unnest(%(ids)s::text[]) AS asked (id) CROSS JOIN unnest(%(types)s::text[]) AS kind (type)
CROSS JOIN LATERAL (
    (SELECT source, type, target, evidence, {_SHOWN} AS is_shown FROM edge
     WHERE project = %(project)s AND source = asked.id AND edge.type = kind.type
     ORDER BY target LIMIT %(fan)s)
    UNION ALL
    (SELECT source, type, target, evidence, {_SHOWN} AS is_shown FROM edge
     WHERE project = %(project)s AND target = asked.id AND edge.type = kind.type
     ORDER BY source LIMIT %(fan)s)
) AS edge
"""
_ALL = f"""
SELECT source, type, target, evidence FROM edge WHERE project = %s AND {_SHOWN} ORDER BY source, type, target
"""


class PostgresEdges:
    """The links of one project. Threads may share it."""

    def __init__(self, project: ProjectDatabase) -> None:
        self._project = project
        self._limit = local()

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """Let statements inside this context take so long in all; raises TimeoutError after that."""
        self._limit.until = time.monotonic() + seconds
        try:
            yield
        finally:
            self._limit.until = None

    def _rows(self, sql: str, values: Any) -> list[Any]:
        until: float | None = getattr(self._limit, "until", None)
        with self._project.reading() as connection:
            if until is None:
                return connection.execute(sql, values).fetchall()
            return _within(connection, until, sql, values)

    def around(self, ids: Sequence[UnifiedId], hops: int, *, fan: int = FAN) -> Sequence[Edge]:
        ring, seen = [storable(id) for id in dict.fromkeys(ids)], set(map(storable, ids))
        nearest: dict[tuple[str, str, str], tuple[int, tuple[str, str, str, str]]] = {}
        for hop in range(hops):
            if not ring:
                break
            values = {"project": self._project.key, "ids": ring, "types": list(_TYPES), "fan": fan}
            ends: set[str] = set()
            for _, source, type, target, evidence, is_shown in self._rows(_AT, values):
                if is_shown:
                    link = source, type, target
                    nearest.setdefault(link, (hop, (source, type, target, evidence)))
                ends |= {source, target}
            ring = sorted(ends - seen)[: MOST_WALKED - len(seen)]
            seen |= set(ring)
        return _edges(row for _, row in sorted(nearest.values()))

    def all(self) -> Sequence[Edge]:
        return _edges(self._rows(_ALL, (self._project.key,)))

    def nodes(self, now: str) -> Sequence[GraphNode]:
        sql = (
            f"SELECT DISTINCT ON (id) id, title, category, status, {IN_FORCE} FROM document"
            " WHERE project = %s ORDER BY id, priority"
        )
        rows = self._rows(sql, (*in_force_values(now), self._project.key))
        return [
            GraphNode(UnifiedId(id), restored(title), category, status, valid)
            for id, title, category, status, valid in rows
        ]

    def active(self, ids: Collection[UnifiedId]) -> frozenset[UnifiedId]:
        sql = (
            "SELECT DISTINCT ON (id) id, status FROM document WHERE project = %s AND id = ANY (%s)"
            " ORDER BY id, priority"
        )
        rows = self._rows(sql, (self._project.key, [storable(id) for id in ids]))
        return frozenset(UnifiedId(id) for id, status in rows if status == "active")


def _within(connection: Connection, until: float, sql: str, values: Any) -> list[Any]:
    """The rows of a statement. Raises TimeoutError at that moment; the transaction around it goes on."""
    milliseconds = int((until - time.monotonic()) * 1000)
    if milliseconds < 1:
        raise TimeoutError
    try:
        with connection.transaction(force_rollback=True):  # which also takes the setting back
            connection.execute(
                "SELECT set_config('statement_timeout', %s, true)", (f"{milliseconds}ms",)
            )
            return connection.execute(sql, values).fetchall()
    except sqlstates.QueryCanceled:
        raise TimeoutError from None


def _edges(rows: Iterable[tuple[str, str, str, str]]) -> list[Edge]:
    return [
        Edge(
            UnifiedId(restored(source)),
            _TYPES[type],
            UnifiedId(restored(target)),
            restored(evidence) or None,
        )
        for source, type, target, evidence in rows
    ]
