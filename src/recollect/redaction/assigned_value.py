"""Which value is assigned to the name of a secret, and is it the secret itself?

The readers (`value_readers`) find the value in its notation, and `assignment_check` judges it.
"""

from __future__ import annotations

from recollect.redaction.assignment_check import is_secret
from recollect.redaction.secret_names import MOST_NAME, NOTHING, PASSWORD, WEAK, name_strength
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

    from recollect.redaction.value_readers import Opened

    Reader = Callable[[str, int], Opened | None]

_MOST_VALUE = 300  # characters that are checked; a longer value is removed to its end

# Before a name, these say that its value follows.
_COMMANDS = ("ENV ", "ARG ", "setenv ", "setx ", "-x ", "-gx ")
_SCHEMES = word_set(
    "bearer basic token digest bot apikey api-key key negotiate splunk geniekey ssws oauth"
)


def assigned_value(text: str, start: int, end: int, strength: str) -> Span | None:
    """The value that is assigned to the name from `start` to `end`, if it is a secret."""
    name = text[start:end]
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
    name, sign, rest = value[:MOST_NAME].partition("=")
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
