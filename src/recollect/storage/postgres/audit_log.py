"""The audit log of a project in PostgreSQL. Triggers refuse every change and deletion."""

from collections.abc import Sequence

from recollect.clock import to_text
from recollect.storage.postgres.database import ProjectDatabase
from recollect.team.audit import AuditEntry
from recollect.team.roles import Permission

_LAST = 2**63 - 1


class PostgresAuditLog:
    """`recollect.team.ports.AuditLog`."""

    def __init__(self, database: ProjectDatabase) -> None:
        self._database, self._project = database, database.key

    def append(self, entry: AuditEntry) -> int:
        with self._database.writing() as connection:
            row = connection.execute(
                "INSERT INTO audit (project, at, member, kind, token, action, target, outcome) "
                "VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING number",
                (
                    *(self._project, entry.at, entry.member, entry.kind, entry.token),
                    *(entry.permission.value, entry.target, entry.outcome),
                ),
            ).fetchone()
        assert row is not None
        return int(row[0])

    def latest(
        self, limit: int, *, before: int | None = None, member: str = ""
    ) -> Sequence[AuditEntry]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT at, member, kind, token, action, target, outcome, number FROM audit "
                "WHERE project = %s AND number < %s AND (%s = '' OR member = %s) "
                "ORDER BY number DESC LIMIT %s",
                (self._project, _LAST if before is None else before, member, member, limit),
            )
            return [
                AuditEntry(
                    to_text(at), member, kind, token, Permission(action), target, outcome, number
                )
                for at, member, kind, token, action, target, outcome, number in rows
            ]
