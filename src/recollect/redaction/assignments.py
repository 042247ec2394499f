"""Values assigned to the name of a secret: in .env, YAML, JSON, TOML, shell, code, flags, headers, queries.

The scanner stops at words such as `token` or `key`, reads the complete name around them, finds the value that
is assigned to it (`value_readers`), and checks it (`assignment_check`): references and words are left alone.
"""

from __future__ import annotations

from recollect.redaction.assignment_check import is_secret
from recollect.redaction.secret_names import NOTHING, PASSWORD, SECRET, WEAK, name_strength
from recollect.redaction.spans import Span
from recollect.redaction.value_check import has_digit, is_random, is_wordy, word_set
from recollect.redaction.value_readers import (
    after_blank,
    after_phrase,
    after_scheme,
    after_sign,
    in_block,
    in_call,
    in_fallback,
    in_next_tag,
    in_pair,
    in_record,
    in_tag,
    value_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recollect.redaction.spans import ScannedText
    from recollect.redaction.value_readers import Opened

    Reader = Callable[[str, int], Opened | None]

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
_MOST_NAME = 80
_AROUND_NAME = " \t\"'`\\)]"
_IN_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_SIGNS = frozenset("=:?|+.<,>-")
_MOST_VALUE = 300  # characters that are checked; a longer value is removed to its end

# Before a name, these say that its value follows.
_COMMANDS = ("ENV ", "ARG ", "setenv ", "setx ", "-x ", "-gx ")
# Before `key`, these leave no doubt.
_SURELY = word_set("api access secret private account encryption signing master")
_SCHEMES = word_set(
    "bearer basic token digest bot apikey api-key key negotiate splunk geniekey ssws oauth"
)


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
    return strength in (PASSWORD, SECRET) and is_secret(value, strength, name, quoted=True)


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
    start, end = at, at
    least, most = max(0, at - _MOST_NAME), min(len(text), at + _MOST_NAME)
    while start > least and text[start - 1] in _IN_NAME:
        start -= 1
    while end < most and text[end] in _IN_NAME:
        end += 1
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
    for reader in _readers(text, start, end, strength):
        opened = reader(text, end)
        if opened:
            listed = reader is in_pair and _is_list(text, start, opened)
            span = _checked(text, opened, name, strength, must_be_random=listed)
            fallback = None if span or opened[1] else in_fallback(text, opened[0])
            return _checked(text, fallback, name, strength, must_be_random=True) if fallback else span
    return None


def _is_list(text: str, start: int, opened: Opened) -> bool:
    """Whether two strings side by side may be items of a list and not a name and its value."""
    value = value_at(text, opened, _MOST_VALUE)
    return text[max(0, start - 2) : start - 1] != "(" or (not has_digit(value) and is_wordy(value))


def _strength(text: str, start: int, name: str) -> str:
    """A name's strength, with the word before it where it is written as two: `public key`, `api key`."""
    alone = name_strength(name.rpartition(".")[2] or name)
    before = text[max(0, start - _MOST_NAME) : start].rpartition("\n")[2]
    if before.endswith(":") and "arn:" in before:
        return NOTHING  # a resource that is named after what it holds
    if alone == WEAK and before.endswith(" ") and (word := before.split()[-1:]):
        both = name_strength(f"{word[0]}_{name}")
        return both if both == NOTHING or word[0].lower() in _SURELY else alone
    return alone


def _may_be_assigned(text: str, end: int, strength: str) -> bool:
    """A quick check of what follows a name."""
    rest = text[end : end + _MOST_NAME].lstrip(_AROUND_NAME)
    if strength == WEAK:
        return rest[:1] in _SIGNS and has_digit(text[end : end + _MOST_NAME])
    return bool(rest)


def _checked(
    text: str, opened: Opened, name: str, strength: str, *, must_be_random: bool
) -> Span | None:
    """The value if it is a secret."""
    start, quoted = opened[0], bool(opened[1])
    written = value_at(text, opened, _MOST_VALUE)
    if not quoted and _is_nested(written):
        return None
    value, at = _trimmed(written, start, quoted=quoted)
    if must_be_random and not is_random(value):
        return None
    if not is_secret(value, strength, name, quoted=quoted):
        return None
    is_cut = len(written) == _MOST_VALUE
    end = start + len(value_at(text, opened, len(text))) if is_cut else at + len(value)
    return Span("likely secret" if strength == WEAK else "assigned secret", at, end)


def _is_nested(value: str) -> bool:
    """Whether a value is an assignment itself: `auth=token=...`."""
    name, sign, rest = value[:_MOST_NAME].partition("=")
    return bool(sign and rest.strip("=")) and name_strength(name) != NOTHING


def _readers(text: str, start: int, end: int, strength: str) -> Iterator[Reader]:
    """The readers to try, by what is before and after the name."""
    before = text[start - 1 : start]
    follows = text[end : end + 2]
    if text[max(start, end - 13) : end].lower() == "authorization":
        yield after_scheme
    elif before == "<" and follows[:1] == ">":
        yield in_tag
    elif before == ">" and follows == "</":
        yield in_next_tag
    yield after_sign
    if follows[:1] == "(" and strength != WEAK and _is_setter(text[start:end]):
        yield in_call
    if follows == '" ' and strength != WEAK:
        yield in_block
    if follows[:1] in ("'", '"', "`", "\\"):
        yield in_record
        yield in_pair
    if strength != WEAK and follows[:1] in (" ", "\t", '"', "'") and text[start:end].lower() != "pass":
        if _is_followed(text, start, end, strength):
            yield after_blank
        if text.startswith((" for ", " of ", " on "), end):
            yield after_phrase


def _is_followed(text: str, start: int, end: int, strength: str) -> bool:
    """Whether a value follows a name after a blank only: after a flag, in a `.netrc`."""
    if text[start] == "-" or text[max(0, start - 10) : start].endswith(_COMMANDS):
        return True
    if text[end : end + 4] in (" is ", " was", " to "):
        return True
    if text[end + 1 : end + 2] in ("'", '"'):
        named = text[start:end].lower() == "password" and text[start - 1 : start] != "/"  # ends a path
        return named or text[max(0, start - 8) : start] == "#define "
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    return strength == PASSWORD and "login " in line


def _is_setter(name: str) -> bool:
    """Whether it is a method that takes a secret: `setPassword`, `.password`."""
    last = name.rpartition(".")[2].lower()
    return last.startswith(("set", "with")) or (name[:1] == "." and last == "password")


def _trimmed(value: str, at: int, *, quoted: bool) -> tuple[str, int]:
    """The value alone: without a scheme before it, and without what follows it on the line."""
    first, space, rest = value.partition(" ")
    if space and first.lower().rstrip(":") in _SCHEMES:
        at += len(value) - len(rest.lstrip())
        value = rest.lstrip()
    if quoted:
        return value.rstrip("\\"), at
    for mark in ";&,":
        place = value.find(mark)
        if place >= 0 and ("=" in value[place:] or ":" in value[place:]):
            value = value[:place]
    value = value.rstrip(",;)]}>:.")
    return value, at
