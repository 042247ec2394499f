"""JSON Schema from declarations: the fields of a record or of a tool's arguments, and typed dicts.

Some rules are only in the checks, because no schema can express them: that a date exists, that a span runs
forwards.
"""

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, assert_never

from recollect.ids import SLUG
from recollect.records.fields import (
    DATE_PATTERN,
    Anything,
    Choice,
    Count,
    Field,
    Flag,
    Kind,
    Listing,
    Moment,
    Object,
    Share,
    Slug,
    Text,
    Version,
)
from recollect.records.json_format import Json, JsonObject


class Detail(Enum):
    """How much a schema says. Every agent pays for the words of a tool's schema in each conversation."""

    FULL = "every limit; null means absent"
    BRIEF = "types, choices and descriptions; in nested objects types alone"
    TYPES = "types alone"


def object_schema(fields: tuple[Field, ...], detail: Detail = Detail.FULL) -> JsonObject:
    """The schema of an object with these fields. Unknown fields are allowed."""
    schema: JsonObject = {"type": "object"}
    needed = [field for field in fields if field.required and field.since == "1.0"]
    required: list[Json] = [field.name for field in needed]
    if required or detail is Detail.FULL:
        schema["required"] = required
    if fields:
        schema["properties"] = {
            field.name: _property(field, detail, required=field in needed) for field in fields
        }
    return schema


def _property(field: Field, detail: Detail, *, required: bool) -> JsonObject:
    described: JsonObject = {"description": field.help} if detail is not Detail.TYPES else {}
    schema = kind_schema(field.kind, detail)
    if required or detail is not Detail.FULL:
        return described | schema
    return described | {"anyOf": [schema, {"type": "null"}]}


def kind_schema(kind: Kind, detail: Detail = Detail.FULL) -> JsonObject:
    """The schema of one kind of value."""
    return _full(kind) if detail is Detail.FULL else _brief(kind, detail)


def _full(kind: Kind) -> JsonObject:
    match kind:
        case Text():
            return _text_schema(kind)
        case Slug():
            return {"type": "string", "pattern": f"^{SLUG.pattern}$"}
        case Version():
            return {"type": "string", "pattern": r"^1(\.[0-9]+)?$"}
        case Moment():
            return {"type": "string", "pattern": DATE_PATTERN}
        case Choice(values):
            return {"enum": list(values)}
        case Flag():
            return {"type": "boolean"}
        case Share():
            return {"type": "number", "minimum": 0, "maximum": 1}
        case Count():
            return {"type": "integer", "minimum": 0}
        case Anything():
            return {}
        case Listing():
            return _listing_schema(kind)
        case Object(fields):
            return object_schema(fields)
        case _:
            assert_never(kind)


def _text_schema(kind: Text) -> JsonObject:
    schema: JsonObject = {"type": "string"}
    if kind.min_length:
        schema |= {"minLength": kind.min_length, "pattern": r"\S"}
    return schema if kind.max_length is None else schema | {"maxLength": kind.max_length}


def _listing_schema(kind: Listing) -> JsonObject:
    schema: JsonObject = {"type": "array", "items": _full(kind.of)}
    if kind.min_items:
        schema["minItems"] = kind.min_items
    return schema if kind.max_items is None else schema | {"maxItems": kind.max_items}


def _brief(kind: Kind, detail: Detail) -> JsonObject:
    match kind:
        case Choice(values) if detail is Detail.BRIEF:
            return {"type": "string", "enum": list(values)}
        case Flag():
            return {"type": "boolean"}
        case Share():
            return {"type": "number"}
        case Count():
            return {"type": "integer"} | ({"minimum": 0} if detail is Detail.BRIEF else {})
        case Listing(of):
            return {"type": "array", "items": _brief(of, detail)}
        case Object(fields):
            return object_schema(fields, Detail.TYPES)
        case _:
            return {"type": "string"}


_PLAIN: dict[Any, JsonObject] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


def type_schema(declared: Any, refer: Callable[[Any], JsonObject] | None = None) -> JsonObject:
    """The schema of a typed dict, or of the type of one of its values.

    `refer` gives what stands for a typed dict where one is used; by default that is its own schema.
    """
    refer = refer or typed_dict_schema
    if typing.is_typeddict(declared):
        return refer(declared)
    if declared in _PLAIN:
        return dict(_PLAIN[declared])
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (list, Sequence):
        return {"type": "array", "items": type_schema(arguments[0], refer)}
    if origin in (dict, Mapping):
        values = type_schema(arguments[1], refer)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [type_schema(option, refer) for option in arguments]}
    raise TypeError(f"no JSON Schema for {declared!r}")


def typed_dict_schema(declared: Any, refer: Callable[[Any], JsonObject] | None = None) -> JsonObject:
    """The schema of a typed dict itself."""
    properties: JsonObject = {
        name: type_schema(value, refer) for name, value in typing.get_type_hints(declared).items()
    }
    required: list[Json] = [name for name in properties if name in declared.__required_keys__]
    schema: JsonObject = {"type": "object", "properties": properties}
    return schema | {"required": required} if required else schema
