"""The causal graph in the index. Fills the `Edges` port with recursive SQL."""

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from recollect.graph.causal import FAN, Edge, GraphNode
from recollect.ids import UnifiedId
from recollect.records.record import LinkType
from recollect.storage.sqlite.schema import IN_FORCE, in_force_values, storable

MOST_WALKED = 500  # memories whose links are read in one walk
_STEPS = 10_000  # of SQLite's virtual machine between two checks of the clock: some 0.1 ms
_TYPES = {type.value: type for type in LinkType}
_WAYS = (("source", "target"), ("target", "source"))

# A memory of the project hides one of the user's that has the same id.
_HIDDEN = (
    "EXISTS (SELECT 1 FROM document WHERE document.id = edge.source"
    " AND document.priority < edge.priority)"
)


def _some(end: str, other: str) -> str:
    """The first links at `walk.id` of any type: one index lookup."""
    return f"SELECT rowid FROM edge WHERE {end} = walk.id ORDER BY type, {other} LIMIT :most_links"


def _fair(end: str, other: str) -> str:
    """The first links of each type at `walk.id`: one index lookup per type."""
    return " UNION ALL ".join(
        f"SELECT rowid FROM (SELECT rowid FROM edge WHERE {end} = walk.id AND type = '{type}'"
        f" ORDER BY {other} LIMIT :fan)"
        for type in _TYPES
    )


def _around(at: dict[str, str]) -> str:
    steps = " UNION ".join(
        f"SELECT edge.{other}, walk.hops + 1 FROM walk CROSS JOIN edge ON edge.rowid IN ({at[end]})"
        " WHERE walk.hops < :hops - 1"
        for end, other in _WAYS
    )
    links = " UNION ALL ".join(
        f"SELECT '{end}' way, walk.id, walk.hops, edge.source, edge.type, edge.target, edge.evidence"
        f" FROM walk CROSS JOIN edge ON edge.rowid IN ({at[end]}) WHERE NOT {_HIDDEN}"
        for end, _ in _WAYS
    )
    return f"""
        WITH RECURSIVE walk (id, hops) AS (
            SELECT value, 0 FROM json_each(:ids) UNION {steps} LIMIT :most
        )
        {links} ORDER BY hops, source, type, target
    """


_QUICK = _around({end: _some(end, other) for end, other in _WAYS})
_THOROUGH = _around({end: _fair(end, other) for end, other in _WAYS})
_ALL = f"""
SELECT source, type, target, evidence FROM edge
WHERE NOT {_HIDDEN} ORDER BY source, type, target
"""


class SqliteEdges:
    """The links in an open index. Not for two threads at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def limited(self, seconds: float) -> "_TimeLimit":
        """Let statements inside this context take so long in all; raises TimeoutError after that."""
        return _TimeLimit(self.connection, seconds)

    def around(self, ids: Sequence[UnifiedId], hops: int, *, fan: int = FAN) -> Sequence[Edge]:
        if hops < 1:
            return []
        most_links = fan * len(_TYPES)
        values = {
            "ids": _json(ids),
            "hops": hops,
            "fan": fan,
            "most": MOST_WALKED,
            "most_links": most_links,
        }
        rows = self.connection.execute(_QUICK, values).fetchall()
        busiest = max(Counter([row[:2] for row in rows]).values(), default=0)
        if busiest >= most_links:  # a hub: query per type, so that none is crowded out
            rows = self.connection.execute(_THOROUGH, values).fetchall()
        return _edges({row[3:6]: row[3:] for row in rows}.values())  # a walk meets a link twice

    def all(self) -> Sequence[Edge]:
        return _edges(self.connection.execute(_ALL))

    def nodes(self, now: str) -> Sequence[GraphNode]:
        sql = (
            f"SELECT id, title, category, status, {IN_FORCE}, min(priority) FROM document"
            " GROUP BY id ORDER BY id"
        )
        return [
            GraphNode(UnifiedId(id), title, category, status, bool(valid))
            for id, title, category, status, valid, _ in self.connection.execute(
                sql, in_force_values(now)
            )
        ]

    def active(self, ids: Collection[UnifiedId]) -> frozenset[UnifiedId]:
        sql = (
            "SELECT id, status, min(priority) FROM document"
            " WHERE id IN (SELECT value FROM json_each(?)) GROUP BY id"
        )
        rows = self.connection.execute(sql, (_json(ids),))
        return frozenset(UnifiedId(id) for id, status, _ in rows if status == "active")


class _TimeLimit:
    """A limit on all statements of a connection; the one running then is interrupted.

    Raises TimeoutError instead of SQLite's own error. Interrupting a read harms nothing.
    """

    def __init__(self, connection: sqlite3.Connection, seconds: float) -> None:
        self._connection = connection
        self._seconds = seconds

    def __enter__(self) -> None:
        until = time.monotonic() + self._seconds
        self._connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        self._connection.set_progress_handler(None, 0)
        code = getattr(error, "sqlite_errorcode", 0)
        if isinstance(error, sqlite3.OperationalError) and code == sqlite3.SQLITE_INTERRUPT:
            raise TimeoutError from None


def _json(ids: Iterable[UnifiedId]) -> str:
    return json.dumps([storable(id) for id in ids])


def _edges(rows: Iterable[tuple[str, str, str, str]]) -> list[Edge]:
    return [
        Edge(UnifiedId(source), _TYPES[type], UnifiedId(target), evidence or None)
        for source, type, target, evidence in rows
    ]
