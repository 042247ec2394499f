"""Logins at servers that somebody else runs: stored in the keyring, renewed, and missed in plain words."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import keyring
import pytest
from tests.keyrings import MemoryKeyring, memory_keyring, no_keyring
from tests.requirements import requirement
from tests.upstreams.authorization import Protected, protected_server

from recollect.app.gateway import Gateway
from recollect.app.server_login import log_in, log_out
from recollect.clock import utc_now
from recollect.errors import NotFoundError, RefusedError, StoreError, UpstreamError

__all__ = ["memory_keyring"]
LOGIN = "a person runs `recollect gateway login hub` in a terminal"


@pytest.fixture(scope="module")
def _servers() -> Iterator[Protected]:
    with protected_server() as protected:
        yield protected


@pytest.fixture
def protected(_servers: Protected) -> Protected:
    accounts = _servers.accounts
    accounts.revoke_all()
    accounts.denies, accounts.expires_in, accounts.renewals = False, 3600, 0
    return _servers


@pytest.fixture
def gateway(tmp_path: Path, protected: Protected, memory_keyring: MemoryKeyring) -> Gateway:
    gateway = Gateway(tmp_path / "data", {"HOME": str(tmp_path)}, utc_now)
    gateway.add("hub", {"type": "http", "url": protected.url})
    return gateway


async def browse(address: str) -> None:
    """What a browser does: open the page, and follow where it leads."""
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        (await browser.get(address)).raise_for_status()


def files_of(gateway: Gateway) -> str:
    paths = [path for path in gateway.folder.rglob("*") if path.is_file()]
    return "".join(path.read_text("utf-8", "replace") for path in paths)


@requirement("gateway:login:keyring")
def test_a_login_is_stored_in_the_keyring_alone_and_used(
    gateway: Gateway, protected: Protected, memory_keyring: MemoryKeyring
) -> None:
    with pytest.raises(UpstreamError, match="needs a login") as missing:
        gateway.refresh("hub")

    assert log_in(gateway, "hub", browse)
    assert gateway.refresh("hub").tools == 1

    assert LOGIN in str(missing.value)
    [token] = protected.accounts.access
    assert token in "".join(memory_keyring.passwords.values())
    assert token not in files_of(gateway)


@requirement("gateway:login:renewed")
def test_an_expired_token_is_renewed_at_the_authorization_server_and_the_new_one_is_stored(
    gateway: Gateway, protected: Protected
) -> None:
    protected.accounts.expires_in = -10
    log_in(gateway, "hub", browse)
    protected.accounts.expires_in, protected.accounts.renewals = 3600, 0

    assert [gateway.refresh("hub").tools for _ in range(3)] == [1, 1, 1]
    assert protected.accounts.renewals == 1


@requirement("gateway:login:renewed")
def test_a_token_that_the_server_revoked_is_renewed(gateway: Gateway, protected: Protected) -> None:
    log_in(gateway, "hub", browse)
    protected.accounts.revoke_access()

    assert gateway.refresh("hub").tools == 1
    assert protected.accounts.renewals == 1


@pytest.mark.parametrize("expires_in", [-10, 3600, None])
@requirement("gateway:login:reported")
def test_a_login_that_cannot_be_renewed_is_reported_with_what_to_do_and_opens_no_browser(
    gateway: Gateway, protected: Protected, expires_in: int | None
) -> None:
    protected.accounts.expires_in = expires_in
    log_in(gateway, "hub", browse)
    protected.accounts.revoke_all()
    clients = len(protected.accounts.clients)

    with pytest.raises(UpstreamError, match="no longer accepts its login") as raised:
        gateway.refresh("hub")

    assert LOGIN in str(raised.value)
    assert len(protected.accounts.clients) == clients
    protected.accounts.expires_in = 3600
    assert log_in(gateway, "hub", browse)
    assert gateway.refresh("hub").tools == 1


@requirement("gateway:login:reported")
def test_a_login_that_is_denied_says_what_the_authorization_server_answered(
    gateway: Gateway, protected: Protected, memory_keyring: MemoryKeyring
) -> None:
    protected.accounts.denies = True

    with pytest.raises(UpstreamError, match=r"did not log you in.*access_denied"):
        log_in(gateway, "hub", browse)

    assert not any("access_token" in value for value in memory_keyring.passwords.values())


def test_an_answer_that_is_not_ours_is_not_taken(gateway: Gateway) -> None:
    """Any page that the browser shows can call the listener, and does not know the state."""
    statuses: list[int] = []

    async def visited(address: str) -> None:
        callback = httpx2.URL(address).params["redirect_uri"]
        async with httpx2.AsyncClient() as page:
            queries = ("?code=evil&state=guess", "?code=evil", "", "?error=x")
            statuses.extend([(await page.get(callback + query)).status_code for query in queries])
        await browse(address)

    assert log_in(gateway, "hub", visited)
    assert statuses == [404] * 4
    assert gateway.refresh("hub").tools == 1


def test_a_login_is_not_sent_to_another_address(gateway: Gateway, protected: Protected) -> None:
    log_in(gateway, "hub", browse)
    elsewhere = protected.url.replace("127.0.0.1", "localhost")
    gateway.add("hub", {"type": "http", "url": elsewhere}, replace=True)

    with pytest.raises(UpstreamError, match="needs a login"):
        gateway.refresh("hub")


def test_after_logging_out_a_login_is_needed(gateway: Gateway, memory_keyring: MemoryKeyring) -> None:
    log_in(gateway, "hub", browse)
    log_out(gateway, "hub")

    with pytest.raises(UpstreamError, match="needs a login"):
        gateway.refresh("hub")
    with pytest.raises(NotFoundError):
        log_out(gateway, "hub")
    assert list(memory_keyring.passwords.values()) == ["[]"]


@requirement("gateway:login:headers")
def test_headers_are_passed_through_and_a_refusal_of_them_is_no_reason_to_log_in(
    gateway: Gateway, protected: Protected
) -> None:
    log_in(gateway, "hub", browse)
    [token] = protected.accounts.access
    header = {"Authorization": "Bearer ${keyring:HUB}"}
    gateway.add("keyed", {"type": "http", "url": protected.url, "headers": header})
    gateway.secrets.put("HUB", token)
    assert gateway.refresh("keyed").tools == 1

    gateway.secrets.put("HUB", "another")
    with pytest.raises(UpstreamError, match="refused the credentials in its headers"):
        gateway.refresh("keyed")
    with pytest.raises(RefusedError, match="Authorization header"):
        log_in(gateway, "keyed", browse)


@requirement("gateway:login:reported")
def test_without_a_keyring_nobody_is_sent_to_a_browser(gateway: Gateway) -> None:
    keyring.set_keyring(no_keyring())

    async def unexpected(address: str) -> None:
        raise AssertionError(address)

    with pytest.raises(StoreError, match="has no keyring"):
        log_in(gateway, "hub", unexpected)
    with pytest.raises(UpstreamError, match=r"needs a login .*has no keyring"):
        gateway.refresh("hub")


def test_a_program_has_no_login(gateway: Gateway) -> None:
    gateway.add("time", {"command": "uvx"})

    with pytest.raises(RefusedError, match="is a local program"):
        log_in(gateway, "time", browse)
