"""The head of a Markdown file between two `---` lines: keys with a value or a list of them.

Reads the part of YAML that people write there; what else stands in it is passed over.
"""

import re
from collections.abc import Mapping
from typing import TypeAlias

from recollect.markdown.lines import normal

Values: TypeAlias = Mapping[str, tuple[str, ...]]

_KEY = re.compile(r"([A-Za-z][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*))?$")
_MAX_LINES = 200


def split(text: str) -> tuple[Values, str, int]:
    """The values of the front matter, the text after it, and the number of that text's first line."""
    text = normal(text)
    found = text.split("\n")
    if found[0].rstrip() != "---":
        return {}, text, 1
    for number, line in enumerate(found[1:_MAX_LINES], start=1):
        if line.rstrip() in ("---", "..."):
            values = _values(found[1:number])
            if values is None:
                break
            return values, "\n".join(found[number + 1 :]), number + 2
    return {}, text, 1


def _values(head: list[str]) -> Values | None:
    """None when a line is neither key, item, comment nor indented: then it was a ruler, not a head."""
    values: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in head:
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if stripped.startswith("- ") or line[0] in " \t":
            if current is not None:
                current += _scalars(stripped.removeprefix("- "))
        elif key := _KEY.match(line.rstrip()):
            current = values.setdefault(key.group(1).strip().lower(), [])
            current += _scalars((key.group(2) or "").strip())
        else:
            return None
    return {key: tuple(value) for key, value in values.items()} if values else None


def _scalars(text: str) -> list[str]:
    """The values that stand on one line: `a`, `"a"`, `[a, b]`. Lists in lists are one list."""
    text = text.strip()
    if text in ("|", ">", "|-", ">-"):
        return []
    if text.startswith("[") and text.endswith("]") and not re.search(r"\]\s*\(", text):
        found = [_unquoted(part.strip(" \t[]")) for part in text[1:-1].split(",")]
    else:
        found = [_unquoted(text)]
    return [value for value in found if value.strip() and value not in ("~", "null")]


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
