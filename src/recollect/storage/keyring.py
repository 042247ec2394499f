"""Secrets in the system's keyring, through the `keyring` library: nothing of them is in a file of ours.

The library has no way to list what it stores, so an entry of its own has the names.
"""

import json
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

from recollect.errors import RefusedError, StoreError
from recollect.installation import how_to_add

SERVICE = "recollect"
_NAMES = "names"
_REMEDY = (
    "unlock it or start one (GNOME Keyring, KWallet, KeePassXC, the macOS keychain), or keep the secret in "
    "an environment variable and write ${NAME}"
)

Answer = TypeVar("Answer")


class KeyringSecrets:
    """The secrets of a `scope` by name. Every method raises StoreError when there is no usable keyring."""

    def __init__(self, scope: str) -> None:
        self._scope = scope

    def get(self, name: str) -> str | None:
        """One secret; None for none."""
        value: str | None = self._ask(lambda keyring: keyring.get_password(SERVICE, self._key(name)))
        return value

    def put(self, name: str, value: str) -> None:
        """Store a secret, in place of an older one of that name."""
        self._ask(lambda keyring: keyring.set_password(SERVICE, self._key(name), value))
        self._list({*self.names(), name})

    def remove(self, name: str) -> bool:
        """Forget a secret; False if there was none."""
        is_known = self.get(name) is not None
        if is_known:
            self._ask(lambda keyring: keyring.delete_password(SERVICE, self._key(name)))
        self._list({*self.names()} - {name})
        return is_known

    def names(self) -> list[str]:
        """The names of all secrets, in order."""
        text = self._ask(lambda keyring: keyring.get_password(SERVICE, self._key(_NAMES, "")))
        try:
            names = json.loads(text or "[]")
        except ValueError:
            return []
        return (
            sorted(name for name in names if isinstance(name, str)) if isinstance(names, list) else []
        )

    def _list(self, names: set[str]) -> None:
        text = json.dumps(sorted(names))
        self._ask(lambda keyring: keyring.set_password(SERVICE, self._key(_NAMES, ""), text))

    def _key(self, name: str, mark: str = ":") -> str:
        return f"{self._scope}{mark or ' '}{name}"

    def _ask(self, question: Callable[[ModuleType], Answer]) -> Answer:
        try:
            import keyring  # noqa: PLC0415 - it takes a second, and most servers need none
            from keyring.errors import KeyringError, NoKeyringError  # noqa: PLC0415
        except ModuleNotFoundError:
            raise RefusedError(
                f"the keyring needs the package 'keyring'; `{how_to_add('keyring')}` adds it."
            ) from None
        try:
            return question(keyring)
        except NoKeyringError:
            raise StoreError(f"this system has no keyring; {_REMEDY}.") from None
        except KeyringError as error:
            raise StoreError(f"the keyring does not answer ({error}); {_REMEDY}.") from None
        except Exception as error:
            # Backends let errors of D-Bus and of the system through.
            reason = f"{type(error).__name__}: {error}"
            raise StoreError(f"the keyring does not answer ({reason}); {_REMEDY}.") from None
