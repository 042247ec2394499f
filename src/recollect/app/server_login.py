"""Logging in to upstream servers, and out again."""

from collections.abc import Awaitable, Callable
from functools import partial

from recollect.app.gateway import Gateway
from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.upstream import HttpServer
from recollect.storage.private import make_folder


def log_in(gateway: Gateway, name: str, show: Callable[[str], Awaitable[None]]) -> bool:
    """Log a person in to a server; False if it asks for no login. `show` gets the address to open.

    Raises RefusedError for a server that has no login, StoreError without a keyring, and UpstreamError.
    """
    import anyio  # noqa: PLC0415 - the MCP client costs half a second

    from recollect.upstreams import login  # noqa: PLC0415

    upstream = gateway.started(gateway.upstream(name))
    server = upstream.server
    if not isinstance(server, HttpServer):
        raise RefusedError(
            f"the server {name!r} is a local program and has no login; pass its secrets as "
            "environment variables."
        )
    if any(header.lower() == "authorization" for header in server.headers):
        raise RefusedError(
            f"the server {name!r} has an Authorization header, which replaces a login; remove the "
            "header with `recollect gateway add --replace` to log in."
        )
    gateway.logins.names()  # raises before a browser opens, if there is no keyring
    log = gateway.log(name)
    make_folder(log.parent)
    return anyio.run(partial(login.log_in, upstream, server, log, gateway.logins, show))


def log_out(gateway: Gateway, name: str) -> None:
    """Forget a login. Also of a server that is no longer configured."""
    if not gateway.logins.remove(name):
        raise NotFoundError(f"there is no login for the server {name!r}.")
