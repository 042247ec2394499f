"""JSON with positions: where each value is in the text, so that one can change and every other byte stay.

Comments and trailing commas, which most harnesses accept in their settings, are accepted here too.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from recollect.errors import RefusedError

_COMMENT = re.compile(r"//[^\r\n]*|/\*(?s:.*?)\*/")
_SPACE = re.compile(rf"(?:[ \t\r\n]+|{_COMMENT.pattern})*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DEPTH = 100


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value and its position. The `children` of an object or array are in text order."""

    start: int
    end: int
    value: object
    children: tuple["Child", ...] = ()

    def child(self, key: str | int) -> "JsonNode | None":
        """The member or element of this key; of duplicate members the last, as parsers do."""
        nodes = [child.node for child in self.children if child.key == key]
        return nodes[-1] if nodes else None


@dataclass(frozen=True, slots=True)
class Child:
    """A member, which starts at its name, or an element, whose key is its index."""

    key: str | int
    start: int
    node: JsonNode


def parse(text: str) -> JsonNode:
    """The value that `text` holds.

    Raises:
        RefusedError: for everything else that is not plain JSON.
    """
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    root = _value(text, start, 0)
    end = _skip(text, root.end)
    if end != len(text):
        raise _unreadable(text, end)
    return root


def comments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The spans of the comments in a part of the text that has no string in it."""
    return [match.span() for match in _COMMENT.finditer(text, start, end)]


def formatted(value: object, unit: str | None, indent: str = "", eol: str = "\n") -> str:
    """`value` as JSON, indented by `unit`, or on one line for None.

    Brackets that are not empty always have space inside, which marks them as ours (see `json_settings`).
    """
    match value:
        case Mapping() if value:
            parts = [
                f"{_dumped(key)}: {formatted(item, unit, indent + (unit or ''), eol)}"
                for key, item in value.items()
            ]
            return "{" + _inside(parts, unit, indent, eol) + "}"
        case list() if value:
            parts = [formatted(item, unit, indent + (unit or ""), eol) for item in value]
            return "[" + _inside(parts, unit, indent, eol) + "]"
        case _:
            return _dumped(value)


def _inside(parts: list[str], unit: str | None, indent: str, eol: str) -> str:
    if unit is None:
        return f" {', '.join(parts)} "
    line = eol + indent + unit
    return line + f",{line}".join(parts) + eol + indent


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value(text: str, start: int, depth: int) -> JsonNode:
    if depth > _DEPTH:
        raise RefusedError(f"it is nested more than {_DEPTH} levels deep")
    match text[start : start + 1]:
        case "{":
            return _object(text, start, depth)
        case "[":
            return _array(text, start, depth)
        case '"':
            value, end = _string(text, start)
            return JsonNode(start, end, value)
    scalar = _SCALAR.match(text, start)
    if not scalar:
        raise _unreadable(text, start)
    try:
        return JsonNode(start, scalar.end(), json.loads(scalar[0]))
    except ValueError:  # too many digits for a number
        raise _unreadable(text, start) from None


def _object(text: str, start: int, depth: int) -> JsonNode:
    children: list[Child] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        at = _next(text, at, bool(children))
        if children and text[at : at + 1] == "}":
            break
        key, after = _string(text, at)
        colon = _skip(text, after)
        if text[colon : colon + 1] != ":":
            raise _unreadable(text, colon)
        node = _value(text, _skip(text, colon + 1), depth + 1)
        children.append(Child(key, at, node))
        at = _skip(text, node.end)
    value = {str(child.key): child.node.value for child in children}
    return JsonNode(start, at + 1, value, tuple(children))


def _array(text: str, start: int, depth: int) -> JsonNode:
    children: list[Child] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        at = _next(text, at, bool(children))
        if children and text[at : at + 1] == "]":
            break
        node = _value(text, at, depth + 1)
        children.append(Child(len(children), at, node))
        at = _skip(text, node.end)
    return JsonNode(start, at + 1, [child.node.value for child in children], tuple(children))


def _next(text: str, at: int, comma: bool) -> int:
    """Where the next member or element begins, or the bracket after a trailing comma."""
    if not comma:
        return at
    if text[at : at + 1] != ",":
        raise _unreadable(text, at)
    return _skip(text, at + 1)


def _string(text: str, start: int) -> tuple[str, int]:
    string = _STRING.match(text, start)
    try:
        value: str = json.loads(string[0] if string else "")
    except json.JSONDecodeError:
        raise _unreadable(text, start) from None
    return value, string.end() if string else start


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _unreadable(text: str, at: int) -> RefusedError:
    if at >= len(text):
        return RefusedError("it is empty or incomplete")
    line = text.count("\n", 0, at) + 1
    if text.startswith("/*", at):
        return RefusedError(f"the comment on line {line} is never closed")
    return RefusedError(f"it is not valid JSON on line {line}, at {text[at : at + 12]!r}")
