"""How is a name given a value? After a sign, in a tag, in a pair, after a word. Read without a pattern.

Each reader takes a text and where a name ends in it, and answers where the value begins and what closes it:
a quote, `<`, or nothing for a value without quotes. None when the name is not given a value this way.
"""

from __future__ import annotations

_MOST_BLANKS = 40
_BLANK, _SPACE = " \t", " \t\r\n"
_QUOTES = ("'", '"', "`")
_PREFIXES = "bBrRuUfF@$"  # of a string, in one language or another
_TYPES = (
    "String",
    "string",
    "str",
    "&str",
    "&'static str",
    "char",
    "text",
    "bytes",
    "SecretStr",
    "const char",
)
# The longest first: what follows a sign is the value.
_SIGNS = ("===", "||=", "??=", ":::=", "::=", "=>", ":=", "?=", "+=", ".=", "==", "::", "<-", "=", ":")
# What turns a string into a value of another type.
_WRAPPERS = (
    *("String::from(", "String(", "new String(", "str(", "string(", "bytes(", "[]byte(", "Some("),
    *("SecretStr(", "SecretString::from(", "Secret::new(", "Buffer.from("),
)
_ESCAPES = ("\\n", "\\r", "\\t")  # in a string that holds a whole file
_ENTITIES = ("&quot;", "&#34;", "&#39;")

Opened = tuple[int, str]


def after_sign(text: str, end: int) -> Opened | None:
    """`token = value`, `"token": "value"`, `token: str = "value"`, `| token | value |`."""
    closed = _closed(text, end)
    for start in (_after_type(text, closed), closed):
        place = _skipped(text, start, _BLANK, _MOST_BLANKS)
        sign = next((sign for sign in _SIGNS if text.startswith(sign, place)), "")
        if not sign and text[place - 1 : place + 2] in (" | ", "\t|\t", " |\t", "\t| "):
            sign = "|"
        if sign and (found := _value(text, place + len(sign))):
            return found
    return None


def after_scheme(text: str, end: int) -> Opened | None:
    """`Authorization: Scheme value`, whatever the scheme."""
    place = _skipped(text, _closed(text, end), _BLANK, 10)
    if text[place : place + 1] not in (":", "="):
        return None
    start = _skipped(text, _skipped(text, place + 1, _BLANK, 10), "\\", 3)
    start += text[start : start + 1] in _QUOTES
    scheme = text[start : start + 26].partition(" ")[0].partition("\t")[0]
    if not (3 <= len(scheme) <= 25 and scheme[0].isalpha() and scheme.replace("-", "").isalpha()):
        return None
    value = _skipped(text, start + len(scheme), _BLANK, 4)
    return (value, "") if _is_bare(text, value) else None


def in_tag(text: str, end: int) -> Opened | None:
    """`<token>value</token>`."""
    return (end + 1, "<") if _is_closed(text, end + 1) else None


def in_next_tag(text: str, end: int) -> Opened | None:
    """`<key>token</key><string>value</string>`."""
    place = _skipped(text, end + len("</key>"), _SPACE, _MOST_BLANKS)
    value = place + len("<string>")
    told = text.startswith("</key>", end) and text.startswith("<string>", place)
    return (value, "<") if told and _is_closed(text, value) else None


def in_record(text: str, end: int) -> Opened | None:
    """`key="token" value="..."`, `"name": "TOKEN", "value": "..."`."""
    place = _second(text, end)
    value = _after_word(text, place)
    return _quoted(text, value) if value > place else None


def in_pair(text: str, end: int) -> Opened | None:
    """`set("TOKEN", "...")`, or two strings of a list."""
    place = _second(text, end)
    return _quoted(text, place) if place > end else None


def after_blank(text: str, end: int) -> Opened | None:
    """`--token value`, `password 'value'`, `the token is value`."""
    place = end + (text[end : end + 1] in _QUOTES)
    start = _skipped(text, place, _BLANK, 10)
    if start == place:
        return None
    for word in ("is", "was", "to", "="):
        after = _skipped(text, start + len(word), _BLANK, 4)
        if text.startswith(word, start) and after > start + len(word):
            start = after
            break
    return _quoted(text, start) or ((start, "") if _is_bare(text, start) else None)


def after_more(text: str, end: int) -> Opened | None:
    """`the password for the staging server is value`."""
    before, said, _ = text[end : end + 60].partition("\n")[0].partition(" is ")
    if not said or not before.replace(" ", "").replace("-", "").isalpha():
        return None
    start = end + len(before) + len(said)
    return _quoted(text, start) or ((start, "") if _is_bare(text, start) else None)


def in_call(text: str, end: int) -> Opened | None:
    """`setPassword("value")`."""
    return (
        _quoted(text, _skipped(text, end + 1, _SPACE, _MOST_BLANKS))
        if text[end : end + 1] == "("
        else None
    )


def in_block(text: str, end: int) -> Opened | None:
    """`variable "token" { default = "value" }`."""
    close = text.find("}", end, end + 400)
    at = text.find("default", end, close) if close >= 0 and text.startswith('" {', end) else -1
    return after_sign(text, at + len("default")) if at >= 0 else None


def in_fallback(text: str, start: int) -> Opened | None:
    """What is taken where the environment has none: `getenv("TOKEN", "value")`, `env.TOKEN || "value"`."""
    line = text[start : start + 200].partition("\n")[0]
    for mark in (" || ", " ?? ", " or ", ", ") if "env" in line.lower() else ():
        at = line.rfind(mark)
        if at >= 0 and (found := _quoted(text, start + at + len(mark))):
            return found
    return None


def value_at(text: str, opened: Opened, most: int) -> str:
    """The value itself, to its quote, to the end of its line, or to the next blank; at most so much of it."""
    start, close = opened
    rest = text[start : start + most]
    if close:
        return rest.partition("\n")[0].partition(close)[0]
    bare = rest.split(None, 1)[0]
    for end in (*_QUOTES, *_ESCAPES):
        bare = bare.partition(end)[0]
    return bare


def _skipped(text: str, start: int, marks: str, most: int) -> int:
    """Where the run of these marks ends that begins here."""
    run = text[start : start + most]
    return start + len(run) - len(run.lstrip(marks))


def _closed(text: str, end: int) -> int:
    """Behind the quote and the brackets that close a name: `["token"] =`."""
    place = _skipped(text, end, "\\", 3)
    place += text[place : place + 1] in _QUOTES
    return _skipped(text, place, "])", 2)


def _after_type(text: str, start: int) -> int:
    """Behind the type of a variable; `start` when there is none."""
    place = _skipped(text, start, _BLANK, 4)
    place = _skipped(text, place + text.startswith(":", place), _BLANK, 4)
    for name in _TYPES:
        if text.startswith(name, place):
            return _skipped(text, place + len(name), "?!*[]", 2)
    return start


def _second(text: str, end: int) -> int:
    """Where something stands beside a string that ends here, comma or not; `end` if nothing can."""
    place = _skipped(text, end, "\\", 3)
    if text[place : place + 1] not in _QUOTES:
        return end
    place = _skipped(text, place + 1, _SPACE, _MOST_BLANKS)
    return _skipped(text, place + text.startswith(",", place), _SPACE, _MOST_BLANKS)


def _after_word(text: str, start: int) -> int:
    """Behind `value=` or `"value":`; `start` when it is not there."""
    place = start + (text[start : start + 1] in ("'", '"'))
    place += len("secret_") * text.startswith("secret_", place)
    if not text.startswith(("value", "Value"), place):
        return start
    place += len("value")
    place = _skipped(text, place + (text[place : place + 1] in ("'", '"')), _BLANK, 10)
    return _skipped(text, place + 1, _BLANK, 10) if text[place : place + 1] in ("=", ":") else start


def _value(text: str, start: int) -> Opened | None:
    """What stands behind a sign, on this line or in a block that begins there."""
    place = _skipped(text, start, _BLANK, _MOST_BLANKS)
    place = _next_line(text, place)
    place += next((len(entity) for entity in _ENTITIES if text.startswith(entity, place)), 0)
    wrapper = next((one for one in _WRAPPERS if text.startswith(one, place)), "")
    return _quoted(text, place + len(wrapper)) or ((place, "") if _is_bare(text, place) else None)


def _next_line(text: str, start: int) -> int:
    """Where a value begins that stands on the next line: a block of YAML, or a string."""
    block = text[start : start + 1] in ("|", ">")
    end = start
    if block:
        end = _skipped(text, start + 1, "+-", 1)
        end = _skipped(text, end, _BLANK, 5)
    end += text.startswith("\r", end)
    if not text.startswith("\n", end):
        return start
    value = _skipped(text, end + 1, _BLANK, _MOST_BLANKS)
    return value if block or text[value : value + 1] in ("'", '"') else start


def _quoted(text: str, start: int) -> Opened | None:
    """A string that begins here and is not empty."""
    place = _skipped(text, _skipped(text, start, _PREFIXES, 2), "\\", 3)
    quote = text[place : place + 1]
    if quote == "`" and place > start:
        return None
    if quote in _QUOTES:
        place += 3 if text.startswith(quote * 3, place) else 1
        return None if text[place : place + 1] in ("", "\n", quote) else (place, quote)
    return None


def _is_bare(text: str, start: int) -> bool:
    """Whether a value without quotes begins here."""
    one = text[start : start + 1]
    return bool(one) and not one.isspace() and one not in _QUOTES


def _is_closed(text: str, start: int) -> bool:
    """Whether a tag's text begins here and ends on its line."""
    end = text.find("<", start, start + 301)
    return end > start and "\n" not in text[start:end]
