"""What results of a member's tools look like: the PostgreSQL adapter of `ObservedSchemas`."""

import json

from recollect.gateway.observed_schema import Observed, from_json, merged, to_json
from recollect.storage.postgres.member_rows import OWNED, MemberRows

_GET = f"SELECT content FROM observed_schema WHERE {OWNED} AND server = %(server)s AND tool = %(tool)s"
_PUT = """
INSERT INTO observed_schema (project, member, server, tool, content)
VALUES (%(project)s, %(member)s, %(server)s, %(tool)s, %(content)s)
ON CONFLICT (project, member, server, tool) DO UPDATE SET content = excluded.content
"""


class PostgresObservedSchemas:
    """Loads, merges and saves what was observed."""

    def __init__(self, rows: MemberRows) -> None:
        self._rows = rows

    def get(self, server: str, name: str) -> Observed | None:
        rows = self._rows.read(_GET, server=server, tool=name)
        return from_json(json.loads(rows[0][0])) if rows else None

    def refine(self, server: str, name: str, seen: Observed) -> None:
        stored = self.get(server, name)
        if stored is not None and merged(stored, seen) == stored:
            return
        with self._rows.transaction(of_a_call=True):
            stored = self.get(server, name)
            refined = seen if stored is None else merged(stored, seen)
            self._rows.write(_PUT, server=server, tool=name, content=json.dumps(to_json(refined)))
