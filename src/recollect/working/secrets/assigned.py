"""Values given to the name of a secret: in .env, YAML, JSON, TOML, shell, code, flags, headers, queries.

The scanner stops at words such as `token` or `key`, reads the whole name round them, and looks at what the
name is given. What stands there is judged (`judging.py`): a reference to a secret or a word is left alone.
"""

from __future__ import annotations

from recollect.working.secrets.family import compiled, has_digit
from recollect.working.secrets.judging import (
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
    listed,
)
from recollect.working.secrets.names import (
    NOTHING,
    PASSWORD,
    SECRET,
    WEAK,
    names_provider,
    strength,
)
from recollect.working.secrets.shapes import CLUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_MOST_NAME = 80
_AROUND_NAME = " \t\"'`\\)]"
_IN_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_SIGNS = frozenset("=:?|+.<,>-")
_MOST_VALUE = 300  # of a value is judged; one that goes on is taken out to its end

_PREFIX = r"[bBrRuUfF@$]{0,2}\\{0,3}"
_OPEN = (
    rf"(?:{_PREFIX}\"(?P<double>[^\"\n]{{1,300}})|{_PREFIX}'(?P<single>[^'\n]{{1,300}})"
    r"|`(?P<tick>[^`\n]{1,300}))"
)
_BARE = r"(?P<bare>[^\s\"'`]{1,300})"
_CLOSE = r"\\{0,3}[\"'`]?[\])]{0,2}"
_TYPE = (
    r"(?:[ \t]{0,4}:?[ \t]{0,4}"
    r"(?:[Ss]tring|str|&str|&'static str|char|text|bytes|SecretStr|const char)[?!*\[\]]{0,2})?"
)

# After a name: a sign, then a value.
SIGN = (
    rf"{_CLOSE}{_TYPE}[ \t]{{0,40}}"
    r"(?:=>|:=|\|\|=|\?\?=|\?=|\+=|\.=|={1,3}|:{1,2}|<-|(?<=[ \t])\|(?=[ \t]))"
    rf"[ \t]{{0,40}}(?:[|>][+-]?[ \t]{{0,5}}\r?\n[ \t]{{0,40}}|\r?\n[ \t]{{0,40}}(?=[\"']))?"
    rf"(?:&quot;|&#3[49];)?(?:{_OPEN}|{_BARE})"
)
# `Authorization: Scheme value`, whatever the scheme.
SCHEMED = (
    rf"{_CLOSE}[ \t]{{0,10}}[:=][ \t]{{0,10}}\\{{0,3}}[\"'`]?"
    rf"[A-Za-z][A-Za-z-]{{2,24}}[ \t]{{1,4}}(?P<bare>[^\s\"'`]{{1,300}})"
)
# `<token>value</token>`, `<key>token</key><string>value</string>`.
TAG = r">(?:[ \t\r\n]{0,20}</key>[ \t\r\n]{0,40}<string>)?(?P<tag>[^<\n]{1,300})<"
KEYED = r"</key>[ \t\r\n]{0,40}<string>(?P<tag>[^<\n]{1,300})<"
# `key="token" value="..."`, `"name": "TOKEN", "value": "..."`, `set("TOKEN", "...")`.
PAIR = (
    rf"\\{{0,3}}[\"'`][ \t\r\n]{{0,40}},?[ \t\r\n]{{0,40}}"
    rf"(?:[\"']?(?:secret_)?[vV]alue[\"']?[ \t]{{0,10}}[=:][ \t]{{0,10}})?{_OPEN}"
)
# `--token value`, `password 'value'`, `the token is value`.
SPACED = rf"[\"'`]?[ \t]{{1,10}}(?:(?:is|was|to|=)[ \t]{{1,4}})?(?:{_OPEN}|{_BARE})"
_REST = {
    "double": r"[^\"\n]+",
    "single": r"[^'\n]+",
    "tick": r"[^`\n]+",
    "tag": r"[^<\n]+",
    "bare": r"[^\s\"'`]+",
}
PATTERNS = (SIGN, SCHEMED, TAG, KEYED, PAIR, SPACED, *_REST.values())

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
    return told in (PASSWORD, SECRET) and _is_secret(value, told, name, quoted=True)


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
    told = strength(name.rpartition(".")[2] or name)
    if told == NOTHING or (told == WEAK and "." in name and strength(name) == NOTHING):
        return None
    if not _may_be_given(text, end, told):
        return None
    for pattern in _ways(text, start, end, told):
        found = compiled(pattern).match(text, end)
        if found:
            listed = pattern is PAIR and text[max(0, start - 2) : start - 1] != "("
            return _judged(text, found, name, told, listed=listed)
    return None


def _may_be_given(text: str, end: int, told: str) -> bool:
    """Whether a look at what follows a name leaves it possible; most names need no pattern."""
    rest = text[end : end + _MOST_NAME].lstrip(_AROUND_NAME)
    if told == WEAK:
        return rest[:1] in _SIGNS and has_digit(text[end : end + _MOST_NAME])
    return bool(rest)


def _judged(
    text: str, found: re.Match[str], name: str, told: str, *, listed: bool
) -> tuple[str, int, int] | None:
    group = found.lastgroup or "bare"
    at = found.start(group)
    quoted = group != "bare"
    if not quoted and _is_nested(found[group]):
        return None
    value, at = _trimmed(found[group], at, quoted=quoted)
    # Two strings side by side may be a list: then only the value can tell.
    if listed and at - found.start() < 6 and not is_random(value):
        return None
    if not _is_secret(value, told, name, quoted=quoted):
        return None
    end = at + len(value)
    return _kind(told), at, _whole(text, end, group) if len(found[group]) == _MOST_VALUE else end


def _is_nested(value: str) -> bool:
    """Whether a value is an assignment itself: `auth=token=...`."""
    name, sign, rest = value[:_MOST_NAME].partition("=")
    return bool(sign and rest.strip("=")) and strength(name) != NOTHING


def _whole(text: str, end: int, group: str) -> int:
    """Where a long value ends: at its quote, or at the next space."""
    rest = compiled(_REST[group]).match(text, end)
    return rest.end() if rest else end


def _kind(told: str) -> str:
    return "assigned secret" if told != WEAK else "likely secret"


def _ways(text: str, start: int, end: int, told: str) -> Iterator[str]:
    """How this name may be given a value, going by what stands round it."""
    before = text[start - 1 : start]
    follows = text[end : end + 2]
    if text[max(start, end - 13) : end].lower() == "authorization":
        yield SCHEMED
    elif before == "<" and follows[:1] == ">":
        yield TAG
    elif before == ">" and follows == "</":
        yield KEYED
    yield SIGN
    if follows[:1] in ("'", '"', "`", "\\"):
        yield PAIR
    if told != WEAK and follows[:1] in (" ", "\t", '"', "'") and text[start:end].lower() != "pass":
        flagged = text[start] == "-" or text[max(0, start - 4) : start] == "ENV "
        spoken = text[end : end + 4] in (" is ", " was", " to ")
        quoted = text[end + 1 : end + 2] in ("'", '"') and text[start:end].lower() == "password"
        line = (
            text[text.rfind("\n", max(0, start - 200), start) + 1 : start] if told == PASSWORD else ""
        )
        if flagged or spoken or quoted or "login " in line:
            yield SPACED


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


def _is_secret(value: str, told: str, name: str, *, quoted: bool) -> bool:
    """Whether what a name is given is the secret itself."""
    if len(value) < (6 if told == PASSWORD else 8) or (" " in value.strip() and told != PASSWORD):
        return False
    if is_reference(value, quoted=quoted) or is_digest(value) or is_placeholder(value):
        return False
    if told == WEAK:
        return (quoted or not _is_code(value)) and _is_weakly(value, name)
    if told == PASSWORD:
        return _is_password(value, quoted=quoted)
    return _is_key(value, quoted=quoted)


def _is_weakly(value: str, name: str) -> bool:
    """For a name that says little the value must say much."""
    if is_uuid(value):
        return names_provider(name)
    if is_hex(value) or is_identifier(value):
        return False
    plain = value.rstrip("=")
    return len(plain) >= 10 and is_random(plain.ljust(12, plain[-1])) and _one_token(plain)


def _is_password(value: str, *, quoted: bool) -> bool:
    """A password may be a word, when it stands in quotes; a sentence is none."""
    if value.count(" ") > 5 or (" " in value and not quoted):
        return False
    if quoted:
        return " " not in value or has_digit(value)
    if _is_code(value) or (_speaks(value) and _digits(value) < 2):
        return False
    if has_digit(value) or any(not (one.isalnum() or one in "_.-/:") for one in value):
        return True
    return len(value) >= 12 and not is_wordy(value)


def _is_key(value: str, *, quoted: bool) -> bool:
    if is_uuid(value):
        return True
    if is_monotone(value) or is_slug(value):
        return False
    if value.isdigit():
        return len(value) >= 15
    if not quoted and _is_code(value):
        return False
    if is_hex(value):
        return has_digit(value)
    if not has_digit(value):
        return len(value) >= 12 and not is_wordy(value)
    if not is_wordy(value):
        return True
    return (
        quoted and value.isalnum() and _digits(value) >= 2 and len(value) >= 12 and not _speaks(value)
    )


def _is_code(value: str) -> bool:
    """Whether an unquoted value is an expression: a call, an index, a path of names."""
    if any(one in value for one in "()[]{}<>|\\") or value.endswith((":", ".")):
        return True
    if value.isidentifier() and _speaks(value) and ("_" in value or _digits(value) < 2):
        return True
    parts = value.replace("::", ".").split(".")
    if len(parts) > 1 and all(part.isidentifier() and len(part) < 30 for part in parts):
        return True
    return any(one in value for one in "._/") and is_wordy(value)


def _speaks(value: str) -> bool:
    """Whether a value names a secret itself: `user_password1` is a variable."""
    low = value.lower()
    return any(word in low for word in ("password", "passwd", "secret", "token", "apikey", "api_key"))


def _digits(value: str) -> int:
    return sum(one.isdigit() for one in value)


def _one_token(value: str) -> bool:
    return all(one.isalnum() or one in "+/_-=.~:|!#%^&*@" for one in value)
