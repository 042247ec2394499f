"""JSON as we read and write it: strict in, canonical out.

Reading refuses ambiguous JSON (duplicate keys, NaN, numbers that do not fit a double) and JSON that is
too large or too deep. Writing is stable: the same document gives the same bytes, keys keep their order,
and characters that hide or reorder text on a screen are escaped, so that a pull request shows them.
"""

import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

from recollect.errors import InvalidJsonError

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = dict[str, "Json"]

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
_BOM = b"\xef\xbb\xbf"
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})( |$)", re.MULTILINE)
_MAX_DIGITS = 300  # a longer whole number fits no double, so readers differ about it
# Controls, soft hyphen, fillers, zero-width, bidi, invisible operators, BOM, lone surrogates, tags.
_INVISIBLE = re.compile(
    "[\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
# Possessive, and a string may lack its end, so no text causes backtracking.
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[{}\[\],:]|\n|[^\s{}\[\],:"]+')


def parse(data: bytes, where: str, *, most: int = MAX_BYTES, deepest: int = MAX_DEPTH) -> JsonObject:
    """Read one JSON object. `where` names the source in errors; a byte-order mark is ignored.

    The default limits are those of a memory.
    """
    if len(data) > most:
        raise InvalidJsonError(where, f"larger than {most:,} bytes, the maximum")
    text = _decode(data, where)
    if marker := _CONFLICT.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        raise InvalidJsonError(where, "an unresolved merge conflict; resolve it by hand", line)
    _check_depth(text, where, deepest)
    value = _load(text, where)
    if not isinstance(value, dict):
        raise InvalidJsonError(where, "the top level must be an object, as in {...}", 1)
    return cast("JsonObject", value)


def _decode(data: bytes, where: str) -> str:
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"byte {data[error.start]:#04x} is not UTF-8; save the file as UTF-8"
        raise InvalidJsonError(where, reason, line) from None


def _load(text: str, where: str) -> Any:
    try:
        return json.loads(
            text,
            object_pairs_hook=_no_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
    except _DuplicateKeyError as error:
        reason = f"the key {error.key!r} appears twice in one object; keep one of them"
        raise InvalidJsonError(where, reason, _duplicate_line(text, error.key)) from None
    except json.JSONDecodeError as error:
        reason = f"not valid JSON: {error.msg} (column {error.colno})"
        raise InvalidJsonError(where, reason, error.lineno) from None
    except _BadNumberError as error:
        line = next((line for token, line in _tokens(text) if token == error.token), None)
        raise InvalidJsonError(where, str(error), line) from None


def _check_depth(text: str, where: str, deepest: int) -> None:
    if text.count("{") + text.count("[") <= deepest:
        return  # true of nearly every memory, and much faster than reading the tokens
    depth = 0
    for token, line in _tokens(text):
        if token in "{[":
            depth += 1
            if depth > deepest:
                reason = f"nested deeper than {deepest} levels, the maximum"
                raise InvalidJsonError(where, reason, line)
        elif token in "}]":
            depth -= 1


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line = 1
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            line += 1
        else:
            yield token, line


class _DuplicateKeyError(ValueError):
    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for key, value in pairs:
        if key in document:
            raise _DuplicateKeyError(key)
        document[sys.intern(key)] = value  # thousands of memories have the same keys
    return document


class _BadNumberError(ValueError):
    def __init__(self, token: str, reason: str) -> None:
        self.token = token
        super().__init__(reason)


def _refuse_constant(name: str) -> float:
    raise _BadNumberError(name, f"{name} is not valid JSON; write a number or null")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _BadNumberError(text, f"the number {text[:40]!r} is out of range; write it as text")
    return value


def _whole(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise _BadNumberError(text, f"the number {text[:40]!r}... is out of range; write it as text")
    return int(text)


def lines(text: str) -> Iterator[tuple[str, int]]:
    """The line of every field, as (`content.decision`, 7), in the order of the text.

    `text` must be valid JSON. List items are numbered: `links[0].target`.
    """
    stack: list[tuple[str, int | None]] = []  # path so far, and the index when inside a list
    path, key = "", None
    for token, line in _tokens(text):
        parent, index = stack[-1] if stack else ("", None)
        if token in "{[":
            path = _child(parent, key, index)
            stack.append((path, 0 if token == "[" else None))
            key = None
        elif token in "}]":
            stack.pop()
        elif token == ",":
            key = None
            if index is not None:
                stack[-1] = (parent, index + 1)
        elif token[0] == '"' and index is None and key is None and stack:
            key = json.loads(token)
            yield _child(parent, key, None), line
        elif index is not None:
            yield _child(parent, None, index), line


def _child(parent: str, key: str | None, index: int | None) -> str:
    if index is not None:
        return f"{parent}[{index}]"
    return f"{parent}.{key}" if parent and key is not None else (key or parent)


def line_of(text: str, field: str) -> int | None:
    """The line of `field`, or of its nearest enclosing field; None if there is neither."""
    return line_among(dict(lines(text)), field)


def line_among(lines: Mapping[str, int], field: str) -> int | None:
    """Like `line_of`, with the result of `lines`, for callers that look up several fields."""
    while field and field not in lines:
        field = re.sub(r"(\.[^.\[]*|\[\d+\])$", "", field) if re.search(r"[.\[]", field) else ""
    return lines.get(field)


def _duplicate_line(text: str, key: str) -> int | None:
    """The line of the first key `key` that repeats within its object; `text` is valid JSON up to there."""
    stack: list[set[str]] = []
    before, at = "", 1
    for token, line in _tokens(text):
        if token in "{[":
            stack.append(set())
        elif token in "}]":
            stack.pop()
        elif token == ":" and json.loads(before) == key:
            if key in stack[-1]:
                return at
            stack[-1].add(key)
        before, at = token, line
    return None


def render(document: Mapping[str, Json]) -> bytes:
    """Write a document: two spaces, keys in their order, a final newline, UTF-8."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    return (_escape_invisible(text) + "\n").encode()


def _escape_invisible(text: str) -> str:
    return _INVISIBLE.sub(lambda match: json.dumps(match.group())[1:-1], text)


def copied(value: Json) -> Json:
    """A copy that shares no list or object with `value`; much faster than `copy.deepcopy`."""
    if isinstance(value, dict):
        return {name: copied(inner) for name, inner in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def same(left: Json, right: Json) -> bool:
    """Whether two values are the same JSON. Key order does not count; 1, 1.0 and true differ."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
