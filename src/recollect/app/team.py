"""The team of one project: members, tokens, limits, and the record of who did what."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.clock import Clock, from_text, to_text, utc_now
from recollect.errors import NotFoundError, NotPermittedError, RefusedError
from recollect.storage.postgres.audit_log import PostgresAuditLog
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.limits import PostgresLimits
from recollect.storage.postgres.members import PostgresMembers
from recollect.storage.postgres.tokens import PostgresTokens
from recollect.team.audit import Outcome, entry
from recollect.team.limits import ProjectLimits, RateLimitedError
from recollect.team.members import Member, member_name
from recollect.team.ports import AuditLog, Members, Tokens, UsageLimits
from recollect.team.principal import Principal
from recollect.team.roles import Kind, MemberRole, Permission
from recollect.team.tokens import (
    ID_BYTES,
    SECRET_BYTES,
    Token,
    TokenText,
    check_token,
    new_token,
    parse_token,
    principal_of,
)

_NOTE_USE_EVERY = timedelta(minutes=1)  # the last use of a token is known to the minute
_MOST_LABEL = 100
_MOST_DAYS = 3_660


@dataclass(frozen=True, slots=True)
class TokenWish:
    """A token that is to be made. `days` of None: it never expires."""

    member: str
    role: MemberRole
    kind: Kind
    label: str = ""
    days: int | None = None


class Team:
    """The team of a project in a database. What changes it is recorded in the same transaction."""

    def __init__(self, database: ProjectDatabase, clock: Clock = utc_now) -> None:
        self._database, self._clock = database, clock
        self.project: str = database.key
        self.members: Members = PostgresMembers(database)
        self.tokens: Tokens = PostgresTokens(database)
        self.audit: AuditLog = PostgresAuditLog(database)
        self.limits: UsageLimits = PostgresLimits(database)

    def add_member(self, name: str, role: MemberRole, by: Principal) -> Member:
        """Add somebody. The first member of a project administers it."""
        member = Member(member_name(name), role, self._now())
        with self._database.writing():
            if role is not MemberRole.ADMIN and not self.members.all():
                raise RefusedError(
                    f"the first member of a project administers it; add {name!r} as admin."
                )
            self.members.add(member)
            self.record(by, Permission.MANAGE_MEMBERS, f"add {member.name} as {role.value}", "done")
        return member

    def set_role(self, name: str, role: MemberRole, by: Principal) -> None:
        """Change what somebody may do, with tokens they have."""
        with self._database.writing():
            self.members.set_role(member_name(name), role)
            self.record(by, Permission.MANAGE_MEMBERS, f"set {name} to {role.value}", "done")

    def remove_member(self, name: str, by: Principal) -> None:
        """Remove somebody; their tokens end with it."""
        with self._database.writing():
            self.members.remove(member_name(name), self._now())
            self.record(by, Permission.MANAGE_MEMBERS, f"remove {name}", "done")

    def create_token(self, wish: TokenWish, by: Principal) -> tuple[TokenText, Token]:
        """Make a token: its text, which nobody can see again, and what is stored of it."""
        if len(wish.label) > _MOST_LABEL:
            raise RefusedError(f"a label can have at most {_MOST_LABEL} characters.")
        if wish.days is not None and not 1 <= wish.days <= _MOST_DAYS:
            raise RefusedError(f"a token lasts 1 to {_MOST_DAYS:,} days, or never expires.")
        text = new_token(self.project, secrets.token_bytes(ID_BYTES + SECRET_BYTES))
        with self._database.writing():
            member = self.members.get(member_name(wish.member))
            if member is None:
                raise NotFoundError(
                    f"{wish.member!r} is not a member here; `recollect team member add` adds them."
                )
            check_token(wish.kind, wish.role, member.role)
            token = self._token(text, wish, member)
            self.tokens.add(token)
            target = f"create {token.id} for {member.name}, {wish.kind}, {wish.role.value}"
            self.record(by, Permission.MANAGE_TOKENS, target, "done")
        return text, token

    def _token(self, text: TokenText, wish: TokenWish, member: Member) -> Token:
        expires = to_text(self._clock() + timedelta(days=wish.days)) if wish.days else ""
        return Token(
            self.project,
            text.id,
            text.digest,
            member.name,
            wish.kind,
            wish.role,
            wish.label,
            self._now(),
            expires,
        )

    def revoke_token(self, id: str, by: Principal) -> bool:
        """End a token at once; false if it had ended before."""
        with self._database.writing():
            revoked = self.tokens.revoke(id, self._now())
            if revoked:
                self.record(by, Permission.MANAGE_TOKENS, f"revoke {id}", "done")
        return revoked

    def set_limits(self, limits: ProjectLimits, by: Principal) -> None:
        """Set what the project may use."""
        with self._database.writing():
            self.limits.set(limits)
            target = (
                f"{limits.requests_per_minute} requests per minute, burst {limits.burst}, "
                f"{limits.memories} memories"
            )
            self.record(by, Permission.SET_LIMITS, target, "done")

    def authenticate(self, text: str) -> Principal | None:
        """Who shows a token, counted as one request of the project; None for one that does not count.

        Raises NotPermittedError for another project's token, and RateLimitedError.
        """
        shown = parse_token(text)
        if shown is None:
            return None
        if shown.project != self.project:
            raise NotPermittedError("this token belongs to another project.")
        moment = self._clock()
        with self._database.writing():
            holder = self.tokens.holder(shown.id)
            token, role = holder or (None, None)
            who = principal_of(shown, token, role, to_text(moment))
            if who is None or token is None:
                return None
            wait = self.limits.take(moment.timestamp())
            if not token.last_used_at or _is_old(token.last_used_at, moment):
                self.tokens.used(token.id, to_text(moment))
        if wait:
            raise RateLimitedError(self.project, self.limits.get().requests_per_minute, wait)
        return who

    def probe(self) -> None:
        """Raises StoreError when the database cannot be used."""
        with self._database.reading() as connection:
            connection.execute("SELECT 1")

    def record(self, who: Principal, permission: Permission, target: str, outcome: Outcome) -> None:
        """Add to the audit log."""
        self.audit.append(entry(self._now(), who, permission, target, outcome))

    def _now(self) -> str:
        return to_text(self._clock())


def _is_old(last_use: str, now: datetime) -> bool:
    return now - from_text(last_use) >= _NOTE_USE_EVERY
