"""The JSON Schema of the format, generated from the declarations that the checks use."""

from recollect.records.categories import SHAPES
from recollect.records.fields import object_schema
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import FIELDS, FORMAT_VERSION


def schema() -> JsonObject:
    """The schema of a memory of any category."""
    base = object_schema(FIELDS)
    per_category: list[Json] = [
        {
            "if": {"properties": {"category": {"const": category.value}}},
            "then": {"properties": {"content": object_schema(shape.fields)}},
        }
        for category, shape in SHAPES.items()
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A Recollect memory, format {FORMAT_VERSION}",
        **base,
        "allOf": per_category,
    }
