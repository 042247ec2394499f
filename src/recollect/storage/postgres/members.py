"""The members of a project in PostgreSQL."""

from collections.abc import Sequence

from recollect.clock import to_text
from recollect.errors import NotFoundError, RefusedError
from recollect.storage.postgres.database import Connection, ProjectDatabase
from recollect.team.members import Member
from recollect.team.roles import MemberRole


class PostgresMembers:
    """`recollect.team.ports.Members`. Somebody who left keeps a row that no query here shows."""

    def __init__(self, database: ProjectDatabase) -> None:
        self._database, self._project = database, database.key

    def all(self) -> Sequence[Member]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT name, role, added_at FROM member WHERE project = %s AND removed_at IS NULL "
                "ORDER BY name",
                (self._project,),
            )
            return [Member(name, MemberRole(role), to_text(added)) for name, role, added in rows]

    def get(self, name: str) -> Member | None:
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT name, role, added_at FROM member "
                "WHERE project = %s AND name = %s AND removed_at IS NULL",
                (self._project, name),
            ).fetchone()
        return Member(row[0], MemberRole(row[1]), to_text(row[2])) if row else None

    def add(self, member: Member) -> None:
        with self._database.writing() as connection:
            added = connection.execute(
                "INSERT INTO member (project, name, role, added_at) VALUES (%s, %s, %s, %s) "
                "ON CONFLICT (project, name) DO UPDATE "
                "SET role = excluded.role, added_at = excluded.added_at, removed_at = NULL "
                "WHERE member.removed_at IS NOT NULL",
                (self._project, member.name, member.role.value, member.added_at),
            ).rowcount
        if not added:
            raise RefusedError(
                f"{member.name!r} is already a member; `recollect team member role` changes the role."
            )

    def set_role(self, name: str, role: MemberRole) -> None:
        with self._database.writing() as connection:
            self._check_administrator(connection, name, role)
            connection.execute(
                "UPDATE member SET role = %s WHERE project = %s AND name = %s AND removed_at IS NULL",
                (role.value, self._project, name),
            )

    def remove(self, name: str, at: str) -> None:
        with self._database.writing() as connection:
            self._check_administrator(connection, name, None)
            connection.execute(
                "UPDATE member SET removed_at = %s WHERE project = %s AND name = %s",
                (at, self._project, name),
            )
            connection.execute(
                "UPDATE api_token SET revoked_at = %s "
                "WHERE project = %s AND member = %s AND revoked_at IS NULL",
                (at, self._project, name),
            )

    def _check_administrator(self, connection: Connection, name: str, role: MemberRole | None) -> None:
        """Somebody administers a project from its first member on; concurrent changes take turns."""
        connection.execute("SELECT FROM project WHERE project = %s FOR UPDATE", (self._project,))
        roles = {
            member: MemberRole(text)
            for member, text in connection.execute(
                "SELECT name, role FROM member WHERE project = %s AND removed_at IS NULL",
                (self._project,),
            )
        }
        if name not in roles:
            raise NotFoundError(
                f"{name!r} is not a member here; `recollect team member list` shows them."
            )
        others = [
            member for member, role in roles.items() if role is MemberRole.ADMIN and member != name
        ]
        if roles[name] is MemberRole.ADMIN and role is not MemberRole.ADMIN and not others:
            raise RefusedError(
                f"{name!r} is the only administrator; make someone else an administrator first "
                "(`recollect team member role NAME admin`)."
            )
