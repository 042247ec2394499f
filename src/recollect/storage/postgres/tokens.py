"""The API tokens of a project in PostgreSQL: hashes, never the tokens themselves."""

from collections.abc import Sequence
from typing import Any

from recollect.clock import to_text
from recollect.errors import NotFoundError
from recollect.storage.postgres.database import ProjectDatabase
from recollect.team.roles import MemberRole
from recollect.team.tokens import Token

_COLUMNS = (
    "t.project, t.id, t.digest, t.member, t.kind, t.role, t.label, t.created_at, t.expires_at, "
    "t.revoked_at, t.last_used_at"
)


class PostgresTokens:
    """`recollect.team.ports.Tokens`."""

    def __init__(self, database: ProjectDatabase) -> None:
        self._database, self._project = database, database.key

    def all(self) -> Sequence[Token]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM api_token t WHERE t.project = %s ORDER BY t.created_at, t.id",
                (self._project,),
            )
            return [_token(row) for row in rows]

    def get(self, id: str) -> Token | None:
        holder = self.holder(id)
        return holder[0] if holder else None

    def holder(self, id: str) -> tuple[Token, MemberRole | None] | None:
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS}, m.role FROM api_token t LEFT JOIN member m "
                "ON m.project = t.project AND m.name = t.member AND m.removed_at IS NULL "
                "WHERE t.project = %s AND t.id = %s",
                (self._project, id),
            ).fetchone()
        if row is None:
            return None
        return _token(row), MemberRole(row[11]) if row[11] else None

    def add(self, token: Token) -> None:
        with self._database.writing() as connection:
            added = connection.execute(
                "INSERT INTO api_token "
                "(project, id, digest, member, kind, role, label, created_at, expires_at) "
                "SELECT %s, %s, %s, name, %s, %s, %s, %s, %s FROM member "
                "WHERE project = %s AND name = %s AND removed_at IS NULL",
                (
                    *(self._project, token.id, token.digest, token.kind, token.role.value, token.label),
                    *(token.created_at, token.expires_at or None, self._project, token.member),
                ),
            ).rowcount
        if not added:
            raise NotFoundError(
                f"{token.member!r} is not a member here; `recollect team member add` adds them."
            )

    def revoke(self, id: str, at: str) -> bool:
        with self._database.writing() as connection:
            ended = connection.execute(
                "UPDATE api_token SET revoked_at = %s "
                "WHERE project = %s AND id = %s AND revoked_at IS NULL",
                (at, self._project, id),
            ).rowcount
        if not ended and self.get(id) is None:
            raise NotFoundError(f"there is no token {id!r}; `recollect team token list` shows them.")
        return bool(ended)

    def used(self, id: str, at: str) -> None:
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE api_token SET last_used_at = %s WHERE project = %s AND id = %s",
                (at, self._project, id),
            )


def _token(row: Sequence[Any]) -> Token:
    project, id, digest, member, kind, role, label, *moments = row[:11]
    created, expires, revoked, used = (to_text(moment) if moment else "" for moment in moments)
    return Token(
        project, id, digest, member, kind, MemberRole(role), label, created, expires, revoked, used
    )
