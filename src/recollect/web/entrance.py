"""How a request gets in: with the keys of this process, or as a member of a team.

A browser shows a cookie, programs a bearer token. What a cookie stands for stays in this process.
"""

import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Protocol

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from recollect.errors import RecollectError
from recollect.loopback.answers import error_answer
from recollect.loopback.authentication import Authentication, authenticated, bearer
from recollect.loopback.principals import admit
from recollect.team.principal import Principal
from recollect.web.keys import Keys

_MOST_SESSIONS = 1_000  # the one that was used longest ago goes first


class Entrance(Protocol):
    """Who may use the page."""

    @property
    def cookie_name(self) -> str:
        """The name of the cookie. It has the port, because all ports of a host share their cookies."""

    @property
    def is_team(self) -> bool:
        """Whether members come in, each with a token of their own."""

    async def admit(self, scope: Scope) -> Principal | Response | None:
        """Note in a request who makes it. A response refuses it; None asks for a token."""

    async def cookie(self, token: str) -> str | Response | None:
        """The cookie that takes the place of a token; None for one that does not count."""


@dataclass(slots=True)
class LocalEntrance:
    """For whoever has the keys of this process: `holder`."""

    keys: Keys
    holder: Principal

    @property
    def cookie_name(self) -> str:
        return self.keys.cookie_name

    @property
    def is_team(self) -> bool:
        return False

    async def admit(self, scope: Scope) -> Principal | Response | None:
        """The one holder, with the cookie or the token."""
        if not self.keys.opens(Headers(scope=scope)):
            return None
        admit(scope, self.holder)
        return self.holder

    async def cookie(self, token: str) -> str | Response | None:
        """The cookie, for the token of the address."""
        return self.keys.cookie if self.keys.redeem(token) else None


@dataclass(slots=True)
class TeamEntrance:
    """For the members of a team. Each request is checked again, so that a revoked token ends at once."""

    team: Authentication
    port: int
    _tokens: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def cookie_name(self) -> str:
        return f"recollect-{self.port}"

    @property
    def is_team(self) -> bool:
        return True

    async def admit(self, scope: Scope) -> Principal | Response | None:
        """The member behind the bearer token or the cookie."""
        headers = Headers(scope=scope)
        session = cookie_value(headers, self.cookie_name)
        if session in self._tokens:
            self._tokens[session] = self._tokens.pop(session)
        token = bearer(headers) or self._tokens.get(session, "")
        return await authenticated(scope, token, self.team)

    async def cookie(self, token: str) -> str | Response | None:
        """A new session for a member's token. An agent's opens no page."""
        try:
            who = await self.team.principal(token)
        except RecollectError as error:
            return error_answer(error)
        if who is None or who.kind != "person":
            return None
        while len(self._tokens) >= _MOST_SESSIONS:
            del self._tokens[next(iter(self._tokens))]
        session = secrets.token_urlsafe(32)
        self._tokens[session] = token
        return session


def cookie_value(headers: Headers, name: str) -> str:
    """A cookie of a request; empty for none."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""
