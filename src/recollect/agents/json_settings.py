"""Changing a JSON file of somebody else: one entry in or out, every other byte as it was.

What goes in comes out without a trace, so the text itself must show what was there before. Two marks do
that. A container that we make has space after its opening bracket. An entry that goes into an empty
container which was there already stands right after the bracket. So when the last entry is taken out, a
container with space after the bracket goes with it, and one without stays as it was.
"""

import json

from recollect.agents.json_text import Child, JsonNode, formatted, parse
from recollect.errors import RefusedError

Path = tuple[str | int, ...]
UNIT = "  "


def found(text: str | None, path: Path) -> object:
    """The value at `path`; None when there is none on the way."""
    node: JsonNode | None = parse(text) if text is not None else None
    for key in path:
        node = node.child(key) if node else None
    return node.value if node else None


def placed(text: str | None, path: Path, value: object) -> str:
    """`text` with `value` at `path`; what is missing on the way is made, no text is a new file.

    Past an array's last element appends.

    Raises:
        RefusedError: when `text` is not plain JSON, or something on the way holds no entries.
    """
    if text is None:
        return formatted(_wrapped(path, value), UNIT) + "\n"
    node = parse(text)
    for depth, key in enumerate(path):
        if not isinstance(node.value, list if isinstance(key, int) else dict):
            raise RefusedError(f"{_shown(path[:depth])} is not what it should be: {node.value!r}")
        inner = node.child(key)
        if inner is None:
            return _inserted(text, node, key, _wrapped(path[depth + 1 :], value))
        node = inner
    if node.value == value:
        return text
    return text[: node.start] + _fitted(text, node.start, value) + text[node.end :]


def removed(text: str, path: Path) -> str | None:
    """`text` without the entry at `path`, nor the containers that were made for it; None when all goes."""
    chain = [parse(text)]
    for key in path[:-1]:
        inner = chain[-1].child(key)
        if inner is None:
            return text
        chain.append(inner)
    for node, key in zip(reversed(chain), reversed(path), strict=True):
        places = [place for place, child in enumerate(node.children) if child.key == key]
        if not places:
            return text
        if len(node.children) > 1 or node.children[0].start == node.start + 1:
            start, end = _gap(node.children, places[-1])
            return text[:start] + text[end:]
    return None


def _gap(children: tuple[Child, ...], at: int) -> tuple[int, int]:
    """What to cut for the child at `at`: with the comma before it, or the one after it if it is first."""
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
    """`value` in the style of the file, for the line that `at` is in."""
    return formatted(value, _unit(text), _indent(text, at), _eol(text))


def _unit(text: str) -> str | None:
    """What one level is indented by; None for a file on one line."""
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
