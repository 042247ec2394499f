"""Keyrings for tests: real backends of the `keyring` library, registered through its own API."""

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from keyring.errors import KeyringLocked, PasswordDeleteError


class MemoryKeyring(KeyringBackend):
    """Passwords of one test."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.passwords: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.passwords[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.passwords:
            raise PasswordDeleteError("there is none")
        del self.passwords[service, username]


class LockedKeyring(MemoryKeyring):
    """One that its user does not unlock."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("the user dismissed the prompt")


def no_keyring() -> KeyringBackend:
    """What the library uses on a machine without a keyring, such as a server."""
    return fail.Keyring()  # type: ignore[no-untyped-call]


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    """The keyring of this process, empty."""
    yield from used(MemoryKeyring())


def used(backend: MemoryKeyring) -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield backend
    finally:
        keyring.set_keyring(before)
