"""Who makes a request, as the door that let it in noted in its scope; and the record of what they did."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from recollect.team.audit import Outcome
from recollect.team.principal import LOCAL_AGENT, Principal
from recollect.team.roles import Permission
from recollect.workflow.commands import Author

Record = Callable[[Principal, Permission, str, Outcome], Awaitable[None]]
Scope = MutableMapping[str, Any]

_PRINCIPAL = "recollect.principal"
_RECORD = "recollect.record"


def admit(scope: Scope, principal: Principal, record: Record | None = None) -> None:
    """Note who makes a request; `record` writes the audit log, where there is one."""
    scope[_PRINCIPAL] = principal
    scope[_RECORD] = record


def principal_of(scope: Scope | None) -> Principal:
    """Who makes a request. Whoever no door has admitted is an agent of this machine."""
    principal: Principal = (scope or {}).get(_PRINCIPAL, LOCAL_AGENT)
    return principal


def author_of(principal: Principal) -> Author:
    """Who gives a command to a run: a person only if they may approve calls."""
    return "person" if principal.may(Permission.APPROVE_CALLS) else "agent"


async def record(scope: Scope | None, permission: Permission, target: str, outcome: Outcome) -> None:
    """Record what was done, if it changes something and there is a log."""
    write: Record | None = (scope or {}).get(_RECORD)
    if write is not None and permission.changes:
        await write(principal_of(scope), permission, target, outcome)
