"""What results of a tool look like, learned from successful calls: names and types, never values.

Merging is a set union of types and fields and an intersection of the fields that are always present, so that
neither the order nor the repetition of calls matters. Objects with many keys, or with keys that look like
data, become maps whose keys are not stored. Past `MOST_PARTS` parts the deepest level is dropped.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

MOST_FIELDS = 64  # of one object; with more it is a map
MOST_PARTS = 2_000  # of one schema
MOST_DEPTH = 8
_MOST_VALUES = (
    50_000  # of one result; a larger one teaches nothing, because half of it would teach wrongly
)
# A name that a programmer gave. Digits in number, addresses and free text are data.
_FIELD = re.compile(r"[A-Za-z_$@][A-Za-z_$-]*(?:\d{1,3}[A-Za-z_$-]*)?")
_LONGEST_FIELD = 50


_ANY = "any"  # a place where nothing more is learned


@dataclass(frozen=True, slots=True)
class Observed:
    """The results so far at one place: maps have `values`, other objects have `fields` and `always`."""

    types: frozenset[str] = frozenset()
    fields: Mapping[str, "Observed"] = field(default_factory=dict)
    always: frozenset[str] = frozenset()
    values: "Observed | None" = None
    items: "Observed | None" = None


class _TooLargeError(Exception):
    """A result with more values than are read."""


def observed(result: Any) -> Observed | None:
    """What one result shows; None for one that is too large to read completely."""
    try:
        return _bounded(_observe(result, MOST_DEPTH, [_MOST_VALUES]))
    except _TooLargeError:
        return None


def merged(first: Observed, second: Observed) -> Observed:
    """What both show together."""
    return _bounded(_merge(first, second))


def json_schema(seen: Observed) -> dict[str, Any]:
    """As a JSON Schema that every result so far fulfils."""
    if _ANY in seen.types:
        return {}
    types = seen.types - ({"integer"} if "number" in seen.types else frozenset())
    schema: dict[str, Any] = {"type": next(iter(types)) if len(types) == 1 else sorted(types)}
    if seen.fields:
        schema["properties"] = {name: json_schema(seen.fields[name]) for name in sorted(seen.fields)}
    if seen.always:
        schema["required"] = sorted(seen.always)
    if seen.values is not None and seen.values.types:
        schema["additionalProperties"] = json_schema(seen.values)
    if seen.items is not None and seen.items.types:
        schema["items"] = json_schema(seen.items)
    return schema


def to_json(seen: Observed) -> dict[str, Any]:
    """For storing; `from_json` reads it."""
    content: dict[str, Any] = {"types": sorted(seen.types)}
    content |= (
        {"fields": {name: to_json(inner) for name, inner in seen.fields.items()}} if seen.fields else {}
    )
    content |= {"always": sorted(seen.always)} if seen.always else {}
    content |= {"values": to_json(seen.values)} if seen.values is not None else {}
    return content | ({"items": to_json(seen.items)} if seen.items is not None else {})


def from_json(content: Mapping[str, Any]) -> Observed:
    """What `to_json` wrote."""
    return Observed(
        frozenset(content["types"]),
        {name: from_json(inner) for name, inner in content.get("fields", {}).items()},
        frozenset(content.get("always", ())),
        from_json(content["values"]) if "values" in content else None,
        from_json(content["items"]) if "items" in content else None,
    )


def _observe(value: Any, depth: int, left: list[int]) -> Observed:
    left[0] -= 1
    if left[0] < 0:
        raise _TooLargeError
    kind = _kind(value)
    if not depth and kind in ("object", "array"):
        return Observed(frozenset({_ANY}))
    if kind == "object":
        fields = {str(name): _observe(inner, depth - 1, left) for name, inner in value.items()}
        return _object(frozenset({kind}), fields, frozenset(fields))
    if kind == "array":
        return Observed(
            frozenset({kind}), items=_all([_observe(inner, depth - 1, left) for inner in value])
        )
    return Observed(frozenset({kind}))


def _object(types: frozenset[str], fields: Mapping[str, Observed], always: frozenset[str]) -> Observed:
    if len(fields) <= MOST_FIELDS and all(map(is_field_name, fields)):
        return Observed(types, fields, always)
    return Observed(types, values=_all(fields.values()))


def is_field_name(name: str) -> bool:
    """Whether a key looks like a name that a programmer gave; others may be data."""
    return len(name) <= _LONGEST_FIELD and _FIELD.fullmatch(name) is not None


def _merge(first: Observed, second: Observed) -> Observed:
    types, items = first.types | second.types, _either(first.items, second.items)
    if _ANY in types:
        return Observed(frozenset({_ANY}))
    fields = {
        name: _all(side.fields[name] for side in (first, second) if name in side.fields)
        for name in first.fields.keys() | second.fields.keys()
    }
    if first.values is not None or second.values is not None:
        values = [side.values for side in (first, second) if side.values is not None]
        return Observed(types, values=_all([*values, *fields.values()]), items=items)
    sides = [side.always for side in (first, second) if "object" in side.types]
    always = frozenset.intersection(*sides) if sides else frozenset()
    merged_object = _object(types, fields, always)
    return Observed(types, merged_object.fields, merged_object.always, merged_object.values, items)


def _either(first: Observed | None, second: Observed | None) -> Observed | None:
    if first is None or second is None:
        return first or second
    return _merge(first, second)


def _all(parts: Iterable[Observed]) -> Observed:
    return reduce(_merge, parts, Observed())


def _bounded(seen: Observed) -> Observed:
    for depth in range(MOST_DEPTH, 0, -1):
        if _size(seen) <= MOST_PARTS:
            break
        seen = _pruned(seen, depth - 1)
    return seen


def _size(seen: Observed) -> int:
    inner = [*seen.fields.values(), *(part for part in (seen.values, seen.items) if part is not None)]
    return 1 + sum(map(_size, inner))


def _pruned(seen: Observed, depth: int) -> Observed:
    if not depth:
        return Observed(frozenset({_ANY}) if seen.types & {"object", "array"} else seen.types)
    return Observed(
        seen.types,
        {name: _pruned(inner, depth - 1) for name, inner in seen.fields.items()},
        seen.always,
        _pruned(seen.values, depth - 1) if seen.values else None,
        _pruned(seen.items, depth - 1) if seen.items else None,
    )


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case _:
            return "object"
