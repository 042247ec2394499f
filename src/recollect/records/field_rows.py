"""A record as rows of fields, for readers that take it in parts. Pure.

A field is whole where it fits, and a long text is cut into numbered parts: no part of a record's JSON has to
be put together before it can be read.
"""

from collections.abc import Iterator, Mapping

from recollect.records.json_format import Json

FieldRow = tuple[str, Json]  # `content.context`, or `content.context (2 of 3)`, and its value


def field_rows(document: Mapping[str, Json], longest: int) -> list[FieldRow]:
    """The fields of a record in their order; texts of more than `longest` characters in parts."""
    return [row for name, value in document.items() for row in _rows(name, value, longest)]


def _rows(name: str, value: Json, longest: int) -> Iterator[FieldRow]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _rows(f"{name}.{key}", inner, longest)
    elif isinstance(value, list) and sum(len(str(item)) + 4 for item in value) > longest:
        for number, inner in enumerate(value):
            yield from _rows(f"{name}[{number}]", inner, longest)
    elif isinstance(value, str) and len(value) > longest:
        parts = [value[start : start + longest] for start in range(0, len(value), longest)]
        for number, part in enumerate(parts, start=1):
            yield f"{name} ({number} of {len(parts)})", part
    else:
        yield name, value
