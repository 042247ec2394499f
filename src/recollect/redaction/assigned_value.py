"""Which value is assigned to the name of a secret, and is it the secret itself?

The readers (`value_readers`) find the value in its notation, and `assignment_check` judges it.
"""

from __future__ import annotations

from recollect.redaction.assignment_check import ALONE, LOOSE, PLAIN, PROSE, QUOTED, is_secret
from recollect.redaction.notation import (
    is_alone,
    is_configuration,
    is_followed,
    is_label,
    is_machine_written,
    is_setter,
)
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
    in_next_field,
    in_next_tag,
    in_pair,
    in_record,
    in_tag,
    on_next_line,
    value_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recollect.redaction.value_readers import Opened

    Reader = Callable[[str, int], Opened | None]

_MOST_VALUE = 300  # characters that are checked; a longer value is removed to its end
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
            notation = _notation(text, start, end, opened, reader)
            if notation == ALONE and strength != PASSWORD and "=" in text[end : opened[0]]:
                notation = LOOSE  # one variable and another
            span = _checked(text, opened, name, strength, notation, must_be_random=listed)
            fallback = None if span or opened[1] else in_fallback(text, opened[0])
            if fallback:
                return _checked(text, fallback, name, strength, QUOTED, must_be_random=True)
            return span
    return None


def _notation(text: str, start: int, end: int, opened: Opened, reader: Reader) -> str:
    """How the value is written that a reader opened."""
    if opened[1]:
        return QUOTED
    if reader is on_next_line:
        return PROSE
    if reader is in_next_field:
        return PLAIN
    if reader in (after_blank, after_phrase):
        is_prose = (text[start] != "-" and reader is after_phrase) or _has_verb(text, end, opened[0])
        return PROSE if is_prose or is_followed(text, start, end) == PROSE else PLAIN
    value = value_at(text, opened, _MOST_VALUE)
    if reader is after_sign and is_machine_written(text, start, end, opened[0], value):
        return PLAIN
    if not is_alone(text, start, opened[0] + len(value)):
        return LOOSE
    return PLAIN if is_configuration(text, start, end, opened[0], value) else ALONE


def _has_verb(text: str, end: int, value: int) -> bool:
    """Whether a word stands between a name and its value: `is`, `ist`, `est`."""
    return bool(text[end:value].strip(" \t\"'`"))


def _is_list(text: str, start: int, opened: Opened) -> bool:
    """Whether two strings side by side may be items of a list and not a name and its value."""
    value = value_at(text, opened, _MOST_VALUE)
    return text[max(0, start - 2) : start - 1] != "(" or (not has_digit(value) and is_wordy(value))


def _checked(
    text: str, opened: Opened, name: str, strength: str, notation: str, *, must_be_random: bool
) -> Span | None:
    """The value if it is a secret."""
    start, quoted = opened[0], bool(opened[1])
    written = value_at(text, opened, _MOST_VALUE)
    if written[:1] in (" ", "\t") or (not quoted and _is_nested(written)):
        return None  # after the quote that ends a text: `"Password: " PASSWORD`
    value, at = _trimmed(written, start, quoted=quoted)
    if notation == PROSE and not name.isascii() and name == name.upper():
        value = _ascii_start(value)
    if must_be_random and not is_random(value):
        return None
    if notation == PROSE and not _ends_clause(text, at + len(value), written) and value.isalpha():
        return None
    if not is_secret(value, strength, name, notation):
        line = _line_of_words(text, at, notation, strength)
        if line and is_secret(line, strength, name, notation):
            return Span("assigned secret", at, at + len(line))
        return None
    is_cut = len(written) == _MOST_VALUE
    end = start + len(value_at(text, opened, len(text))) if is_cut else at + len(value)
    return Span("likely secret" if strength == WEAK else "assigned secret", at, end)


def _line_of_words(text: str, at: int, notation: str, strength: str) -> str:
    """The rest of a line of which an unquoted passphrase may consist."""
    if strength != PASSWORD or notation != LOOSE:
        return ""
    return text[at : at + 100].partition("\n")[0].rstrip()


def _ascii_start(value: str) -> str:
    """What is before the first letter of another script: no blank ends a word in Chinese or Japanese."""
    for place, letter in enumerate(value):
        if not letter.isascii():
            return value[:place]
    return value


_CLAUSE_STARTS = word_set("on for at and but so then in")


def _ends_clause(text: str, end: int, written: str) -> bool:
    """Whether a sentence or its clause ends here: a verb's object, not the first word of more."""
    rest = text[end : end + 40]
    following = rest.partition("\n")[0].split(None, 1)
    if not following or not following[0].isascii() or rest[:1] in ".,;)!?\"'`。、\uff0c":
        return True
    return written != "" and following[0].lower().strip(",;") in _CLAUSE_STARTS


def _is_nested(value: str) -> bool:
    """Whether a value is an assignment itself: `auth=token=...`."""
    name, sign, rest = value[:MOST_NAME].partition("=")
    is_name = not any(mark in name for mark in ";&,")
    return bool(sign and rest.strip("=")) and is_name and name_strength(name) != NOTHING


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
    if follows[:1] == "(" and strength != WEAK and is_setter(text[start:end]):
        yield in_call
    if strength != WEAK and text[max(0, start - 8) : start].rstrip(" \t\"'").endswith(("ame:", "ey:")):
        yield in_next_field
    if follows == '" ' and strength != WEAK:
        yield in_block
    if follows[:1] in ("'", '"', "`", "\\"):
        yield in_record
        yield in_pair
    if strength == PASSWORD and is_label(text, start) and follows.strip()[:1] in (":", "\uff1a", ""):
        yield on_next_line
    if strength != WEAK and text[start:end].lower() != "pass":
        if is_followed(text, start, end, strength):
            yield after_blank
        if text.startswith((" for ", " of ", " on "), end):
            yield after_phrase


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
    value = value.rstrip(",;)]}>:.。、\uff0c")
    return value, at
