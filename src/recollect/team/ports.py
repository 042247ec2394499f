"""What a team stores, as ports. Only a database that many people share implements them.

The embedded default has no adapter on purpose: one user owns every file there, and a file that says who may
read it protects nothing from whoever can open it. `Principal` covers that case with fixed values.
Every port is bound to one project; another project's rows cannot be asked for.
"""

from collections.abc import Sequence
from typing import Protocol

from recollect.team.audit import AuditEntry
from recollect.team.limits import ProjectLimits
from recollect.team.members import Member
from recollect.team.roles import MemberRole
from recollect.team.tokens import Token


class Members(Protocol):
    """The members of a project."""

    def all(self) -> Sequence[Member]:
        """Everybody, by name."""
        ...

    def get(self, name: str) -> Member | None:
        """One member."""
        ...

    def add(self, member: Member) -> None:
        """Add somebody. Raises RefusedError for a member who is there already."""
        ...

    def set_role(self, name: str, role: MemberRole) -> None:
        """Change a role. Raises NotFoundError, and RefusedError where no administrator would be left."""
        ...

    def remove(self, name: str, at: str) -> None:
        """Remove somebody and revoke their tokens. Raises as `set_role` does."""
        ...


class Tokens(Protocol):
    """The tokens of a project: revoked ones stay, because the audit log names them."""

    def all(self) -> Sequence[Token]:
        """All tokens, oldest first."""
        ...

    def get(self, id: str) -> Token | None:
        """One token."""
        ...

    def holder(self, id: str) -> tuple[Token, MemberRole | None] | None:
        """A token, and the role of its member; no role for one who left."""
        ...

    def add(self, token: Token) -> None:
        """Store a token. Raises NotFoundError when its member is not in the project."""
        ...

    def revoke(self, id: str, at: str) -> bool:
        """End a token; false if it had ended before. Raises NotFoundError."""
        ...

    def used(self, id: str, at: str) -> None:
        """Note the last use; an unknown id is no error."""
        ...


class AuditLog(Protocol):
    """What was changed and decided. It grows at its end only: nothing is changed or deleted."""

    def append(self, entry: AuditEntry) -> int:
        """Record an entry; its number, above that of every earlier one of the project."""
        ...

    def latest(
        self, limit: int, *, before: int | None = None, member: str = ""
    ) -> Sequence[AuditEntry]:
        """Entries with numbers below `before`, newest first."""
        ...


class UsageLimits(Protocol):
    """What the project may use, and how much of it is used."""

    def get(self) -> ProjectLimits:
        """The limits; none where none were set."""
        ...

    def set(self, limits: ProjectLimits) -> None:
        """Set the limits, for every server of the project at once."""
        ...

    def take(self, now: float) -> float:
        """Count one request; the seconds to wait, 0 if it is accepted. Servers share what is left."""
        ...
