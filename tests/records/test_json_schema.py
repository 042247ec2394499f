"""One generator for every declaration; `test_schema.py` checks the memory format against real records."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pytest

from recollect.records.fields import Choice, Field, Listing, Object, Text
from recollect.records.json_schema import Detail, object_schema, type_schema

FIELDS = (
    Field("name", Text(min_length=1, max_length=9), "a name", required=True),
    Field("rows", Listing(Object((Field("kind", Choice(("a", "b")), "which"),)), max_items=2), "some"),
)


class Row(TypedDict):
    name: str
    score: float | None
    extra: NotRequired[Mapping[str, Any]]


class Rows(TypedDict):
    rows: Sequence[Row]
    counts: dict[str, int]
    done: bool


def test_a_full_schema_states_every_limit_and_lets_null_mean_absent() -> None:
    rows = {
        "type": "array",
        "items": {
            "type": "object",
            "required": [],
            "properties": {
                "kind": {
                    "description": "which",
                    "anyOf": [{"enum": ["a", "b"]}, {"type": "null"}],
                }
            },
        },
        "maxItems": 2,
    }
    assert object_schema(FIELDS) == {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {
                "description": "a name",
                "type": "string",
                "minLength": 1,
                "pattern": r"\S",
                "maxLength": 9,
            },
            "rows": {"description": "some", "anyOf": [rows, {"type": "null"}]},
        },
    }


def test_a_brief_schema_describes_the_first_level_and_types_the_rest() -> None:
    assert object_schema(FIELDS, Detail.BRIEF)["properties"] == {
        "name": {"description": "a name", "type": "string"},
        "rows": {
            "description": "some",
            "type": "array",
            "items": {"type": "object", "properties": {"kind": {"type": "string"}}},
        },
    }


def test_a_typed_dict_becomes_an_object_that_allows_more_keys() -> None:
    row = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "score": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "extra": {"type": "object"},
        },
        "required": ["name", "score"],
    }
    assert type_schema(Rows) == {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": row},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "done": {"type": "boolean"},
        },
        "required": ["rows", "counts", "done"],
    }


def test_a_type_that_json_cannot_hold_is_an_error() -> None:
    with pytest.raises(TypeError, match="no JSON Schema for <class 'set'>"):
        type_schema(set)
