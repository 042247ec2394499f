"""Is an assigned value the secret itself? The stronger the name, the less the value must show."""

from __future__ import annotations

from recollect.redaction.secret_names import PASSWORD, WEAK, names_provider
from recollect.redaction.value_check import (
    has_digit,
    is_digest,
    is_hex,
    is_identifier,
    is_monotone,
    is_placeholder,
    is_random,
    is_reference,
    is_slug,
    is_uuid,
    is_wordy,
    mixes,
)

_OF_TYPES = (
    "key",
    "token",
    "secret",
    "credentials",
    "password",
)  # the last word of a type or a variable


def is_secret(value: str, strength: str, name: str, *, quoted: bool) -> bool:
    """Whether the value assigned to a name of this strength is the secret itself."""
    if len(value) < (6 if strength == PASSWORD else 8) or (
        " " in value.strip() and strength != PASSWORD
    ):
        return False
    if is_reference(value, quoted=quoted) or is_digest(value) or is_placeholder(value):
        return False
    if strength != PASSWORD and value.isidentifier() and value.lower().endswith(_OF_TYPES):
        return False
    if strength == WEAK:
        return (quoted or not _is_code(value)) and _is_strong(value, name)
    if strength == PASSWORD and "phrase" in name.lower() and quoted and _is_phrase(value):
        return True
    if strength == PASSWORD:
        return _is_password(value, quoted=quoted) and "mnemonic" not in name.lower()
    return _is_key(value, quoted=quoted)


def _is_strong(value: str, name: str) -> bool:
    """Whether a value is a secret although its name hardly suggests one."""
    if is_uuid(value):
        return names_provider(name)
    if is_hex(value.removeprefix("0x")) or is_identifier(value) or _names_digest(value):
        return False
    plain = value.rstrip("=")
    return len(plain) >= 10 and is_random(plain.ljust(12, plain[-1])) and _one_token(plain)


def _names_digest(value: str) -> bool:
    """Whether words, numbers and digests are joined: `linux-pip-7f9c...`, `uploads/2024/05/7f9c....png`."""
    for mark in "-/:._":
        value = value.replace(mark, " ")
    parts = value.split()
    plain = all(is_hex(part) or part.rstrip("0123456789").isalpha() for part in parts)
    return len(parts) > 1 and plain and value == value.lower()


def _is_password(value: str, *, quoted: bool) -> bool:
    """A password may be a quoted word, but not a sentence."""
    if value.count(" ") > 5 or (" " in value and not quoted):
        return False
    if quoted:
        return " " not in value or has_digit(value)
    if _is_code(value) or (_names_secret(value) and _digits(value) < 2):
        return False
    if has_digit(value) or any(not (letter.isalnum() or letter in "_.-/:") for letter in value):
        return True
    return len(value) >= 12 and not is_wordy(value)


def _is_phrase(value: str) -> bool:
    """Words that make a password together: four or more, with nothing between them."""
    parts = value.split(" ")
    return len(parts) > 3 and all(part.isalpha() and part == part.lower() for part in parts)


def _is_key(value: str, *, quoted: bool) -> bool:
    if is_uuid(value):
        return True
    if is_monotone(value) or is_slug(value):
        return False
    if value.isdigit() or (value[:2] == "0x" and is_hex(value[2:])):
        return len(value) >= 15
    if not quoted and _is_code(value):
        return False
    if is_hex(value):
        return has_digit(value)
    if not has_digit(value):
        return len(value) >= 12 and not is_wordy(value)
    if not is_wordy(value):
        return True
    chosen = value.isalnum() or (mixes(value) == 3 and value.replace("-", "_").isidentifier())
    return quoted and chosen and _digits(value) >= 2 and len(value) >= 12 and not _names_secret(value)


def _is_code(value: str) -> bool:
    """Whether an unquoted value is an expression: a call, an index, a path of names."""
    if any(sign in value for sign in "()[]{}<>|\\") or value.endswith((":", ".")):
        return True
    if value.isidentifier() and "_" in value and value == value.upper():
        return True  # a constant
    if value.isidentifier() and _names_secret(value) and ("_" in value or _digits(value) < 2):
        return True
    parts = value.replace("::", ".").split(".")
    if len(parts) > 1 and all(part.isidentifier() and len(part) < 30 for part in parts):
        return True
    return any(sign in value for sign in "._/") and is_wordy(value)


def _names_secret(value: str) -> bool:
    """Whether a value is the name of a secret: `user_password1` is a variable."""
    low = value.lower()
    return any(word in low for word in ("password", "passwd", "secret", "token", "apikey", "api_key"))


def _digits(value: str) -> int:
    return sum(letter.isdigit() for letter in value)


def _one_token(value: str) -> bool:
    return all(letter.isalnum() or letter in "+/_-=.~:|!#%^&*@" for letter in value)
