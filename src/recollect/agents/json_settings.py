"""Add or remove one entry in a user's JSON file; every other byte stays as it was.

Removing an entry must restore the text before it was added, so the text itself has to show what was there.
Whitespace shows it. A container that we create has space after its opening bracket; an entry added to an
existing empty container follows the bracket directly. So when the last entry is removed, a container with
space after its bracket is removed too, and one without stays.
"""

import json

from recollect.agents.json_text import Child, JsonNode, formatted, parse
from recollect.errors import RefusedError

Path = tuple[str | int, ...]
UNIT = "  "


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
        if len(node.children) > 1 or node.children[0].start == node.start + 1:
            start, end = _span(node.children, positions[-1])
            return text[:start] + text[end:]
    return None


def _span(children: tuple[Child, ...], at: int) -> tuple[int, int]:
    """The span to cut for the child at `at`: with the comma before it, or after it for the first."""
    if at > 0:
        return children[at - 1].node.end, children[at].node.end
    if len(children) > 1:
        return children[0].start, children[1].start
    return children[0].start, children[0].node.end


def _wrapped(path: Path, value: object) -> object:
    for key in reversed(path):
        value = {key: value} if isinstance(key, str) else [value]
    return value


def _inserted(text: str, node: JsonNode, key: str | int, value: object) -> str:
    name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    if not node.children:
        at = node.start + 1
        return text[:at] + name + _fitted(text, at, value) + text[at:]
    at = node.children[-1].node.end
    first = node.children[0].start
    if "\n" not in text[node.start : first]:
        return text[:at] + ", " + name + _fitted(text, node.start, value) + text[at:]
    line = _eol(text) + _indent(text, first)
    return text[:at] + "," + line + name + _fitted(text, first, value) + text[at:]


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
