"""The calls of sessions in their order: the PostgreSQL adapter of `SequenceStore`."""

from collections.abc import Sequence

from recollect.learning import retention
from recollect.storage.postgres.project_rows import ProjectRows

_ADD = """
INSERT INTO tool_call (project, number, session, tool)
VALUES (%(project)s, %(number)s, %(session)s, %(tool)s)
"""
_LATEST = """
WITH newest AS (
    SELECT number, session, tool FROM tool_call WHERE project = %(project)s
    ORDER BY number DESC LIMIT %(calls)s
)
SELECT session, tool FROM newest WHERE session IN (
    SELECT session FROM newest GROUP BY session ORDER BY max(number) DESC LIMIT %(sessions)s)
ORDER BY number
"""


class PostgresSequences:
    """Adds calls, and reads the newest."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def add(self, calls: Sequence[tuple[str, str]]) -> None:
        with self._rows.transaction("tool_calls"):
            last = self._rows.next_number("tool_call", len(calls))
            self._rows.write_many(
                _ADD,
                [
                    {"number": number, "session": session, "tool": tool}
                    for number, (session, tool) in enumerate(calls, last - len(calls) + 1)
                ],
            )
            self._rows.write(
                "DELETE FROM tool_call WHERE project = %(project)s AND number <= %(number)s",
                number=last - retention.MAX_CALLS,
            )

    def latest(self, sessions: int, calls: int) -> Sequence[Sequence[str]]:
        sequences: dict[str, list[str]] = {}
        for session, tool in self._rows.read(_LATEST, sessions=sessions, calls=calls):
            sequences.setdefault(session, []).append(tool)
        return list(sequences.values())
