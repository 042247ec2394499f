"""Values given to the name of a secret: in .env, YAML, JSON, TOML, shell, code, flags, headers, queries.

The scanner stops at words such as `token` or `key`, reads the whole name round them, and looks at what the
name is given (`given.py`). What stands there is judged (`weighed.py`): a reference or a word is left alone.
"""

from __future__ import annotations

from recollect.redaction.assignment_check import is_secret
from recollect.redaction.family import has_digit
from recollect.redaction.secret_names import NOTHING, PASSWORD, SECRET, WEAK, strength
from recollect.redaction.shapes import CLUES
from recollect.redaction.value_check import is_random, is_wordy, listed
from recollect.redaction.value_readers import (
    after_blank,
    after_more,
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

_MOST_NAME = 80
_AROUND_NAME = " \t\"'`\\)]"
_IN_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_SIGNS = frozenset("=:?|+.<,>-")
_MOST_VALUE = 300  # of a value is judged; one that goes on is taken out to its end

# Before a name, these say that its value follows.
_COMMANDS = ("ENV ", "ARG ", "setenv ", "setx ", "-x ", "-gx ")
# Before `key`, these leave no doubt.
_SURELY = listed("api access secret private account encryption signing master")
_SCHEMES = listed(
    "bearer basic token digest bot apikey api-key key negotiate splunk geniekey ssws oauth"
)


def assigned(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of each value given to the name of a secret. `low` is the text in lower case."""
    after = 0
    for clue in _clues(low):
        if clue < after:
            continue
        start, end = _name(text, clue)
        after = max(after, end)
        found = _given(text, start, end)
        if found is not None:
            after = max(after, found[2])
            yield found


def is_given(name: str, value: str) -> bool:
    """Whether a value is a secret because of the name it is given to."""
    told = strength(name)
    return told in (PASSWORD, SECRET) and is_secret(value, told, name, quoted=True)


def _clues(low: str) -> list[int]:
    """Where names may be that speak of secrets, in order."""
    found = []
    for clue in CLUES:
        at = low.find(clue)
        while at >= 0:
            found.append(at)
            at = low.find(clue, at + len(clue))
    found.sort()
    return found


def _name(text: str, at: int) -> tuple[int, int]:
    """The bounds of the name that a clue stands in."""
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


def _given(text: str, start: int, end: int) -> tuple[str, int, int] | None:
    """What the name from `start` to `end` is given, if that is a secret."""
    name = text[start:end]
    told = _told(text, start, name)
    if told == NOTHING or (told == WEAK and "." in name and strength(name) == NOTHING):
        return None
    if not _may_be_given(text, end, told):
        return None
    for reader in _ways(text, start, end, told):
        opened = reader(text, end)
        if opened:
            found = _judged(
                text, opened, name, told, drawn=reader is in_pair and _is_list(text, start, opened)
            )
            other = None if found or opened[1] else in_fallback(text, opened[0])
            return _judged(text, other, name, told, drawn=True) if other else found
    return None


def _is_list(text: str, start: int, opened: Opened) -> bool:
    """Whether two strings side by side may be names, for all that stands round them."""
    value = value_at(text, opened, _MOST_VALUE)
    return text[max(0, start - 2) : start - 1] != "(" or (not has_digit(value) and is_wordy(value))


def _told(text: str, start: int, name: str) -> str:
    """What a name says, with the word before it where it is written as two: `public key`, `api key`."""
    told = strength(name.rpartition(".")[2] or name)
    before = text[max(0, start - _MOST_NAME) : start].rpartition("\n")[2]
    if before.endswith(":") and "arn:" in before:
        return NOTHING  # a resource that is named after what it holds
    if told == WEAK and before.endswith(" ") and (word := before.split()[-1:]):
        both = strength(f"{word[0]}_{name}")
        return both if both == NOTHING or word[0].lower() in _SURELY else told
    return told


def _may_be_given(text: str, end: int, told: str) -> bool:
    """Whether a look at what follows a name leaves it possible; most names need no pattern."""
    rest = text[end : end + _MOST_NAME].lstrip(_AROUND_NAME)
    if told == WEAK:
        return rest[:1] in _SIGNS and has_digit(text[end : end + _MOST_NAME])
    return bool(rest)


def _judged(
    text: str, opened: Opened, name: str, told: str, *, drawn: bool
) -> tuple[str, int, int] | None:
    """The value if it is a secret; `drawn` asks for one that can only be drawn by lot."""
    start, quoted = opened[0], bool(opened[1])
    given = value_at(text, opened, _MOST_VALUE)
    if not quoted and _is_nested(given):
        return None
    value, at = _trimmed(given, start, quoted=quoted)
    if (drawn and not is_random(value)) or not is_secret(value, told, name, quoted=quoted):
        return None
    goes_on = len(given) == _MOST_VALUE
    return (
        _kind(told),
        at,
        start + len(value_at(text, opened, len(text))) if goes_on else at + len(value),
    )


def _is_nested(value: str) -> bool:
    """Whether a value is an assignment itself: `auth=token=...`."""
    name, sign, rest = value[:_MOST_NAME].partition("=")
    return bool(sign and rest.strip("=")) and strength(name) != NOTHING


def _kind(told: str) -> str:
    return "assigned secret" if told != WEAK else "likely secret"


def _ways(text: str, start: int, end: int, told: str) -> Iterator[Reader]:
    """How this name may be given a value, going by what stands round it."""
    before = text[start - 1 : start]
    follows = text[end : end + 2]
    if text[max(start, end - 13) : end].lower() == "authorization":
        yield after_scheme
    elif before == "<" and follows[:1] == ">":
        yield in_tag
    elif before == ">" and follows == "</":
        yield in_next_tag
    yield after_sign
    if follows[:1] == "(" and told != WEAK and _is_setter(text[start:end]):
        yield in_call
    if follows == '" ' and told != WEAK:
        yield in_block
    if follows[:1] in ("'", '"', "`", "\\"):
        yield in_record
        yield in_pair
    if told != WEAK and follows[:1] in (" ", "\t", '"', "'") and text[start:end].lower() != "pass":
        if _is_followed(text, start, end, told):
            yield after_blank
        if text.startswith((" for ", " of ", " on "), end):
            yield after_more


def _is_followed(text: str, start: int, end: int, told: str) -> bool:
    """Whether a value stands behind a name with nothing but a blank between: after a flag, in a `.netrc`."""
    if text[start] == "-" or text[max(0, start - 10) : start].endswith(_COMMANDS):
        return True
    if text[end : end + 4] in (" is ", " was", " to "):
        return True
    if text[end + 1 : end + 2] in ("'", '"'):
        named = text[start:end].lower() == "password" and text[start - 1 : start] != "/"  # ends a path
        return named or text[max(0, start - 8) : start] == "#define "
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    return told == PASSWORD and "login " in line


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
