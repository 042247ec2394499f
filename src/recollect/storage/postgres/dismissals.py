"""What a person wants to see no more: the PostgreSQL adapter of `Dismissals`."""

from recollect.storage import retention
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.project_rows import ProjectRows

_ADD = """
INSERT INTO dismissal (project, key, number) VALUES (%(project)s, %(key)s, %(number)s)
ON CONFLICT (project, key) DO UPDATE SET number = excluded.number
"""
_MAKE_ROOM = """
DELETE FROM dismissal WHERE project = %(project)s AND number <= (
    SELECT number FROM dismissal WHERE project = %(project)s
    ORDER BY number DESC LIMIT 1 OFFSET %(most)s)
"""


class PostgresDismissals:
    """The dismissals of one project."""

    def __init__(self, database: ProjectDatabase) -> None:
        self._rows = ProjectRows(database)

    def all(self) -> frozenset[str]:
        rows = self._rows.read("SELECT key FROM dismissal WHERE project = %(project)s")
        return frozenset(key for (key,) in rows)

    def add(self, key: str) -> None:
        with self._rows.transaction("dismissals"):
            self._rows.write(_ADD, key=key, number=self._rows.next_number("dismissal"))
            self._rows.write(_MAKE_ROOM, most=retention.MAX_DISMISSALS)

    def remove(self, key: str) -> None:
        sql = "DELETE FROM dismissal WHERE project = %(project)s AND key = %(key)s"
        self._rows.write(sql, key=key)
