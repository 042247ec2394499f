"""The audit log: who changed or decided what, when, and how that ended."""

from dataclasses import dataclass
from typing import Literal

from recollect.team.principal import Principal
from recollect.team.roles import Kind, Permission

Outcome = Literal["done", "refused", "failed"]
MOST_TARGET = 300  # characters: a path or the name of a tool, and never a value


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One write or decision. `target` names what it was about and has no content of it."""

    at: str
    member: str
    kind: Kind
    token: str
    permission: Permission
    target: str
    outcome: Outcome
    number: int = 0  # in the project's log; 0 before it is written


def entry(at: str, who: Principal, permission: Permission, target: str, outcome: Outcome) -> AuditEntry:
    """What is recorded of an action."""
    return AuditEntry(at, who.name, who.kind, who.token, permission, target[:MOST_TARGET], outcome)
