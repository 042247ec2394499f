"""Roles, and the one table of what each may do.

A role may do all that the roles below it may. Every endpoint and every tool declares a `Permission`; nothing
that is not in the table can be done over HTTP or MCP.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from recollect.errors import RefusedError

Kind = Literal["person", "agent"]


class MemberRole(StrEnum):
    """What somebody is to a project. The order is that of power."""

    READ = "read"
    WRITE = "write"
    APPROVE = "approve"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        return _RANKS[self]

    def covers(self, other: "MemberRole") -> bool:
        """Whether this role may do all that the other may."""
        return self.rank >= other.rank


_RANKS = {role: rank for rank, role in enumerate(MemberRole)}


class Permission(StrEnum):
    """What an endpoint or a tool does."""

    READ_MEMORIES = "memories.read"
    READ_SESSIONS = "sessions.read"
    READ_RUNS = "runs.read"
    READ_TOOLS = "tools.read"
    READ_TRACES = "traces.read"
    WRITE_MEMORIES = "memories.write"
    CALL_READING_TOOLS = "tools.call_reading"
    CALL_TOOLS = "tools.call"
    CONTROL_RUNS = "runs.control"
    REVIEW = "review.decide"
    APPROVE_CALLS = "calls.approve"
    ACCEPT_TOOLS = "tools.accept"
    MANAGE_MEMBERS = "members.manage"
    MANAGE_TOKENS = "tokens.manage"
    SET_LIMITS = "limits.set"
    READ_AUDIT = "audit.read"

    @property
    def changes(self) -> bool:
        """Whether it is recorded in the audit log."""
        return self not in _READING


_READING = frozenset(
    {
        Permission.READ_MEMORIES,
        Permission.READ_SESSIONS,
        Permission.READ_RUNS,
        Permission.READ_TOOLS,
        Permission.READ_TRACES,
        Permission.READ_AUDIT,
    }
)
LEAST_ROLE: Mapping[Permission, MemberRole] = {
    Permission.READ_MEMORIES: MemberRole.READ,
    Permission.READ_SESSIONS: MemberRole.READ,
    Permission.READ_RUNS: MemberRole.READ,
    Permission.READ_TOOLS: MemberRole.READ,
    Permission.READ_TRACES: MemberRole.READ,
    Permission.CALL_READING_TOOLS: MemberRole.WRITE,  # it uses credentials of the caller
    Permission.WRITE_MEMORIES: MemberRole.WRITE,
    Permission.CALL_TOOLS: MemberRole.WRITE,
    Permission.CONTROL_RUNS: MemberRole.WRITE,
    Permission.REVIEW: MemberRole.APPROVE,
    Permission.APPROVE_CALLS: MemberRole.APPROVE,
    Permission.ACCEPT_TOOLS: MemberRole.APPROVE,
    Permission.MANAGE_MEMBERS: MemberRole.ADMIN,
    Permission.MANAGE_TOKENS: MemberRole.ADMIN,
    Permission.SET_LIMITS: MemberRole.ADMIN,
    Permission.READ_AUDIT: MemberRole.ADMIN,
}
MOST_OF_AN_AGENT = MemberRole.WRITE  # an agent decides about nothing that waits for a person


def allowed_role(role: MemberRole, kind: Kind) -> bool:
    """Whether somebody of that kind may hold the role at all."""
    return kind == "person" or MOST_OF_AN_AGENT.covers(role)


def parse_role(text: str) -> MemberRole:
    """A role by its name. Raises RefusedError that lists them."""
    try:
        return MemberRole(text)
    except ValueError:
        raise RefusedError(f"unknown role {text!r}; choose one of {', '.join(MemberRole)}.") from None
