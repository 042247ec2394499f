"""Who shows a token: the tokens of this process, or those of a team's database."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from recollect.errors import RecollectError
from recollect.loopback.answers import error_answer
from recollect.loopback.principals import admit
from recollect.team.audit import Outcome
from recollect.team.principal import Principal
from recollect.team.roles import Permission

_BEARER = "Bearer "


class Authentication(Protocol):
    """What says who shows a token, and records what they do."""

    async def principal(self, token: str) -> Principal | None:
        """Who shows a token; None for one that does not count.

        Raises NotPermittedError for another project's and for too many requests, and StoreError.
        """

    async def record(
        self, who: Principal, permission: Permission, target: str, outcome: Outcome
    ) -> None:
        """Record what somebody changed or decided. Raises StoreError."""

    async def unready(self) -> str:
        """Why requests cannot be served now; empty if they can."""


@dataclass(frozen=True, slots=True)
class ProcessTokens:
    """Tokens that a process made when it started, each with who holds it. Nothing is recorded."""

    holders: Mapping[str, Principal] = field(repr=False)

    async def principal(self, token: str) -> Principal | None:
        """Compares with every token, so that the time says nothing."""
        matching = [
            principal
            for secret, principal in self.holders.items()
            if hmac.compare_digest(token.encode(), secret.encode())
        ]
        return matching[0] if matching else None

    async def record(
        self, who: Principal, permission: Permission, target: str, outcome: Outcome
    ) -> None:
        """One user owns everything here; runs have a journal, and files a history."""

    async def unready(self) -> str:
        """Files need nothing else."""
        return ""


def bearer(headers: Headers) -> str:
    """The token that a request shows; empty for none."""
    header = headers.get("authorization", "")
    return header.removeprefix(_BEARER) if header.startswith(_BEARER) else ""


async def authenticated(
    scope: Scope, token: str, authentication: Authentication
) -> Principal | Response | None:
    """Note in a request who makes it. A response refuses it, None is a token that does not count."""
    try:
        principal = await authentication.principal(token) if token else None
    except RecollectError as error:
        return error_answer(error)
    if principal is not None:
        admit(scope, principal, authentication.record)
    return principal
