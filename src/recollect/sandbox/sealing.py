"""Sealing: a suspended guest as text that only its user can have written.

The interpreter loads a state that was changed; the seal is what refuses it.
"""

import base64
import binascii
import hashlib
import hmac
import json

from recollect.errors import RefusedError
from recollect.sandbox.guest import GuestSuspended

LARGEST_STATE = 1_000_000  # bytes that are stored
_VERSION = "1"


def sealed(guest: GuestSuspended, key: bytes, place: tuple[str, ...]) -> str:
    """The guest as text. `place` says whose it is: unsealed elsewhere it is refused."""
    details = {
        "waiting": {str(id): name for id, name in guest.waiting.items()},
        "printed": guest.printed,
    }
    state = base64.b64encode(guest.state).decode()
    content = base64.b64encode(json.dumps([details, state]).encode()).decode()
    return f"{_VERSION}.{content}.{_seal(content, key, place)}"


def unsealed(text: str, key: bytes, place: tuple[str, ...]) -> GuestSuspended:
    """The guest that was sealed. Raises RefusedError for a text that was changed, or is of another place."""
    version, _, rest = text.partition(".")
    content, _, seal = rest.partition(".")
    if version != _VERSION or not hmac.compare_digest(
        seal.encode(), _seal(content, key, place).encode()
    ):
        raise RefusedError(
            "the stored state of the code was changed, or was written by another user or version, so "
            "it is not used. Start the code again."
        )
    try:
        details, state = json.loads(base64.b64decode(content))
        waiting = {int(id): str(name) for id, name in details["waiting"].items()}
        return GuestSuspended(base64.b64decode(state), waiting, str(details["printed"]))
    except (ValueError, KeyError, TypeError, binascii.Error):  # sealed by us, so of another version
        raise RefusedError("the stored state of the code cannot be read. Start it again.") from None


def _seal(content: str, key: bytes, place: tuple[str, ...]) -> str:
    signed = json.dumps([_VERSION, *place, content]).encode()
    return hmac.new(key, signed, hashlib.sha256).hexdigest()
