"""What changed between two versions of a tool, in words that a person can judge."""

import json
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any

from recollect.gateway.tool import EffectHints, UpstreamTool
from recollect.records.display import safe_text

_MOST_LINES, _LINE, _VALUE = 200, 200, 60  # lines compared, characters of a line, characters of a value
_DEEPEST = 24
_MOST_DIFFERENCES = 200
_HINTS = {
    "read_only": "read-only",
    "destructive": "destructive",
    "idempotent": "idempotent",
    "open_world": "open world",
}
_OWN = frozenset({"properties", "required", "items", "description"})  # compared in words of their own


def differences(before: UpstreamTool, after: UpstreamTool) -> list[str]:
    """Every difference as a line; characters that do not show are spelled out."""
    lines = list(_all(before, after))
    if len(lines) > _MOST_DIFFERENCES:
        lines = [*lines[:_MOST_DIFFERENCES], f"and {len(lines) - _MOST_DIFFERENCES} more differences"]
    return lines


def _all(before: UpstreamTool, after: UpstreamTool) -> Iterator[str]:
    if before.title != after.title:
        yield f"title: {_change(before.title, after.title)}"
    yield from _text("description", before.description, after.description)
    yield from _hints(before.hints, after.hints)
    yield from _schema("parameter", "input schema", before.input_schema, after.input_schema)
    old, new = before.output_schema, after.output_schema
    if (old is None) != (new is None):
        yield f"output schema: {'removed' if new is None else 'added'}"
    else:
        yield from _schema("result field", "output schema", old or {}, new or {})
    if before.meta != after.meta:
        yield f"app: {_change(before.meta, after.meta)}"


def _text(what: str, before: str, after: str) -> Iterator[str]:
    """The lines that went and came. Of very long texts the beginning."""
    if before == after:
        return
    old, new = _lines(before), _lines(after)
    changed = [
        line
        for line in unified_diff(old, new, lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]
    if not changed:
        at = next(
            (n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0
        )
        at = at or min(len(before), len(after))
        yield f"{what}: {len(before):,} characters became {len(after):,}, starting at character {at:,}"
        changed = [f"-{_visible(before[at : at + _LINE])}", f"+{_visible(after[at : at + _LINE])}"]
    for line in changed:
        yield f"{what}: {line[0]} {line[1:].strip()}"


def _lines(text: str) -> list[str]:
    return [_visible(line[:_LINE]) for line in text.split("\n", _MOST_LINES)[:_MOST_LINES]]


def _hints(before: EffectHints, after: EffectHints) -> Iterator[str]:
    for name, words in _HINTS.items():
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            warning = "; it may now write" if name == "read_only" and old else ""
            yield f"{words}: {_yes(old)} → {_yes(new)}{warning}"


def _yes(value: bool | None) -> str:
    return "not declared" if value is None else "yes" if value else "no"


def _schema(
    noun: str, where: str, before: Any, after: Any, path: str = "", depth: int = 0
) -> Iterator[str]:
    if before == after:
        return
    subject = f"{noun} {_visible(path)}" if path else where
    if not isinstance(before, Mapping) or not isinstance(after, Mapping) or depth >= _DEEPEST:
        yield f"{subject}: {_change(before, after)}"
        return
    yield from _text(f"{subject}, description", _description(before), _description(after))
    for keyword in sorted((before.keys() | after.keys()) - _OWN, key=str):
        old, new = before.get(keyword), after.get(keyword)
        if old != new:
            yield f"{subject}: {_visible(str(keyword))} {_change(old, new)}"
    yield from _required(noun, before, after, path)
    yield from _properties(noun, where, before, after, path, depth)
    yield from _schema(noun, where, before.get("items"), after.get("items"), f"{path}[]", depth + 1)


def _properties(
    noun: str, where: str, before: Mapping[str, Any], after: Mapping[str, Any], path: str, depth: int
) -> Iterator[str]:
    old, new = _mapping(before.get("properties")), _mapping(after.get("properties"))
    prefix = f"{path}." if path else ""
    for name in sorted(new.keys() - old.keys()):
        yield f"{noun} {_visible(prefix + name)} added: {_value(new[name])}"
    for name in sorted(old.keys() - new.keys()):
        yield f"{noun} {_visible(prefix + name)} removed"
    for name in sorted(old.keys() & new.keys()):
        yield from _schema(noun, where, old[name], new[name], prefix + name, depth + 1)


def _required(
    noun: str, before: Mapping[str, Any], after: Mapping[str, Any], path: str
) -> Iterator[str]:
    old, new = _names(before.get("required")), _names(after.get("required"))
    prefix = f"{path}." if path else ""
    for name in sorted(new - old):
        yield f"{noun} {_visible(prefix + name)} is now required"
    for name in sorted(old - new):
        yield f"{noun} {_visible(prefix + name)} is no longer required"


def _names(value: object) -> set[str]:
    return {str(name) for name in value} if isinstance(value, list) else set()


def _mapping(value: object) -> dict[str, Any]:
    return {str(key): inner for key, inner in value.items()} if isinstance(value, Mapping) else {}


def _description(schema: Mapping[str, Any]) -> str:
    return str(schema.get("description") or "")


def _change(before: object, after: object) -> str:
    """Both values, from where they begin to differ."""
    old, new = _json(before), _json(after)
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    start = max(0, same - _VALUE // 2) if max(len(old), len(new)) > _VALUE else 0
    return f"{_cut(old, start)} → {_cut(new, start)}"


def _value(value: object) -> str:
    return _cut(_json(value), 0)


def _cut(text: str, start: int) -> str:
    part = text[start : start + _VALUE]
    return ("…" if start else "") + _visible(part) + ("…" if len(text) > start + _VALUE else "")


def _json(value: object) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _visible(text: str) -> str:
    if safe_text(text) == text:
        return text
    return "".join(mark if safe_text(mark) == mark else f"\\u{{{ord(mark):x}}}" for mark in text)
