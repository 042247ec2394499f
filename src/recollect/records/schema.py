"""The JSON Schema of the memory format, generated from the declarations that the checks use."""

from recollect.records.categories import SHAPES, Category
from recollect.records.json_format import Json, JsonObject
from recollect.records.json_schema import kind_schema, object_schema
from recollect.records.record import FIELDS, FORMAT_VERSION


def schema() -> JsonObject:
    """The schema of a memory of any category."""
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
        **object_schema(FIELDS),
        "allOf": per_category + [rule for category in SHAPES for rule in _since_1_1(category)],
    }


def _since_1_1(category: Category) -> list[Json]:
    """What files of format 1.0 may lack and later ones may not."""
    fields = [field for field in SHAPES[category].fields if field.required and field.since != "1.0"]
    if not fields:
        return []
    older: JsonObject = {"enum": ["1", "1.0"]}
    when: JsonObject = {"category": {"const": category.value}, "schema_version": {"not": older}}
    required: list[Json] = [field.name for field in fields]
    properties: JsonObject = {field.name: kind_schema(field.kind) for field in fields}
    content: JsonObject = {"type": "object", "required": required, "properties": properties}
    return [{"if": {"properties": when}, "then": {"properties": {"content": content}}}]
