"""Add or remove one entry in a user's JSON file; every other byte stays as it was.

Removing an entry must restore the text before it was added, so the text itself has to show what was there.
Whitespace shows it. A container that we create has space after its opening bracket; an entry added to an
existing empty container follows the bracket directly. So when the last entry is removed, a container with
space after its bracket is removed too, and one without stays. A container with a comment in it is the user's.
"""

import json
import re

from recollect.agents.json_text import JsonNode, comments, formatted, parse
from recollect.errors import RefusedError

Path = tuple[str | int, ...]
UNIT = "  "
_LINE_END = re.compile(r"[ \t]*\r?\n")


def value_at(text: str | None, path: Path) -> object:
    """The value at `path`; None if there is none."""
    node: JsonNode | None = parse(text) if text is not None else None
    for key in path:
        node = node.child(key) if node else None
    return node.value if node else None


def with_value(text: str | None, path: Path, value: object) -> str:
    """`text` with `value` at `path`. Missing containers are created; None for `text` is a new file.

    An index past an array's last element appends.

    Raises:
        RefusedError: if `text` is not plain JSON, or a value on the path is no container.
    """
    if text is None:
        return formatted(_wrapped(path, value), UNIT) + "\n"
    node = parse(text)
    for depth, key in enumerate(path):
        if not isinstance(node.value, list if isinstance(key, int) else dict):
            raise RefusedError(f"{_shown(path[:depth])} has an unexpected value: {node.value!r}")
        inner = node.child(key)
        if inner is None:
            return _inserted(text, node, key, _wrapped(path[depth + 1 :], value))
        node = inner
    if node.value == value:
        return text
    return text[: node.start] + _fitted(text, node.start, value) + text[node.end :]


def without_value(text: str, path: Path) -> str | None:
    """`text` without the entry at `path` and the containers created for it; None if nothing is left."""
    chain = [parse(text)]
    for key in path[:-1]:
        inner = chain[-1].child(key)
        if inner is None:
            return text
        chain.append(inner)
    for node, key in zip(reversed(chain), reversed(path), strict=True):
        positions = [index for index, child in enumerate(node.children) if child.key == key]
        if not positions:
            return text
        if len(node.children) > 1 or _is_the_users(text, node):
            return _without_child(text, node, positions[-1])
    root = chain[0]
    if comments(text, 0, root.start) or comments(text, root.end, len(text)):
        return text[: root.start] + "{}" + text[root.end :]
    return None


def _is_the_users(text: str, node: JsonNode) -> bool:
    """Whether a container with one child was there before it: see the top of this module."""
    [child] = node.children
    around = comments(text, node.start, child.start) + comments(text, child.node.end, node.end)
    return child.start == node.start + 1 or bool(around)


def _without_child(text: str, node: JsonNode, at: int) -> str:
    """`text` without the child at `at` and one comma beside it; comments stay."""
    children = node.children
    child = children[at]
    start = children[at - 1].node.end if at else child.start
    end = children[at + 1].start if at + 1 < len(children) else node.end - 1
    before, after = text[start : child.start], text[child.node.end : end]
    comma = _comma(after)
    if at == 0:
        rest = after if comma is None else after[:comma] + after[comma + 1 :]
        following = len(children) > 1
        return text[:start] + (rest.lstrip() if following else rest) + text[end:]
    if comma is not None and (at + 1 == len(children) or comments(before, 0, len(before))):
        return text[:start] + _joined(before, after[:comma] + after[comma + 1 :] + text[end:])
    first = _comma(before)
    assert first is not None
    return text[:start] + _joined(before[:first] + before[first + 1 :], after + text[end:])


def _joined(gap: str, rest: str) -> str:
    """Both, without the space at the end of the gap, unless it ends a comment that would take in `rest`."""
    stripped = gap.rstrip()
    spans = comments(stripped, 0, len(stripped))
    is_open = bool(spans) and spans[-1][1] == len(stripped) and stripped.startswith("//", spans[-1][0])
    return (gap if is_open and not _LINE_END.match(rest) else stripped) + rest


def _comma(gap: str) -> int | None:
    """Where the comma is in the text between two values; None if there is none outside of comments."""
    spans = comments(gap, 0, len(gap))
    places = (at for at, character in enumerate(gap) if character == ",")
    return next((at for at in places if not any(start <= at < end for start, end in spans)), None)


def _wrapped(path: Path, value: object) -> object:
    for key in reversed(path):
        value = {key: value} if isinstance(key, str) else [value]
    return value


def _inserted(text: str, node: JsonNode, key: str | int, value: object) -> str:
    name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    if not node.children:
        at = node.start + 1
        return text[:at] + name + _fitted(text, at, value) + text[at:]
    last, first = node.children[-1].node.end, node.children[0].start
    gap = text[last : node.end - 1]
    comma = _comma(gap)
    at = last + _end_of_line(gap, 0 if comma is None else comma + 1)
    in_lines = "\n" in text[node.start : first] or "//" in text[last:at]
    line = _eol(text) + _indent(text, first) if in_lines else " "
    entry = line + name + _fitted(text, first if in_lines else node.start, value)
    if comma is not None:
        return text[:at] + entry + "," + text[at:]
    return text[:last] + "," + text[last:at] + entry + text[at:]


def _end_of_line(gap: str, at: int) -> int:
    """Where the comments end that stand in the same line after `at`; `at` itself if there is none."""
    for start, end in comments(gap, at, len(gap)):
        if "\n" in gap[at:start]:
            break
        at = end
    return at


def _fitted(text: str, at: int, value: object) -> str:
    """`value` formatted as the file is, indented as the line at `at`."""
    return formatted(value, _unit(text), _indent(text, at), _eol(text))


def _unit(text: str) -> str | None:
    """The indentation of one level; None for a file on one line."""
    root = parse(text)
    if not root.children:
        return UNIT
    first = root.children[0].start
    if "\n" in text[root.start : first]:
        return _indent(text, first) or UNIT
    return UNIT if "\n" in text[root.start : root.end] else None


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _shown(path: Path) -> str:
    return repr(".".join(map(str, path))) if path else "the file"
