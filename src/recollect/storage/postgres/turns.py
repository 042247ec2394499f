"""The last prompts of sessions without a transcript: the PostgreSQL adapter of `TurnStore`."""

from collections.abc import Collection

from recollect.storage.postgres.project_rows import ProjectRows
from recollect.storage.postgres.sessions import keep_sessions
from recollect.working.redacted import RedactedText

_ADD = """
INSERT INTO turn (project, session, number, text) VALUES (%(project)s, %(session)s, %(number)s, %(text)s)
"""
_DROP = """
DELETE FROM turn WHERE project = %(project)s AND session = %(session)s AND number <= (
    SELECT number FROM turn WHERE project = %(project)s AND session = %(session)s
    ORDER BY number DESC LIMIT 1 OFFSET %(most)s)
"""


class PostgresTurns:
    """Loads and saves prompts."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def turns(self, session: str) -> list[str]:
        sql = "SELECT text FROM turn WHERE project = %(project)s AND session = %(session)s ORDER BY number"
        return [row[0] for row in self._rows.read(sql, session=session)]

    def add(self, session: str, text: RedactedText, most: int) -> None:
        with self._rows.transaction("sessions"):
            number = self._rows.next_number("turn")
            self._rows.write(_ADD, session=session, number=number, text=text.text)
            self._rows.write(_DROP, session=session, most=most)

    def keep_only(self, sessions: Collection[str]) -> None:
        keep_sessions(self._rows, "turn", sessions)
