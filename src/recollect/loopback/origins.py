"""Which hosts and origins a request may name: those of this port, so that no other site reaches it.

A page of another site can make a browser send requests to us, and can have its own name lead to this machine
(DNS rebinding). The browser then names that site in `Host`, `Origin` or `Sec-Fetch-Site`.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from recollect.errors import InvalidConfigError
from recollect.loopback.listening import HOST

NAMES = (HOST, "localhost")


@dataclass(frozen=True, slots=True)
class RequestRefusal:
    """Why a request is refused, with the status code of HTTP."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class LocalOrigins:
    """The names under which a port of this machine is reached; `public` is the origin of a proxy, if any."""

    port: int
    public: str = ""

    @property
    def hosts(self) -> list[str]:
        """What `Host` may say."""
        return [f"{name}:{self.port}" for name in NAMES] + (
            [urlsplit(self.public).netloc] if self.public else []
        )

    @property
    def origins(self) -> list[str]:
        """What `Origin` may say."""
        return [f"http://{name}:{self.port}" for name in NAMES] + ([self.public] if self.public else [])

    def refusal(self, headers: Headers) -> RequestRefusal | None:
        """Why a request with these headers is not for us; None if it is."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            return RequestRefusal(421, f"this server is not {host!r}; open it at {HOST}:{self.port}.")
        if origin is not None and origin not in self.origins:
            return RequestRefusal(403, f"requests from {origin!r} are not accepted.")
        return None


def public_origin(url: str) -> str:
    """The origin of a public address. Raises InvalidConfigError for one that is none, or without TLS."""
    parts = urlsplit(url)
    if not url:
        return ""
    if (
        parts.scheme != "https"
        or not parts.netloc
        or parts.path not in ("", "/")
        or "@" in parts.netloc
    ):
        raise InvalidConfigError(
            f"server.public_url must be the address of a proxy with TLS, https://HOST, not {url!r}."
        )
    return f"https://{parts.netloc.lower()}"
