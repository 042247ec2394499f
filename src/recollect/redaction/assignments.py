"""Values assigned to the name of a secret: in .env, YAML, JSON, TOML, shell, code, flags, headers, queries.

The scanner stops at words such as `token` or `key`, reads the complete name around them, and leaves the
value that is assigned to it to `assigned_value`.
"""

from __future__ import annotations

from recollect.redaction.mark_search import marks_in
from recollect.redaction.secret_names import (
    FOREIGN,
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
    *(
        "session",
        "login",
        "license",
        "webhook",
        "salt",
        "seed",
        "otp",
        "mnemonic",
        "_pat",
        "-pat",
        "pat=",
    ),
)
_AROUND_NAME = " \t\"'`\\)]"
_IN_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_SIGNS = frozenset("=:?|+.<,>-")

# Before `key`, these leave no doubt.
_SURELY = word_set("api access secret private account encryption signing master")


def assigned_values(source: ScannedText) -> Iterator[Span]:
    """Each secret that is assigned to a name."""
    text, after, headers = source.text, 0, list[int]()
    foreign = _foreign(source)
    for clue in sorted([*_clues(source.lower), *foreign]):
        if clue < after:
            continue
        start, end = _name(text, clue, foreign.get(clue, ""))
        after = max(after, end)
        name = text[start:end]
        alone = name_strength(name.rpartition(".")[2] or name)
        if alone == NOTHING:
            continue
        if alone != WEAK and _may_head(text, start, end):
            headers.append(start)
        span = _assigned(text, start, end, alone)
        if span is not None:
            after = max(after, span.end)
            yield span
    if headers:
        from recollect.redaction.tables import table_values

        yield from table_values(text, headers)


def _may_head(text: str, start: int, end: int) -> bool:
    """Whether a name may be the title of a column: in a line with separators, before one or at its end."""
    rest = text[end : end + 20].lstrip(" \"'`*")[:1]
    if rest not in _SEPARATORS:
        return False
    line = text[max(0, start - 200) : start].rpartition("\n")[2].rstrip(" \"'`*")
    return (rest not in ("", "\n", "\r") and not line) or bool(_SEPARATORS.intersection(line))


_SEPARATORS = frozenset("|\t,;\r\n")


def is_assigned_secret(name: str, value: str) -> bool:
    """Whether a value is a secret because of the name it is assigned to."""
    lower = name.lower()
    if not any(clue in lower for clue in (*CLUES, *FOREIGN)):
        return False
    strength = name_strength(name)
    if strength not in (PASSWORD, SECRET):
        return False
    from recollect.redaction.assignment_check import QUOTED, is_secret

    return is_secret(value, strength, name, QUOTED)


# Of these words the others contain a clue.
_SEARCHED = [word for word in FOREIGN if " " in word or not any(clue in word for clue in CLUES)]
_IN_ASCII = tuple([word for word in _SEARCHED if word.isascii()])
_IN_OTHER_LETTERS = [word for word in _SEARCHED if not word.isascii()]


def _foreign(source: ScannedText) -> dict[int, str]:
    """Where other languages' words for a password are."""
    places = {}
    text = source.text if source.text.isascii() else _lower(source.text)
    for word in (*marks_in(source.lower, _IN_ASCII), *_IN_OTHER_LETTERS):
        lower = source.lower if word.isascii() else text
        at = lower.find(word)
        while at >= 0:
            places[at] = word
            at = lower.find(word, at + len(word))
    return places


def _lower(text: str) -> str:
    """A text in lower case, of equal length: a few letters of a few languages grow."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join([letter.lower()[:1] for letter in text])


def _clues(lower: str) -> list[int]:
    """Where names that suggest a secret may be."""
    places = []
    for clue in marks_in(lower, CLUES):
        at = lower.find(clue)
        while at >= 0:
            places.append(at)
            at = lower.find(clue, at + len(clue))
    return places


def _name(text: str, at: int, word: str) -> tuple[int, int]:
    """The bounds of the name that contains the clue; `word` is the clue if it is another language's."""
    if word and (" " in word or (not word.isascii() and word == word.upper())):
        head = text[max(0, at - MOST_NAME) : at]  # a script without capitals writes no blanks either
        return at - len(head) + len(head.rstrip(_IN_NAME)), at + len(word)
    before, after = text[max(0, at - MOST_NAME) : at], text[at : at + MOST_NAME]
    start = at - len(before) + len(before.rstrip(_IN_NAME))
    end = at + len(after) - len(after.lstrip(_IN_NAME))
    while end < len(text) and not text[end].isascii() and text[end].isalpha() and end - at < MOST_NAME:
        end += 1
        after = text[end : end + MOST_NAME]
        end += len(after) - len(after.lstrip(_IN_NAME))
    if start >= 1 and text[start - 1] == "\\" and text[start] in "nrt":
        start += 1  # `\n` in a string: the letter is not the name's
    while end > at and text[end - 1] in ".-":
        end -= 1
    return start, end


def _assigned(text: str, start: int, end: int, alone: str) -> Span | None:
    """The value that is assigned to the name from `start` to `end`, if it is a secret.

    `alone` is the strength of the name by itself.
    """
    name = text[start:end]
    if alone == PASSWORD and _may_be_named_after(text, start, end):
        from recollect.redaction.named_after import named_after

        if span := named_after(text, start, end):
            return span
    if not _may_lead(text, start, end):
        return None
    strength = _strength(text, start, name, alone)
    if strength == NOTHING or (strength == WEAK and "." in name and name_strength(name) == NOTHING):
        return None
    if strength == WEAK and not _may_be_weak(text, end):
        return None
    from recollect.redaction.assigned_value import assigned_value  # most names have no value

    return assigned_value(text, start, end, strength)


def _strength(text: str, start: int, name: str, alone: str) -> str:
    """A name's strength, with the word before it where it is written as two: `public key`, `api key`."""
    if text[start - 1 : start] not in (":", " "):
        return alone
    before = text[max(0, start - MOST_NAME) : start].rpartition("\n")[2]
    if before.endswith(":") and "arn:" in before:
        return NOTHING  # a resource that is named after what it holds
    if alone == WEAK and before.endswith(" ") and (word := before.split()[-1:]):
        both = name_strength(f"{word[0]}_{name}")
        return both if both == NOTHING or word[0].lower() in _SURELY else alone
    return alone


def _may_be_named_after(text: str, start: int, end: int) -> bool:
    """Whether a sentence may say that the value before a name is it: `... is the password`."""
    if text[end : end + 1] not in _ENDS and text[end : end + 3] not in _BEFORE_MORE:
        return False
    before = text[max(0, start - MOST_NAME) : start]
    return any(verb in before for verb in _IS)


_ENDS = frozenset(["", ".", ",", ";", "!", ")", "\n", "\r"])
_BEFORE_MORE = frozenset([" fo", " of", " to", " on", " at", " fü", " de", " po", " pa"])
_IS = (" is ", " was ", " ist ", " est ", " es ", " é ", " è ")


def _may_lead(text: str, start: int, end: int) -> bool:
    """A quick check: a sign, a quote or a verb follows the name, or what is before it leads to a value."""
    here = text[end : end + 1]
    if here != " ":
        return bool(here)
    rest = text[end + 1 : end + 12]
    if not rest[:1].isalpha():
        return bool(rest)
    if rest.split(None, 1)[0] in _LEADING or not rest.isascii() or text[start] == "-":
        return True
    before = text[max(0, start - 8) : start].lower()
    return before.endswith(_LEADERS) or text.find("login ", max(0, start - 200), start) >= 0


# After a name, these may lead to its value, and before a name, these.
_LEADING = word_set(
    "is was to now for of on ist lautet war est es era String string str text bytes char"
)
_LEADERS = (
    *("with ", "using ", "and ", "mit ", "avec ", "con ", "com ", "med ", "met ", " z ", " \u0441 "),
    *("env ", "arg ", "setenv ", "setx ", "-x ", "-gx ", "#define "),
)


def _may_be_weak(text: str, end: int) -> bool:
    """A quick check of what follows a name that hardly suggests a secret."""
    rest = text[end : end + MOST_NAME]
    return rest.lstrip(_AROUND_NAME)[:1] in _SIGNS and has_digit(rest)
