"""The memories of an index as nodes of a map: when each of them was in force."""

from recollect.graph.graph_map import MapNode
from recollect.ids import UnifiedId
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.filters import SUPERSEDING
from recollect.storage.postgres.text_values import restored

_NODES = """
SELECT DISTINCT ON (id) id, title, category, status, coalesce(valid_from, created_at), valid_to, gone_at,
    ended_at
FROM document WHERE project = %s ORDER BY id, priority
"""
_SUPERSEDED = f"""
SELECT edge.target, min(coalesce(newer.valid_from, newer.created_at)) FROM {SUPERSEDING}
AND edge.project = %s GROUP BY edge.target
"""


def map_nodes(project: ProjectDatabase) -> list[MapNode]:
    """Every memory, by id. Agrees with the filter `as_of` at every moment."""
    with project.reading() as connection:
        superseded = dict(connection.execute(_SUPERSEDED, (project.key,)).fetchall())
        rows = connection.execute(_NODES, (project.key,)).fetchall()
    nodes = []
    for id, title, category, status, begins, *ends in rows:
        known = [end for end in (*ends, superseded.get(id)) if end]
        nodes.append(
            MapNode(UnifiedId(id), restored(title), category, status, begins, min(known, default=None))
        )
    return nodes
