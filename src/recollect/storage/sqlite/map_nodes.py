"""The memories of an index as nodes of a map: when each of them was in force."""

import sqlite3

from recollect.graph.graph_map import MapNode
from recollect.ids import UnifiedId
from recollect.storage.sqlite.schema import SUPERSEDING

_NODES = """
SELECT id, title, category, status, coalesce(valid_from, created_at), valid_to, gone_at, ended_at,
    min(priority)
FROM document GROUP BY id ORDER BY id
"""
_SUPERSEDED = f"""
SELECT edge.target, min(coalesce(newer.valid_from, newer.created_at)) FROM {SUPERSEDING} GROUP BY edge.target
"""


def map_nodes(connection: sqlite3.Connection) -> list[MapNode]:
    """Every memory, by id. Agrees with the filter `as_of` at every moment."""
    superseded: dict[str, str] = dict(connection.execute(_SUPERSEDED).fetchall())
    nodes = []
    for id, title, category, status, begins, *ends, _ in connection.execute(_NODES):
        known = [end for end in (*ends, superseded.get(id)) if end]
        nodes.append(MapNode(UnifiedId(id), title, category, status, begins, min(known, default=None)))
    return nodes
