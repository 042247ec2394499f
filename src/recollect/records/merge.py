"""Merge two versions of a memory, field by field. Pure.

A field that one side changed takes that side's value; fields that behave like sets (tags, links, ...)
take both sides' additions and removals. There is a conflict only if both sides changed the same field
differently; only that field gets conflict markers.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from recollect import clock
from recollect.records.json_format import Json, JsonObject, render, same
from recollect.records.record import MAX_CHANGES

_ABSENT: Final = object()
_Value = object  # a Json value, or _ABSENT
_Rule = Callable[[_Value, _Value, _Value], _Value]


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that both sides changed. An absent side has no key there."""

    path: tuple[str, ...]
    ours: JsonObject
    theirs: JsonObject


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged document; it has our value for the fields in `clashes`."""

    document: JsonObject
    clashes: tuple[Clash, ...]


def merge(base: JsonObject, ours: JsonObject, theirs: JsonObject) -> Merged:
    """Merge two documents that both come from `base`; an empty base means both were added.

    When only one side changed the result is that side, key order included.
    """
    if same(theirs, base) or same(ours, theirs):
        return Merged(ours, ())
    if same(ours, base):
        return Merged(theirs, ())
    clashes: list[Clash] = []
    document = _merge_objects(base, ours, theirs, (), clashes)
    if "times_updated" in document:
        document["times_updated"] = _updates(base, ours, theirs)
    return Merged(document, tuple(clashes))


def _updates(base: JsonObject, ours: JsonObject, theirs: JsonObject) -> int:
    """The number of updates of both sides: one side's count plus the other's own history entries.

    It counts entries, not differences, so that merging again adds nothing.
    """
    left, right = _count(ours), _count(theirs)
    known, mine, others = (set(_items(side.get("changes"))) for side in (base, ours, theirs))
    return max(left + len(others - mine - known), right + len(mine - others - known))


def _count(side: JsonObject) -> int:
    value = side.get("times_updated")
    return value if isinstance(value, int) else 0


def _merge_objects(
    base: JsonObject,
    ours: JsonObject,
    theirs: JsonObject,
    path: tuple[str, ...],
    clashes: list[Clash],
) -> JsonObject:
    merged: JsonObject = {}
    for name in _names(ours, theirs):
        sides = (base.get(name, _ABSENT), ours.get(name, _ABSENT), theirs.get(name, _ABSENT))
        value = _merge_field(sides, (*path, name), clashes)
        if value is not _ABSENT:
            merged[name] = value  # type: ignore[assignment] # not absent, so it is JSON
    return merged


def _names(ours: JsonObject, theirs: JsonObject) -> list[str]:
    """All names in our order; a field that only they have follows the same field as on their side."""
    names = list(ours)
    before: str | None = None
    for name in theirs:
        if name not in ours:
            names.insert(0 if before is None else names.index(before) + 1, name)
        before = name
    return names


def _merge_field(
    sides: tuple[_Value, _Value, _Value], path: tuple[str, ...], clashes: list[Clash]
) -> _Value:
    base, ours, theirs = sides
    if path == ("times_updated",):  # never removed; `_updates` computes it
        return ours if ours is not _ABSENT else theirs
    if _same(ours, theirs) or _same(theirs, base):
        return ours
    if _same(ours, base):
        return theirs
    if path == ("content",) and isinstance(ours, dict) and isinstance(theirs, dict):
        old = base if isinstance(base, dict) else {}
        return _merge_objects(old, ours, theirs, path, clashes)
    if len(path) == 1 and (rule := _RULES.get(path[0])):
        settled = rule(base, ours, theirs)
        if settled is not _ABSENT:
            return settled
    name = path[-1]
    clashes.append(Clash(path, _side(name, ours), _side(name, theirs)))
    return ours if ours is not _ABSENT else theirs


def _side(name: str, value: _Value) -> JsonObject:
    return {} if value is _ABSENT else {name: value}  # type: ignore[dict-item]


def _same(left: _Value, right: _Value) -> bool:
    if left is _ABSENT or right is _ABSENT:
        return left is right
    return same(left, right)  # type: ignore[arg-type]


def _union(base: _Value, ours: _Value, theirs: _Value) -> _Value:
    """Both sides' additions, less both sides' removals, in our order."""
    old, left, right = (_items(side) for side in (base, ours, theirs))
    removed = {key for key in old if key not in left or key not in right}
    both = left | {key: item for key, item in right.items() if key not in left}
    return [item for key, item in both.items() if key not in removed]


def _items(side: _Value) -> dict[str, Json]:
    rows = side if isinstance(side, list) else []
    return {json.dumps(item, sort_keys=True): item for item in rows}


def _tags(base: _Value, ours: _Value, theirs: _Value) -> _Value:
    """Both sides' tags; a clash if none is left, because a memory needs one."""
    return _union(base, ours, theirs) or _ABSENT


def _rows(*key: str) -> _Rule:
    """Both sides' rows; a clash when both have a row of the same `key` and they differ."""

    def rule(base: _Value, ours: _Value, theirs: _Value) -> _Value:
        rows = _union(base, ours, theirs)
        assert isinstance(rows, list)
        named = [[row.get(name) for name in key] for row in rows if isinstance(row, dict)]
        return rows if all(named.count(name) == 1 for name in named) else _ABSENT

    return rule


def _history(base: _Value, ours: _Value, theirs: _Value) -> _Value:
    rows = _union(base, ours, theirs)
    assert isinstance(rows, list)
    ordered = sorted(rows, key=lambda row: str(row.get("date")) if isinstance(row, dict) else "")
    return ordered[-MAX_CHANGES:]


def _later(_base: _Value, ours: _Value, theirs: _Value) -> _Value:
    if not isinstance(ours, str) or not isinstance(theirs, str):
        return _ABSENT
    try:
        return max(ours, theirs, key=clock.from_text)
    except ValueError:
        return _ABSENT


def _newer_format(_base: _Value, ours: _Value, theirs: _Value) -> _Value:
    if not isinstance(ours, str) or not isinstance(theirs, str):
        return _ABSENT
    return max(ours, theirs)


_RULES: dict[str, _Rule] = {
    "tags": _tags,
    "related_files": _union,
    "links": _rows("type", "target"),
    "anchors": _rows("path", "lines"),
    "changes": _history,
    "updated_at": _later,
    "schema_version": _newer_format,
}


def render_merged(merged: Merged) -> bytes:
    """The merged file: plain JSON, or JSON with conflict markers around each clashing field."""
    if not merged.clashes:
        return render(merged.document)
    clashes = {clash.path: clash for clash in merged.clashes}
    lines = _object_lines(merged.document, (), clashes)
    return "\n".join(["{", *lines, "}", ""]).encode()


def _object_lines(
    value: JsonObject, path: tuple[str, ...], clashes: dict[tuple[str, ...], Clash]
) -> list[str]:
    """The lines between an object's braces."""
    lines: list[str] = []
    order = _with_present_last(list(value), path, clashes)
    for name in order:
        comma = "" if name == order[-1] else ","
        inner, below = value[name], (*path, name)
        if clash := clashes.get(below):
            lines += _marked(clash, comma)
        elif isinstance(inner, dict) and any(other[:-1] == below for other in clashes):
            head = _field_lines({name: {}}, len(below))[0].removesuffix("}")
            lines += [head, *_object_lines(inner, below, clashes)]
            lines.append("  " * len(below) + "}" + comma)
        else:
            lines += _field_lines({name: inner}, len(below), comma)
    return lines


def _with_present_last(
    order: list[str], path: tuple[str, ...], clashes: dict[tuple[str, ...], Clash]
) -> list[str]:
    """`order`, but a field that one side removed is not the last: it would leave a trailing comma."""
    missing = [
        name
        for name in order
        if (clash := clashes.get((*path, name))) and not (clash.ours and clash.theirs)
    ]
    if not order or order[-1] not in missing:
        return order
    return [*missing, *(name for name in order if name not in missing)]


def _marked(clash: Clash, comma: str) -> list[str]:
    depth = len(clash.path)
    return [
        "<<<<<<< ours",
        *_field_lines(clash.ours, depth, comma),
        "=======",
        *_field_lines(clash.theirs, depth, comma),
        ">>>>>>> theirs",
    ]


def _field_lines(field: JsonObject, depth: int, comma: str = "") -> list[str]:
    """The lines of a one-field object as they are in the file, without its braces."""
    if not field:
        return []
    inner = render(field).decode().split("\n")[1:-2]
    inner[-1] += comma
    indent = "  " * (depth - 1)
    return [indent + line for line in inner]
