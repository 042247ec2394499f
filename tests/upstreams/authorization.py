"""A real authorization server and a real MCP server that it protects, each on a port of this machine."""

import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette


@dataclass(slots=True)
class Accounts(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Everyone may log in. A refresh token works once, and none works after `revoke_all`."""

    denies: bool = False
    expires_in: int | None = 3600
    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict)
    codes: dict[str, AuthorizationCode] = field(default_factory=dict)
    access: dict[str, AccessToken] = field(default_factory=dict)
    refresh: dict[str, RefreshToken] = field(default_factory=dict)
    renewals: int = 0

    def revoke_access(self) -> None:
        self.access.clear()

    def revoke_all(self) -> None:
        self.access.clear()
        self.refresh.clear()

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if self.denies:
            return construct_redirect_uri(
                str(params.redirect_uri), error="access_denied", state=params.state
            )
        code = AuthorizationCode(
            code=secrets.token_hex(),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._issue(client.client_id, authorization_code.resource)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant")
        self.renewals += 1
        return self._issue(client.client_id, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def verify_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.pop(token.token, None)

    def _issue(self, client: str, resource: str | None) -> OAuthToken:
        access, refresh = secrets.token_hex(), secrets.token_hex()
        self.access[access] = AccessToken(token=access, client_id=client, scopes=[], resource=resource)
        self.refresh[refresh] = RefreshToken(
            token=refresh, client_id=client, scopes=[], resource=resource
        )
        return OAuthToken(access_token=access, expires_in=self.expires_in, refresh_token=refresh)


@dataclass(frozen=True, slots=True)
class Protected:
    """The address of a server that asks for a login, and the accounts behind it."""

    url: str
    accounts: Accounts


@contextmanager
def protected_server() -> Iterator[Protected]:
    """Both servers, while the block runs."""
    accounts = Accounts()
    with listening() as issuer_socket, listening() as server_socket:
        issuer, url = f"http://{address(issuer_socket)}", f"http://{address(server_socket)}/mcp"
        registration = ClientRegistrationOptions(enabled=True)
        routes = create_auth_routes(
            accounts, AnyHttpUrl(issuer), client_registration_options=registration
        )
        settings = AuthSettings(
            issuer_url=AnyHttpUrl(issuer),
            resource_server_url=AnyHttpUrl(url),
            validate_token_resource=True,
        )
        server = MCPServer("protected", token_verifier=accounts, auth=settings)

        @server.tool(description="Greet somebody.")
        def greet(name: str) -> str:
            return f"hello {name}"

        with (
            running(Starlette(routes=routes), issuer_socket),
            running(server.streamable_http_app(), server_socket),
        ):
            yield Protected(url, accounts)


@contextmanager
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        yield bound


def address(bound: socket.socket) -> str:
    host, port = bound.getsockname()
    return f"{host}:{port}"


@contextmanager
def running(app: Starlette, bound: socket.socket) -> Iterator[None]:
    """An HTTP server in a thread."""
    AppStatus.should_exit = False  # the end of an earlier server in this process would end our streams
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(10)
