"""Projects, members, tokens, limits and the audit log as JSON."""

from collections.abc import Iterable
from typing import TypedDict

from recollect.team.audit import AuditEntry
from recollect.team.limits import ProjectLimits
from recollect.team.members import Member, TeamProject
from recollect.team.tokens import Token


class TeamProjectRow(TypedDict):
    """A project of the database. `server` is empty for the server of the directory."""

    project: str
    name: str
    server: str
    created_at: str


class TeamProjectsOutput(TypedDict):
    """Every project, by name."""

    projects: list[TeamProjectRow]


class MemberRow(TypedDict):
    """A member and their role: read, write, approve or admin."""

    name: str
    role: str
    added_at: str


class MembersOutput(TypedDict):
    """The members of a project, by name."""

    project: str
    members: list[MemberRow]


class TokenRow(TypedDict):
    """A token without its secret. Moments that never were are empty."""

    id: str
    member: str
    kind: str
    role: str
    label: str
    created_at: str
    expires_at: str
    revoked_at: str
    last_used_at: str


class TokensOutput(TypedDict):
    """The tokens of a project, oldest first."""

    project: str
    tokens: list[TokenRow]


class NewTokenOutput(TypedDict):
    """A token that was made. Its text is shown this once."""

    token: str
    about: TokenRow


class AuditRow(TypedDict):
    """A write or a decision."""

    number: int
    at: str
    member: str
    kind: str
    token: str
    permission: str
    target: str
    outcome: str


class AuditOutput(TypedDict):
    """The audit log, newest first."""

    project: str
    entries: list[AuditRow]


class TeamLimitsOutput(TypedDict):
    """What a project may use; 0 is no limit."""

    project: str
    requests_per_minute: int
    burst: int
    memories: int


class TeamChangeOutput(TypedDict):
    """What was changed, in a sentence."""

    changed: str


def projects_output(projects: Iterable[TeamProject]) -> TeamProjectsOutput:
    """The projects of a database."""
    return {
        "projects": [
            {
                "project": project.id,
                "name": project.name,
                "server": project.server,
                "created_at": project.created_at,
            }
            for project in projects
        ]
    }


def members_output(project: str, members: Iterable[Member]) -> MembersOutput:
    """The members of a project."""
    rows: list[MemberRow] = [
        {"name": member.name, "role": member.role.value, "added_at": member.added_at}
        for member in members
    ]
    return {"project": project, "members": rows}


def token_row(token: Token) -> TokenRow:
    """A token as lists show it."""
    return {
        "id": token.id,
        "member": token.member,
        "kind": token.kind,
        "role": token.role.value,
        "label": token.label,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "revoked_at": token.revoked_at,
        "last_used_at": token.last_used_at,
    }


def audit_output(project: str, entries: Iterable[AuditEntry]) -> AuditOutput:
    """The audit log."""
    rows: list[AuditRow] = [
        {
            "number": entry.number,
            "at": entry.at,
            "member": entry.member,
            "kind": entry.kind,
            "token": entry.token,
            "permission": entry.permission.value,
            "target": entry.target,
            "outcome": entry.outcome,
        }
        for entry in entries
    ]
    return {"project": project, "entries": rows}


def limits_output(project: str, limits: ProjectLimits) -> TeamLimitsOutput:
    """The limits of a project."""
    return {
        "project": project,
        "requests_per_minute": limits.requests_per_minute,
        "burst": limits.burst,
        "memories": limits.memories,
    }
