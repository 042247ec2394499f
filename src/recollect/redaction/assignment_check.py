"""Is an assigned value the secret itself? The stronger the name, the less the value must show.

A password may be anything: a word, a phrase, three letters. The notation decides: in `DB_PASSWORD=monkey`
only the value can follow; after a colon there may be a type, a variable or a sentence.
"""

from __future__ import annotations

from recollect.redaction.described_values import is_description, is_passphrase, is_state
from recollect.redaction.secret_names import PASSWORD, WEAK, is_key_of, names_provider, surely_secret
from recollect.redaction.value_check import (
    has_digit,
    is_counting,
    is_digest,
    is_hex,
    is_identifier,
    is_monotone,
    is_no_password,
    is_placeholder,
    is_random,
    is_reference,
    is_repeated,
    is_slug,
    is_uuid,
    is_wordy,
    mixes,
    word_set,
)

# How a value is written. PLAIN: nothing but a value can be there. LOOSE: it may be code, or prose.
# ALONE: as LOOSE, and nothing follows it on its line. PROSE: after `is`, `with password`.
QUOTED, PLAIN, LOOSE, ALONE, PROSE = "quoted", "plain", "loose", "alone", "prose"

_FEWEST = 3  # characters of a password
_OF_TYPES = (
    "key",
    "token",
    "secret",
    "credentials",
    "password",
)  # the last word of a type or a variable
_VARIABLES = word_set(
    "value val data line text input result row arg args param params entry item user name field config self",
    "this tmp temp raw plain hashed hash salt digest new old random candidate guess body payload response",
    "match node other obj options opts env prompt await lambda not type func function process event state",
    "pwd passwd pass password passphrase secret token key creds credential string bytes str getpass bool",
)


def is_secret(value: str, strength: str, name: str, notation: str) -> bool:
    """Whether the value assigned to a name of this strength is the secret itself."""
    quoted = notation == QUOTED
    may_be_code = not quoted and (notation != PLAIN or (name.islower() and value[:1].isalpha()))
    if is_reference(value, quoted=not may_be_code) or is_digest(value):
        return False
    if value and value.lower() in name.lower():
        return False  # `SSL_TXT_PSK "PSK"`
    if strength == PASSWORD:
        return _is_password(value, name, notation) and "mnemonic" not in name.lower()
    if len(value) < 6 or "\\" in value or " " in value.strip():
        return False
    if is_placeholder(value) and is_no_password(value):
        return False
    if not is_uuid(value) and (is_repeated(value) or is_counting(value)):
        return False
    if notation in (QUOTED, PLAIN, ALONE) and _is_chosen(value, name, strength, notation):
        return True
    if len(value) < 8 or (value.isidentifier() and value.lower().endswith(_OF_TYPES)):
        return False
    if strength == WEAK:
        return (quoted or not _is_code(value)) and _is_strong(value, name)
    return _is_key(value, quoted=quoted)


def _is_chosen(value: str, name: str, strength: str, notation: str) -> bool:
    """Whether a person chose the secret: `SECRET_KEY=supersecret`, whatever it looks like."""
    if strength == WEAK or not surely_secret(name) or is_state(value) or is_monotone(value):
        return False
    if notation == PLAIN:
        return not _is_code(value) and not is_slug(value)
    return value.isalpha() and value.islower() and value not in _VARIABLES


def _is_strong(value: str, name: str) -> bool:
    """Whether a value is a secret although its name hardly suggests one."""
    if is_uuid(value):
        return names_provider(name)
    if is_hex(value) and is_key_of(name):
        return 20 <= len(value) <= 64 and has_digit(value) and not value.isdigit()
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


def _is_password(value: str, name: str, notation: str) -> bool:
    """Anything may be a password, except a placeholder, a description, and a variable where code can be."""
    if " " in value.strip():
        if is_no_password(value):
            return False
        return not is_description(value) if notation == QUOTED else is_passphrase(value)
    if len(value) < _FEWEST or is_no_password(value) or is_state(value):
        return False
    if (
        name.lower() == "pass"
        and notation != PLAIN
        and (value.isdigit() or value.isalpha() or name != "pass")
    ):
        return False  # the result of a test
    if notation == PLAIN and _may_be_call(value, name):
        return False
    if notation == PLAIN:
        return not (value.isidentifier() and value.lower() in _VARIABLES and name.islower())
    if notation == QUOTED:
        return value.lower() not in _VARIABLES
    numbered = has_digit(value) and value.rstrip("0123456789").lower() in _VARIABLES
    if numbered and (notation == PROSE or (notation == ALONE and value[0].isupper())):
        return True  # `Password1`
    return _is_unquoted_password(value, notation)


def _may_be_call(value: str, name: str) -> bool:
    """Whether an unquoted value of a name in small letters is a call or an item: `password=read(...)`."""
    return name.islower() and any(sign in value for sign in "([{")


def _is_unquoted_password(value: str, notation: str) -> bool:
    """A word is a password only where it is alone on its line or ends a sentence, and names no variable."""
    if _is_code(value.replace("_", "") if notation == PROSE else value) or (
        _names_secret(value) and _digits(value) < 2
    ):
        return False
    if value.isdigit() and len(value) < 4:
        return False
    if has_digit(value) or any(not (letter.isalnum() or letter in "_.-/:'\u2019") for letter in value):
        return len(value) >= 6 or notation != LOOSE
    if len(value) >= 12 and value.isascii() and not is_wordy(value):
        return True
    return notation in (ALONE, PROSE) and _is_word(value)


def _is_word(value: str) -> bool:
    """Whether it is one word as people choose it, not the name of a variable."""
    plain = value.replace("-", "").replace(".", "").replace("_", "")
    cased = value == value.lower() or value == value.capitalize() or value == value.upper()
    return plain.isalpha() and cased and value.lower() not in _VARIABLES


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
    if any(sign in value for sign in "()[]{}|\\") or value.partition("<")[2][:1].isalpha():
        return True
    if value.endswith((":", ".")):
        return True
    if value.isidentifier() and "_" in value and value == value.upper():
        return True  # a constant
    if value.isidentifier() and _names_secret(value) and ("_" in value or _digits(value) < 2):
        return value.lower() not in _CHOSEN_WORDS
    parts = value.replace("::", ".").split(".")
    if len(parts) > 1 and all(part.isidentifier() and len(part) < 30 for part in parts):
        return True
    return any(sign in value for sign in "._/") and is_wordy(value)


# Secrets that people choose with the word in them.
_CHOSEN_WORDS = word_set("supersecret topsecret mysecret verysecret supersecretkey mysecretkey")


def _names_secret(value: str) -> bool:
    """Whether a value is the name of a secret: `user_password1` is a variable."""
    low = value.lower()
    return any(word in low for word in _NAMES_OF_SECRETS)


_NAMES_OF_SECRETS = (
    "password",
    "passwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "credential",
    "creds",
)


def _digits(value: str) -> int:
    return sum(letter.isdigit() for letter in value)


def _one_token(value: str) -> bool:
    return all(letter.isalnum() or letter in "+/_-=.~:|!#%^&*@" for letter in value)
