"""A person logs in to a server: the SDK's client, a browser, and a listener for the answer."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import anyio
from anyio import to_thread
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from pydantic import AnyUrl

from recollect.errors import UpstreamError
from recollect.gateway.ports import Secrets
from recollect.gateway.upstream import HttpServer, Upstream
from recollect.upstreams.connection import connected_over, over_http
from recollect.upstreams.login_record import LoginRecord, LoginStorage

LOGIN_SECONDS = 300.0  # that a person has to log in
_REQUEST_SECONDS = 10.0  # that a browser has to send its request
_MOST_BYTES = 16 * 1024
_PATH = "/callback"
_PAGE = "<!doctype html><title>Recollect</title><p>{} You can close this window.</p>"

Show = Callable[[str], Awaitable[None]]


async def log_in(
    upstream: Upstream, server: HttpServer, log: Path, logins: Secrets, show: Show
) -> bool:
    """Log in and store the login; False if the server asks for none.

    `show` gets the address that a person opens. Raises UpstreamError if the login fails or takes too long.
    """
    records: list[LoginRecord] = []

    async def save(record: LoginRecord) -> None:
        await to_thread.run_sync(partial(logins.put, upstream.name, record.model_dump_json()))
        records.append(record)

    async with _listener() as answers:
        provider = _provider(server.url, answers, show, save)
        transport = partial(over_http, server, provider)
        patient = replace(upstream, start_seconds=LOGIN_SECONDS)
        try:
            async with connected_over(transport, patient, log):
                pass
        except UpstreamError as error:
            reason = answers.failure or error.reason
            advice = f"`recollect gateway login {upstream.name}` tries it again"
            raise UpstreamError(upstream.name, f"did not log you in: {reason}", advice) from None
    return bool(records)


def _provider(
    url: str, answers: "_Answers", show: Show, save: Callable[[LoginRecord], Awaitable[None]]
) -> OAuthClientProvider:
    async def redirect(address: str) -> None:
        answers.state = parse_qs(urlsplit(address).query).get("state", [""])[0]
        await show(address)

    metadata = OAuthClientMetadata(
        client_name="Recollect",
        redirect_uris=[AnyUrl(answers.address)],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
    )
    storage = LoginStorage(LoginRecord(url=url), save)
    provider = OAuthClientProvider(url, metadata, storage, redirect, answers.wait)
    storage.provider = provider
    return provider


class _Answers:
    """The answer of the authorization server, which a browser brings. Only one with our `state` counts."""

    def __init__(self) -> None:
        self.address = self.state = self.failure = ""
        self._code: AuthorizationCodeResult | None = None
        self._arrived = anyio.Event()

    async def wait(self) -> AuthorizationCodeResult:
        with anyio.move_on_after(LOGIN_SECONDS):
            await self._arrived.wait()
        if self._code is None:
            self.failure = self.failure or f"no one logged in within {LOGIN_SECONDS:g} s"
            raise OAuthFlowError(self.failure)
        return self._code

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request of a browser."""
        try:
            with anyio.fail_after(_REQUEST_SECONDS):
                line = await reader.readline()
                status, text = self._receive(line.decode("latin-1"))
                page = _PAGE.format(text).encode()
                head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                head += f"Content-Length: {len(page)}\r\nConnection: close\r\n\r\n"
                writer.write(head.encode() + page)
                await writer.drain()
        except (OSError, ValueError, TimeoutError):
            pass  # the person tries again
        finally:
            writer.close()

    def _receive(self, line: str) -> tuple[str, str]:
        method, _, rest = line.partition(" ")
        target = urlsplit(rest.partition(" ")[0])
        fields = {name: values[0] for name, values in parse_qs(target.query).items()}
        if (
            method != "GET"
            or target.path != _PATH
            or not self.state
            or fields.get("state") != self.state
        ):
            return "404 Not Found", "This is not the answer that Recollect is waiting for."
        if "code" in fields:
            self._code = AuthorizationCodeResult(
                code=fields["code"], state=fields["state"], iss=fields.get("iss")
            )
        else:
            described = fields.get("error_description") or fields.get("error") or "no code came back"
            self.failure = f"the authorization server answered {described!r}"
        self._arrived.set()
        return "200 OK", "You are logged in." if self._code else "The login failed."


@asynccontextmanager
async def _listener() -> AsyncIterator[_Answers]:
    """Answers from a port that only this machine reaches."""
    answers = _Answers()
    server = await asyncio.start_server(answers.answer, "127.0.0.1", 0, limit=_MOST_BYTES)
    answers.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{_PATH}"
    async with server:
        yield answers
