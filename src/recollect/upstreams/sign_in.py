"""Who we are to a server that somebody else runs: its configured headers, or a stored login.

Nothing here opens a browser, because an agent's process has nobody to ask. What is missing is a `problem`,
with the command that a person runs.
"""

from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path

import httpx2
from anyio import to_thread
from mcp.client.auth import OAuthClientProvider

from recollect.errors import LoginNeededError, RecollectError
from recollect.gateway.ports import Secrets
from recollect.gateway.upstream import HttpServer
from recollect.upstreams.login_record import LoginRecord, parsed_login, stored_provider
from recollect.upstreams.server_log import append

_UNAUTHORIZED, _FORBIDDEN = 401, 403


def _wants_login(response: httpx2.Response) -> bool:
    if response.status_code == _FORBIDDEN:
        return "insufficient_scope" in response.headers.get("www-authenticate", "")
    return response.status_code == _UNAUTHORIZED


class SignIn(httpx2.Auth):
    """Adds a stored login to the requests of one connection, once the server asks for one.

    A server that asks for none costs no look into the keyring. `problem` is the error for the caller.
    """

    def __init__(self, name: str, server: HttpServer, logins: Secrets | None, log: Path) -> None:
        self._name, self._server, self._logins, self._log = name, server, logins, log
        self._provider: OAuthClientProvider | None = None
        self.problem: LoginNeededError | None = None

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """The request, as it is or with a login; renewed once when the server refuses it."""
        self.problem = None
        if self._provider is None:
            response = yield request
            if response.status_code != _UNAUTHORIZED or not await self._use_stored():
                return
        for is_last in (False, True):
            provider = self._provider
            assert provider is not None
            token = provider.context.current_tokens
            flow = provider.async_auth_flow(request)
            try:
                outgoing = await anext(flow)
                while True:
                    response = yield outgoing
                    if outgoing is request and _wants_login(response):
                        break  # the SDK would begin a new login here
                    outgoing = await flow.asend(response)
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()
            if response.status_code == _FORBIDDEN:
                self._refuse("does not allow this for its login (403)")
                return
            if is_last or not await self._can_renew(token.access_token if token else ""):
                self._refuse("no longer accepts its login, and renewing it failed")
                return

    async def _use_stored(self) -> bool:
        """Load the login; False with a `problem` if there is none to use."""
        if any(name.lower() == "authorization" for name in self._server.headers):
            self.problem = LoginNeededError(
                self._name,
                "refused the credentials in its headers (401)",
                "check the variable or secret that its Authorization header names",
            )
            return False
        try:
            record = await self._load()
        except RecollectError as error:
            self._refuse(f"needs a login ({error})")
            return False
        if record is None:
            self._refuse("needs a login")
            return False
        self._provider = stored_provider(record, self._save)
        return True

    async def _can_renew(self, refused: str) -> bool:
        """Whether to try again: with a token that another process has renewed, or by renewing ours."""
        try:
            record = await self._load()
        except RecollectError:
            record = None
        if record is None or record.tokens is None:
            return False
        if record.tokens.access_token != refused and refused:
            self._provider = stored_provider(record, self._save)
            return True
        if not record.tokens.refresh_token or self._provider is None:
            return False
        if self._provider.context.current_tokens is None:  # renewing was tried, and refused
            return False
        expired = record.model_copy(update={"expires_at": 1.0})
        self._provider = stored_provider(expired, self._save)
        return True

    async def _load(self) -> LoginRecord | None:
        if self._logins is None:
            return None
        text = await to_thread.run_sync(self._logins.get, self._name, abandon_on_cancel=True)
        return parsed_login(text, self._server.url)

    async def _save(self, record: LoginRecord) -> None:
        """Store renewed tokens. If that fails this connection goes on, and the log says what comes next."""
        if self._logins is None:
            return
        try:
            await to_thread.run_sync(partial(self._logins.put, self._name, record.model_dump_json()))
        except RecollectError as error:
            append(str(self._log), f"recollect: the renewed login could not be stored: {error}\n")

    def _refuse(self, reason: str) -> None:
        advice = f"a person runs `recollect gateway login {self._name}` in a terminal"
        self.problem = LoginNeededError(self._name, reason, advice)
