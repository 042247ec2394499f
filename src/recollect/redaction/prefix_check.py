"""Is a match of a family's pattern the secret itself, or a placeholder, a word, the name of a file?"""

from __future__ import annotations

from recollect.redaction.value_check import (
    has_digit,
    is_counting,
    is_monotone,
    is_no_password,
    is_placeholder,
    is_random,
    is_reference,
    is_repeated,
    is_wordy,
    mixes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from recollect.redaction.family import Family


_FILE_ENDINGS = (
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".css", ".js", ".mjs", ".map", ".html"),
    *(".json", ".pdf", ".zip", ".tar", ".gz", ".whl", ".woff", ".woff2", ".mp4", ".py", ".ts", ".md"),
)
_MASKS = ("###", "***", "...")


def is_certain(family: Family, match: re.Match[str]) -> bool:
    """Whether a match is a secret: not a file's name (`icon-7a38....png`), masked, or a placeholder."""
    if match.string.startswith(_FILE_ENDINGS + _MASKS, match.end()):
        return False
    value: str = match["secret" if match.re.groups else 0]
    return family.sure or _CHECKS.get(family.kind, _is_issued)(value)


def _is_issued(value: str) -> bool:
    """A key with a provider's prefix: anything but the letters of an example, or plain words."""
    last = value.replace("-", "_").rpartition("_")[2]
    body = last if len(last) >= 12 else value
    if (
        is_monotone(body)
        or is_counting(body)
        or is_repeated(value)
        or value.upper().endswith("EXAMPLE")
    ):
        return False
    return sum(letter.isdigit() for letter in value) >= 4 or not is_wordy(value)


def _is_bearer(value: str) -> bool:
    if is_placeholder(value) or is_reference(value) or is_monotone(value):
        return False
    return (has_digit(value) and (len(value) >= 20 or not is_wordy(value))) or (
        mixes(value) == 2 and len(value) >= 20 and not is_wordy(value)
    )


def _is_basic(value: str) -> bool:
    """`Basic` and base64 of `user:password`, which no word decodes to."""
    from binascii import Error, a2b_base64

    try:
        user, colon, password = a2b_base64(value + "=" * (-len(value) % 4)).partition(b":")
    except Error:
        return is_random(value)
    both = (user + password).decode("utf-8", "replace")
    if not (colon and both.isprintable()):
        return is_random(value)
    return both.lower() not in _EXAMPLE_LOGINS and "{" not in both


_EXAMPLE_LOGINS = ("usernamepassword", "userpass", "userpassword", "testtest")


def _is_password(value: str) -> bool:
    value = value.strip("\"'")
    if any(
        is_reference(part) or is_no_password(part) for part in value.replace("%", ":").split(":")[1:]
    ):
        return False  # `user:<password>`
    return len(value) >= 3 and not is_reference(value) and not is_no_password(value)


def _is_in_url(value: str) -> bool:
    """A password in an address; or, without a user, a random token."""
    return not is_reference(value) and not is_no_password(value)


def _is_curl(value: str) -> bool:
    """`user:password`, with quotes around both or around each."""
    user, colon, password = value.replace('"', "").replace("'", "").partition(":")
    if not colon:
        return False
    secret = password or user
    if user == password or is_reference(secret) or is_placeholder(secret):
        bare = secret.strip("{}")
        return is_random(bare) and not is_reference(bare)
    return has_digit(secret) or not is_wordy(secret)


def _is_in_call(value: str) -> bool:
    """The second text that a function gets which logs in."""
    from recollect.redaction.assignment_check import QUOTED, is_secret
    from recollect.redaction.secret_names import PASSWORD

    return is_secret(value, PASSWORD, "", QUOTED)


def _is_hash(value: str) -> bool:
    return not is_monotone(value)


_CHECKS: dict[str, Callable[[str], bool]] = {
    "bearer token": _is_bearer,
    "basic credentials": _is_basic,
    "url credentials": _is_in_url,
    "url token": is_random,
    "bundler credentials": _is_password,
    "curl credentials": _is_curl,
    "client credentials": _is_in_call,
    "command line password": _is_password,
    "sql password": _is_password,
    "password file": _is_password,
    "password hash": _is_hash,
    "webhook address": is_random,
}
