"""Approvals given beforehand: the PostgreSQL adapter of `Grants`."""

import json
from collections.abc import Sequence

from recollect.storage.postgres.project_rows import ProjectRows
from recollect.workflow.grants import Grant

_ADD = """
INSERT INTO run_grant (project, id, tool, arguments, uses, expires, granted_by)
VALUES (%(project)s, %(id)s, %(tool)s, %(arguments)s, %(uses)s, %(expires)s, %(by)s)
"""
_OF = """
SELECT id, tool, arguments, uses, expires, granted_by FROM run_grant
WHERE project = %(project)s AND tool = %(tool)s ORDER BY expires, id
"""
_USE = """
UPDATE run_grant SET uses = uses - 1, expires = CASE WHEN uses = 1 THEN %(now)s ELSE expires END
WHERE project = %(project)s AND id = %(id)s AND uses > 0 AND expires > %(now)s RETURNING 1
"""


class PostgresGrants:
    """A row for each grant. A use is one statement, so two at once never take the same."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def add(self, grant: Grant) -> None:
        self._rows.write(
            _ADD,
            id=grant.id,
            tool=grant.tool,
            arguments=json.dumps(dict(grant.arguments)),
            uses=grant.uses,
            expires=grant.expires,
            by=grant.by,
        )

    def of(self, tool: str) -> Sequence[Grant]:
        rows = self._rows.read(_OF, tool=tool)
        return [Grant(id, tool, json.loads(text), *rest) for id, tool, text, *rest in rows]

    def use(self, id: str, now: str) -> bool:
        return bool(self._rows.write(_USE, id=id, now=now))

    def prune(self, before: str) -> int:
        sql = "DELETE FROM run_grant WHERE project = %(project)s AND expires < %(before)s RETURNING 1"
        return len(self._rows.write(sql, before=before))

    def remove(self, id: str) -> bool:
        sql = "DELETE FROM run_grant WHERE project = %(project)s AND id = %(id)s RETURNING 1"
        return bool(self._rows.write(sql, id=id))
