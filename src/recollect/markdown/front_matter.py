"""The front matter of a Markdown file, between two `---` lines: keys with a value or a list of values.

Reads the part of YAML that people write there and ignores the rest.
"""

import re
from collections.abc import Mapping
from typing import TypeAlias

Values: TypeAlias = Mapping[str, tuple[str, ...]]

_KEY = re.compile(r"([A-Za-z][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*))?$")
_MAX_LINES = 200


def split(text: str) -> tuple[Values, str, int]:
    """The front matter's values, the text after it, and the line number where that text begins."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text, 1
    for number, line in enumerate(lines[1:_MAX_LINES], start=1):
        if line.rstrip() in ("---", "..."):
            values = _values(lines[1:number])
            if values is None:
                break
            return values, "\n".join(lines[number + 1 :]), number + 2
    return {}, text, 1


def _values(head: list[str]) -> Values | None:
    """None when a line is neither key, item, comment nor indented: then `---` was a rule."""
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
    """The values on one line: `a`, `"a"`, `[a, b]`. Nested lists are flattened."""
    text = text.strip()
    if text in ("|", ">", "|-", ">-"):
        return []
    if text.startswith("[") and text.endswith("]") and not re.search(r"\]\s*\(", text):
        values = [_unquoted(part.strip(" \t[]")) for part in text[1:-1].split(",")]
    else:
        values = [_unquoted(text)]
    return [value for value in values if value.strip() and value not in ("~", "null")]


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
