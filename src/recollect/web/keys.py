"""What opens the page of one user: a token in the address, and the cookie that takes its place."""

import hmac
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers


@dataclass(frozen=True, slots=True)
class Keys:
    """What opens the page: the token of the address, and the cookie that takes its place.

    A token for one use is for a browser that we start: other users of the machine can read its command line.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _for_one_use: set[str] = field(default_factory=set, repr=False)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie. Cookies are shared by all ports of a host."""
        return f"recollect-{self.port}"

    def is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())

    def for_one_use(self) -> str:
        """A new token that opens the page once."""
        token = secrets.token_urlsafe(32)
        self._for_one_use.add(token)
        return token

    def redeem(self, token: str) -> bool:
        """Whether a token opens the page; one for one use is spent by that."""
        if token in self._for_one_use:
            self._for_one_use.discard(token)
            return True
        return self.is_token(token)

    def opens(self, headers: Headers) -> bool:
        """Whether a request has the cookie, or the token as a bearer token, as programs send it."""
        bearer = headers.get("authorization", "")
        if bearer.startswith("Bearer ") and self.is_token(bearer.removeprefix("Bearer ")):
            return True
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie_name)
        except CookieError:
            return False
        return morsel is not None and hmac.compare_digest(morsel.value.encode(), self.cookie.encode())
