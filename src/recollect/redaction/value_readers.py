"""Where is the value that is assigned to a name? After a sign, in a tag, in a pair, after a word.

Each reader takes a text and where a name ends in it, and returns where the value begins and what closes it: a
quote, `<`, or nothing for a value without quotes. None when no value is assigned this way.
"""

from __future__ import annotations

import re
from functools import lru_cache

Opened = tuple[int, str]

_BLANKS = r"[ \t]{0,40}+"
_SPACE = r"[ \t\r\n]{0,40}+"
# A string that is not empty, with its prefix in one language or another (`r"`, `@"`) or an escape (`\"`).
_QUOTED = r"""(?:(?:[bBrRuUfF@$]{1,2}+\\{0,3}+|\\{1,3}+)(?=['"]))?+
    (?P<quote>['"`])(?:(?P=quote){2})?+(?!(?P=quote)|\n|\Z)"""
_BARE = r"""(?=[^\s'"`])"""
_QUOTED_OR_BARE = rf"(?:{_QUOTED}|{_BARE})"
# What closes a name: `["token"] =`.
_CLOSED_NAME = r"\\{0,3}+['\"`]?+[\])]{0,2}+"
_TYPE = r"""[ \t]{0,4}+:?+[ \t]{0,4}+
    (?>String|string|str|&str|&'static[ ]str|char|text|bytes|SecretStr|const[ ]char)[?!*\[\]]{0,2}+"""
# The longest first: what follows a sign is the value.
_SIGN = r"""(?>===|\|\|=|\?\?=|:::=|::=|=>|:=|\?=|\+=|\.=|==|::|<-|=|:|\uff1a|\uff1d|(?<=[ \t])\|(?=[ \t]))"""
# A value on the next line: in a block of YAML, or quoted.
_NEXT_LINE = rf"""(?:[|>][+-]?+[ \t]{{0,5}}+\r?+\n{_BLANKS}|\r?+\n{_BLANKS}(?=['"]))?+"""
_ENTITY = r"(?:&quot;|&\#34;|&\#39;)?+"
# What turns a string into a value of another type.
_WRAPPER = r"""(?:String::from|String|new[ ]String|str|string|bytes|\[\]byte|Some
    |SecretStr|SecretString::from|Secret::new|Buffer\.from)\("""


_AFTER_SIGN = (
    rf"{_CLOSED_NAME}(?:{_TYPE})?{_BLANKS}{_SIGN}{_BLANKS}{_NEXT_LINE}{_ENTITY}"
    rf"(?:(?:{_WRAPPER})?+{_QUOTED}|{_BARE})"
)
_AFTER_SCHEME = (
    rf"{_CLOSED_NAME}[ \t]{{0,10}}+[:=][ \t]{{0,10}}+\\{{0,3}}+['\"`]?+"
    rf"(?!-)(?:[^\W\d_]|-){{3,25}}+[ \t]{{1,4}}+{_BARE}"
)
_IN_TAG = r">(?=[^<\n]{1,300}<)"
_IN_NEXT_TAG = (
    rf"(?:</key>{_SPACE}<string>|</(?i:name|label|param)>{_SPACE}<(?i:value)>|</dt>{_SPACE}<dd>|</t[dh]>{_SPACE}<td>)"
    r"(?=[^<\n]{1,300}<)"
)
# In YAML: the value on the line after its name.
_IN_NEXT_FIELD = (
    r"['\"]?+[ \t]{0,10}+\r?+\n[ \t]{0,60}+['\"]?+[vV]alue['\"]?+[ \t]{0,4}+[:=][ \t]{1,10}+"
    rf"{_QUOTED_OR_BARE}"
)
_SECOND_STRING = rf"\\{{0,3}}+['\"`]{_SPACE},?+{_SPACE}"
_VALUE_FIELD = r"['\"]?+(?:secret_)?+[vV]alue['\"]?+[ \t]{0,10}+[=:][ \t]{0,10}+"
# "is" between a password and its value.
_VERB = r"""(?:(?:now[ ])?(?:is|was|=|to|ist|lautet|war|est|était|es|era|é|è|это|jest|är|er|on)(?=[ \t])
    |(?:是|为|為|は|が|는|은|-|\u2013|\u2014)(?=[ \t]?))"""
_AFTER_BLANK = rf"['\"`]?+[ \t]{{0,10}}+(?:{_VERB}[ \t]{{0,4}}+)?+{_QUOTED_OR_BARE}"
# A value alone on the line below its name.
_BELOW = r"[ \t]{0,4}+[:\uff1a][ \t]{0,10}+\r?+\n(?![ \t]{0,20}-[ \t])[ \t>]{0,20}+"
_BELOW += r"(?=[^\s:'\"`]{1,200}+[ \t]{0,10}+\r?(?:\n|\Z))"


def after_sign(text: str, end: int) -> Opened | None:
    """`token = value`, `"token": "value"`, `token: str = "value"`, `| token | value |`."""
    opened = _opened(_AFTER_SIGN, text, end)
    if opened and text[end : opened[0]] == " :'":
        return None  # a variable of psql
    return opened


def after_scheme(text: str, end: int) -> Opened | None:
    """`Authorization: Scheme value`, whatever the scheme."""
    return _opened(_AFTER_SCHEME, text, end)


def in_tag(text: str, end: int) -> Opened | None:
    """`<token>value</token>`."""
    return _opened(_IN_TAG, text, end, "<")


def in_next_tag(text: str, end: int) -> Opened | None:
    """`<key>token</key><string>value</string>`."""
    return _opened(_IN_NEXT_TAG, text, end, "<")


def in_next_field(text: str, end: int) -> Opened | None:
    """`- name: TOKEN`, and on the next line `value: ...`."""
    return _opened(_IN_NEXT_FIELD, text, end)


def in_record(text: str, end: int) -> Opened | None:
    """`key="token" value="..."`, `"name": "TOKEN", "value": "..."`."""
    return _opened(_SECOND_STRING + _VALUE_FIELD + _QUOTED, text, end)


def in_pair(text: str, end: int) -> Opened | None:
    """`set("TOKEN", "...")`, or two strings of a list."""
    return _opened(_SECOND_STRING + _QUOTED, text, end)


def after_blank(text: str, end: int) -> Opened | None:
    """`--token value`, `password 'value'`, `the token is value`."""
    return _opened(_AFTER_BLANK, text, end)


def on_next_line(text: str, end: int) -> Opened | None:
    """`Password:`, and below it nothing but the value."""
    return _opened(_BELOW, text, end)


def after_phrase(text: str, end: int) -> Opened | None:
    """`the password for the staging server is value`."""
    phrase, verb, _ = text[end : end + 60].partition("\n")[0].partition(" is ")
    if not verb or not phrase.replace(" ", "").replace("-", "").isalpha():
        return None
    return _opened(_QUOTED_OR_BARE, text, end + len(phrase) + len(verb))


def in_call(text: str, end: int) -> Opened | None:
    """`setPassword("value")`."""
    return _opened(rf"\({_SPACE}{_QUOTED}", text, end)


def in_block(text: str, end: int) -> Opened | None:
    """`variable "token" { default = "value" }`."""
    close = text.find("}", end, end + 400)
    at = text.find("default", end, close) if close >= 0 and text.startswith('" {', end) else -1
    return after_sign(text, at + len("default")) if at >= 0 else None


def in_fallback(text: str, start: int) -> Opened | None:
    """The default where the environment has no value: `getenv("TOKEN", "value")`, `env.TOKEN || "value"`."""
    line = text[start : start + 200].partition("\n")[0]
    for sign in (" || ", " ?? ", " or ", ", ") if "env" in line.lower() else ():
        at = line.rfind(sign)
        if at >= 0 and (opened := _opened(_QUOTED, text, start + at + len(sign))):
            return opened
    return None


def value_at(text: str, opened: Opened, most: int) -> str:
    """At most `most` characters of a value: to its quote, the end of its line, or the next blank."""
    start, close = opened
    rest = text[start : start + most]
    if close:
        return rest.partition("\n")[0].partition(close)[0]
    return re.split(r"['\"`]|\\[nrt]", rest.split(None, 1)[0], maxsplit=1)[0]


def _opened(pattern: str, text: str, at: int, close: str = "") -> Opened | None:
    """Where the value begins that the pattern leads to, and the quote that closes it."""
    match = _compiled(pattern).match(text, at)
    if match is None:
        return None
    return match.end(), (match["quote"] if match.re.groups else None) or close


@lru_cache(32)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first used: few texts need all of them."""
    return re.compile(pattern, re.VERBOSE)
