"""Two versions of one memory into one, field by field. Pure.

A field that one side changed takes that side's value; fields that behave like sets (tags, links, ...)
take both sides' additions and removals. Only where both sides changed the same field differently is
there a conflict, and only that field is left for a person, between the usual markers.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from recollect import clock
from recollect.records.json_format import Json, JsonObject, render, same
from recollect.records.record import MAX_CHANGES, canonical

_ABSENT: Final = object()
_Value = object  # a Json value, or _ABSENT


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that both sides changed. An absent side has no key there."""

    path: tuple[str, ...]
    ours: JsonObject
    theirs: JsonObject


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged document; where `clashes` names a field it holds our value."""

    document: JsonObject
    clashes: tuple[Clash, ...]


def merge(base: JsonObject, ours: JsonObject, theirs: JsonObject) -> Merged:
    """Merge two documents that both come from `base`; an empty base means both were added."""
    clashes: list[Clash] = []
    document = _merge_objects(base, ours, theirs, (), clashes)
    return Merged(_settled(document), tuple(clashes))


def _settled(document: JsonObject) -> JsonObject:
    changes = document.get("changes")
    if isinstance(changes, list) and len(changes) > MAX_CHANGES:
        document["changes"] = changes[-MAX_CHANGES:]
    return document


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
    """Our order; a field only they have goes where the format would put it."""
    added = {name: theirs[name] for name in theirs if name not in ours}
    return list(ours) if not added else list(canonical(ours | added))


def _merge_field(
    sides: tuple[_Value, _Value, _Value], path: tuple[str, ...], clashes: list[Clash]
) -> _Value:
    base, ours, theirs = sides
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


def _same(one: _Value, other: _Value) -> bool:
    if one is _ABSENT or other is _ABSENT:
        return one is other
    return same(one, other)  # type: ignore[arg-type]


def _union(base: _Value, ours: _Value, theirs: _Value) -> _Value:
    """Both sides' additions, less both sides' removals, in our order."""
    old, left, right = (_items(side) for side in (base, ours, theirs))
    gone = {key for key in old if key not in left or key not in right}
    both = left | {key: item for key, item in right.items() if key not in left}
    return [item for key, item in both.items() if key not in gone]


def _items(side: _Value) -> dict[str, Json]:
    rows = side if isinstance(side, list) else []
    return {json.dumps(item, sort_keys=True): item for item in rows}


def _history(base: _Value, ours: _Value, theirs: _Value) -> _Value:
    rows = _union(base, ours, theirs)
    assert isinstance(rows, list)
    return sorted(rows, key=lambda row: str(row.get("date")) if isinstance(row, dict) else "")


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


def _sum_of_changes(base: _Value, ours: _Value, theirs: _Value) -> _Value:
    start = base if isinstance(base, int) else 0
    if not isinstance(ours, int) or not isinstance(theirs, int):
        return _ABSENT
    return max(ours + theirs - start, ours, theirs)


_RULES: dict[str, Callable[[_Value, _Value, _Value], _Value]] = {
    "tags": _union,
    "related_files": _union,
    "links": _union,
    "anchors": _union,
    "changes": _history,
    "updated_at": _later,
    "schema_version": _newer_format,
    "times_updated": _sum_of_changes,
}


def render_merged(merged: Merged, ours: str = "ours", theirs: str = "theirs") -> bytes:
    """The file to leave behind: plain JSON, or JSON with markers round each clashing field."""
    document = merged.document
    lines = render(document).decode().split("\n")
    for clash in merged.clashes:
        lines = _marked(lines, clash, document, (ours, theirs))
    return "\n".join(lines).encode()


def _marked(lines: list[str], clash: Clash, document: JsonObject, names: tuple[str, str]) -> list[str]:
    depth = len(clash.path)
    shown = _field_lines({clash.path[-1]: _at(document, clash.path)}, depth)
    start = _find(lines, shown)
    last = start + len(shown)
    comma = "," if lines[last - 1].endswith(",") else ""
    block = [f"<<<<<<< {names[0]}"]
    block += _field_lines(clash.ours, depth, comma)
    block += ["======="]
    block += _field_lines(clash.theirs, depth, comma)
    block += [f">>>>>>> {names[1]}"]
    return lines[:start] + block + lines[last:]


def _at(document: JsonObject, path: tuple[str, ...]) -> Json:
    value: Json = document
    for name in path:
        assert isinstance(value, dict)
        value = value[name]
    return value


def _field_lines(field: JsonObject, depth: int, comma: str = "") -> list[str]:
    """The lines of a one-field object as they stand in the file, without its braces."""
    if not field:
        return []
    inner = render(field).decode().split("\n")[1:-2]
    inner[-1] += comma
    indent = "  " * (depth - 1)
    return [indent + line for line in inner]


def _find(lines: list[str], shown: list[str]) -> int:
    """Where a field stands. Its last line may end in a comma that the others do not have."""
    for start in range(len(lines) - len(shown) + 1):
        window = lines[start : start + len(shown)]
        if window[:-1] == shown[:-1] and window[-1].rstrip(",") == shown[-1].rstrip(","):
            return start
    raise AssertionError(f"the field {shown[0]!r} is not in the file it was rendered into")
