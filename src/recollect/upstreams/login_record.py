"""A login at an authorization server, as one text that the keyring stores."""

import time
from collections.abc import Awaitable, Callable

from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import BaseModel, ValidationError

LoginSaver = Callable[["LoginRecord"], Awaitable[None]]


class LoginRecord(BaseModel):
    """Tokens and who gave them. It is for one address: another server never gets these tokens."""

    url: str
    tokens: OAuthToken | None = None
    expires_at: float | None = None
    client: OAuthClientInformationFull | None = None
    authorization_server: OAuthMetadata | None = None
    resource: ProtectedResourceMetadata | None = None


def parsed_login(text: str | None, url: str) -> LoginRecord | None:
    """The login for an address; None if the text is no login, or one for another address."""
    try:
        record = LoginRecord.model_validate_json(text or "")
    except ValidationError:
        return None
    return record if record.url == url and record.tokens and record.client else None


class LoginStorage:
    """What the SDK's client asks for and stores while it logs in and renews; `save` gets each new state."""

    def __init__(self, record: LoginRecord, save: LoginSaver) -> None:
        self.record, self._save = record, save
        self.provider: OAuthClientProvider | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.record.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        expires_at = None if tokens.expires_in is None else time.time() + tokens.expires_in
        changes: dict[str, object] = {"tokens": tokens, "expires_at": expires_at}
        if self.provider is not None:
            context = self.provider.context
            changes["authorization_server"] = context.oauth_metadata
            changes["resource"] = context.protected_resource_metadata
        self.record = self.record.model_copy(update=changes)
        await self._save(self.record)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.record.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.record = self.record.model_copy(update={"client": client_info})


def stored_provider(record: LoginRecord, save: LoginSaver) -> OAuthClientProvider:
    """The SDK's client with a stored login: it renews tokens, and opens no browser.

    The SDK remembers neither when a stored token expires nor where to renew it, so both are set here.
    """
    client = record.client
    metadata = OAuthClientMetadata(redirect_uris=client.redirect_uris if client else None)
    storage = LoginStorage(record, save)
    provider = OAuthClientProvider(record.url, metadata, storage)
    provider.context.token_expiry_time = record.expires_at
    provider.context.oauth_metadata = record.authorization_server
    provider.context.protected_resource_metadata = record.resource
    storage.provider = provider
    return provider
