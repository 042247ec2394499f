"""Is what a family's pattern found the secret itself? Each family of shapes has its own doubts."""

from __future__ import annotations

from recollect.redaction.family import has_digit
from recollect.redaction.value_check import (
    is_counting,
    is_monotone,
    is_placeholder,
    is_random,
    is_reference,
    is_wordy,
    mixes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.redaction.family import Family


def is_certain(family: Family, value: str) -> bool:
    """Whether a value that a family's pattern found is a secret and no placeholder."""
    return family.sure or _DOUBTS.get(family.kind, _issued)(value)


def _issued(value: str) -> bool:
    """A key with a provider's prefix: anything but the letters of an example, or plain words."""
    body = value.replace("-", "_").rpartition("_")[2]
    told = body if len(body) >= 12 else value
    if is_monotone(told) or is_counting(told) or value.upper().endswith("EXAMPLE"):
        return False
    return sum(one.isdigit() for one in value) >= 4 or not is_wordy(value)


def _bearer(value: str) -> bool:
    if is_placeholder(value) or is_reference(value) or is_monotone(value):
        return False
    return (has_digit(value) and (len(value) >= 20 or not is_wordy(value))) or (
        mixes(value) == 2 and len(value) >= 20 and not is_wordy(value)
    )


def _basic(value: str) -> bool:
    """`Basic` and base64 of `user:password`, which no word decodes to."""
    from binascii import Error, a2b_base64

    try:
        user, colon, password = a2b_base64(value + "=" * (-len(value) % 4)).partition(b":")
    except Error:
        return is_random(value)
    told = (user + password).decode("utf-8", "replace")
    return not _is_stand_in(told) if colon and told.isprintable() else is_random(value)


def _is_stand_in(told: str) -> bool:
    return told.lower() in ("usernamepassword", "userpass", "userpassword", "testtest") or "{" in told


def _password(value: str) -> bool:
    return len(value) >= 3 and not is_reference(value) and not is_placeholder(value)


def _url(value: str) -> bool:
    """A password in an address; or, where there is no user, a token drawn by lot."""
    return not is_reference(value) and not is_placeholder(value)


def _curl(value: str) -> bool:
    """`user:password`, with quotes round the whole or round each."""
    user, colon, password = value.replace('"', "").replace("'", "").partition(":")
    if not colon:
        return False
    told = password or user
    if user == password or is_reference(told) or is_placeholder(told):
        return is_random(told.strip("{}")) and not is_reference(told.strip("{}"))
    return has_digit(told) or not is_wordy(told)


def _hash(value: str) -> bool:
    return not is_monotone(value)


_DOUBTS: dict[str, Callable[[str], bool]] = {
    "bearer token": _bearer,
    "basic credentials": _basic,
    "url credentials": _url,
    "url token": is_random,
    "bundler credentials": _password,
    "curl credentials": _curl,
    "client credentials": _password,
    "command line password": _password,
    "sql password": _password,
    "password file": _password,
    "password hash": _hash,
    "webhook address": is_random,
}
