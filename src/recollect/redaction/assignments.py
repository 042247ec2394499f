"""Values assigned to the name of a secret: in .env, YAML, JSON, TOML, shell, code, flags, headers, queries.

The scanner stops at words such as `token` or `key`, reads the complete name around them, and leaves the
value that is assigned to it to `assigned_value`.
"""

from __future__ import annotations

from recollect.redaction.secret_names import (
    MOST_NAME,
    NOTHING,
    PASSWORD,
    SECRET,
    WEAK,
    name_strength,
)
from recollect.redaction.value_check import has_digit, word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.redaction.spans import ScannedText, Span

# Every name that suggests a secret contains one of these.
CLUES = (
    *(
        "pass",
        "pw",
        "secret",
        "token",
        "key",
        "cred",
        "auth",
        "access",
        "client",
        "psk",
        "dsn",
        "cookie",
    ),
    *("session", "login", "license", "webhook", "salt", "seed", "otp", "mnemonic"),
)
_AROUND_NAME = " \t\"'`\\)]"
_IN_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_SIGNS = frozenset("=:?|+.<,>-")

# Before `key`, these leave no doubt.
_SURELY = word_set("api access secret private account encryption signing master")


def assigned_values(source: ScannedText) -> Iterator[Span]:
    """Each secret that is assigned to a name."""
    text, after = source.text, 0
    for clue in _clues(source.lower):
        if clue < after:
            continue
        start, end = _name(text, clue)
        after = max(after, end)
        span = _assigned(text, start, end)
        if span is not None:
            after = max(after, span.end)
            yield span


def is_assigned_secret(name: str, value: str) -> bool:
    """Whether a value is a secret because of the name it is assigned to."""
    lower = name.lower()
    if not any(clue in lower for clue in CLUES):
        return False
    strength = name_strength(name)
    if strength not in (PASSWORD, SECRET):
        return False
    from recollect.redaction.assignment_check import is_secret

    return is_secret(value, strength, name, quoted=True)


def _clues(lower: str) -> list[int]:
    """Where names that suggest a secret may be, in order."""
    places = []
    for clue in CLUES:
        at = lower.find(clue)
        while at >= 0:
            places.append(at)
            at = lower.find(clue, at + len(clue))
    places.sort()
    return places


def _name(text: str, at: int) -> tuple[int, int]:
    """The bounds of the name that contains the clue."""
    before, after = text[max(0, at - MOST_NAME) : at], text[at : at + MOST_NAME]
    start = at - len(before) + len(before.rstrip(_IN_NAME))
    end = at + len(after) - len(after.lstrip(_IN_NAME))
    if start >= 1 and text[start - 1] == "\\" and text[start] in "nrt":
        start += 1  # `\n` in a string: the letter is not the name's
    while end > at and text[end - 1] in ".-":
        end -= 1
    return start, end


def _assigned(text: str, start: int, end: int) -> Span | None:
    """The value that is assigned to the name from `start` to `end`, if it is a secret."""
    name = text[start:end]
    strength = _strength(text, start, name)
    if strength == NOTHING or (strength == WEAK and "." in name and name_strength(name) == NOTHING):
        return None
    if not _may_be_assigned(text, end, strength):
        return None
    from recollect.redaction.assigned_value import assigned_value  # most names have no value

    return assigned_value(text, start, end, strength)


def _strength(text: str, start: int, name: str) -> str:
    """A name's strength, with the word before it where it is written as two: `public key`, `api key`."""
    alone = name_strength(name.rpartition(".")[2] or name)
    if alone == NOTHING or text[start - 1 : start] not in (":", " "):
        return alone
    before = text[max(0, start - MOST_NAME) : start].rpartition("\n")[2]
    if before.endswith(":") and "arn:" in before:
        return NOTHING  # a resource that is named after what it holds
    if alone == WEAK and before.endswith(" ") and (word := before.split()[-1:]):
        both = name_strength(f"{word[0]}_{name}")
        return both if both == NOTHING or word[0].lower() in _SURELY else alone
    return alone


def _may_be_assigned(text: str, end: int, strength: str) -> bool:
    """A quick check of what follows a name."""
    rest = text[end : end + MOST_NAME].lstrip(_AROUND_NAME)
    if strength == WEAK:
        return rest[:1] in _SIGNS and has_digit(text[end : end + MOST_NAME])
    return bool(rest)
