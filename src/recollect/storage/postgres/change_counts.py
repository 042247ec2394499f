"""Numbers that differ when something of a project has changed, for those who show it live."""

from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.project_rows import ProjectRows

_SESSIONS = """
SELECT count(*), coalesce(sum(events), 0)::bigint, coalesce(sum(tool_event), 0)::bigint,
    (SELECT count(used) FROM injection WHERE project = %(project)s)
FROM session WHERE project = %(project)s
"""
_RUNS = """
SELECT count(*), coalesce(sum(events), 0)::bigint,
    (SELECT count(*) FROM run_command WHERE project = %(project)s)
FROM run WHERE project = %(project)s
"""
_NUMBERS = "SELECT name, last FROM numbering WHERE project = %(project)s"
_WAITING = """
SELECT (SELECT count(*) FROM draft WHERE project = %(project)s),
    (SELECT count(*) FROM dismissal WHERE project = %(project)s)
"""


class ChangeCounts:
    """Counts of one project: cheap to ask for, and never the same after a change."""

    def __init__(self, database: ProjectDatabase) -> None:
        self._rows = ProjectRows(database)

    def sessions(self) -> tuple[int, ...]:
        """Differs after an event of a session, and after the use of a memory."""
        return self._rows.read(_SESSIONS)[0]

    def runs(self) -> tuple[int, ...]:
        """Differs after an event of a run, and when a command is left for one."""
        return self._rows.read(_RUNS)[0]

    def traces(self) -> tuple[int, ...]:
        """Differs after a scoring or a call of a tool."""
        numbers = self._numbers()
        return (numbers.get("trace", 0), numbers.get("tool_call", 0), numbers.get("episode", 0))

    def waiting(self) -> tuple[int, ...]:
        """Differs when something else waits for a person."""
        numbers = self._numbers()
        rest = self._rows.read(_WAITING)[0]
        return (numbers.get("draft", 0), numbers.get("dismissal", 0), *rest)

    def _numbers(self) -> dict[str, int]:
        return {str(name): int(last) for name, last in self._rows.read(_NUMBERS)}
