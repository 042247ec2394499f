"""What a JSON document looks like without its values: its shape, and an abridged copy."""

import json
from collections.abc import Iterable, Sequence

from recollect.records.json_format import Json

MAX_DEPTH = 100  # deeper JSON is read as text
_SAMPLED = 200  # elements of a list that its shape is taken from
_SHAPE_SIZES = ((6, 40), (5, 25), (4, 16), (3, 10), (2, 8), (1, 5))  # levels, and keys of an object
# Characters of a string, elements of a list, keys of an object, and levels that an abridged copy shows.
_ABRIDGED_SIZES = (
    *((400, 10, 40, 8), (160, 5, 25, 6), (80, 3, 15, 5), (40, 2, 10, 4), (20, 1, 6, 3)),
    *((12, 1, 4, 2), (8, 1, 2, 1)),
)


def is_deep(value: Json) -> bool:
    """Whether a document has more levels than we walk."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return True


def _children(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return (item for item in value.values() if isinstance(item, dict | list))
    return (item for item in value if isinstance(item, dict | list)) if isinstance(value, list) else ()


def shape(value: Json, most: int = 1_200) -> str:
    """The names and types in a document, such as `{items: [500 x {id: int, title?: str}]}`.

    A field that only some elements of a list have is marked with `?`. What does not fit into `most`
    characters is left out, the deepest first.
    """
    text = ""
    for levels, keys in _SHAPE_SIZES:
        text = _shape([value], levels, keys)
        if len(text) <= most:
            return text
    return text[: most - 1] + "…"


def _shape(values: Sequence[Json], levels: int, keys: int) -> str:
    kinds = dict.fromkeys(_kind(value) for value in values)
    return " | ".join(_shape_of(kind, values, levels, keys) for kind in kinds) or "nothing"


def _shape_of(kind: str, values: Sequence[Json], levels: int, keys: int) -> str:
    if kind == "list":
        lists = [value for value in values if isinstance(value, list)]
        sizes = sorted({len(items) for items in lists})
        size = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}-{sizes[-1]}"
        items = [item for items in lists for item in items[:_SAMPLED]][:_SAMPLED]
        return f"[{size} x {_shape(items, levels - 1, keys)}]" if levels and items else f"[{size}]"
    if kind == "object":
        objects = [value for value in values if isinstance(value, dict)]
        return _shape_of_object(objects, levels, keys)
    return kind


def _shape_of_object(objects: Sequence[dict[str, Json]], levels: int, keys: int) -> str:
    names = list(dict.fromkeys(name for item in objects for name in item))
    if not levels:
        return f"{{{len(names)} keys}}"
    fields = []
    for name in names[:keys]:
        values = [item[name] for item in objects if name in item]
        optional = "" if len(values) == len(objects) else "?"
        fields.append(f"{_name(name)}{optional}: {_shape(values, levels - 1, keys)}")
    if len(names) > keys:
        fields.append(f"… {len(names) - keys} more")
    return f"{{{', '.join(fields)}}}"


def _name(name: str) -> str:
    short = name if len(name) <= 60 else name[:59] + "…"
    return short if short.isidentifier() else json.dumps(short, ensure_ascii=False)


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case str():
            return "str"
        case list():
            return "list"
        case dict():
            return "object"


def abridged(value: Json, most: int) -> str:
    """A document as JSON with what does not fit into `most` characters replaced by a count.

    It is for reading, not for parsing: `…` marks what is left out.
    """
    text = compact(value)
    for limits in _ABRIDGED_SIZES:
        if len(text) <= most:
            return text
        text = compact(_abridged(value, *limits))
    return text if len(text) <= most else text[: most - 1] + "…"


def _abridged(value: Json, length: int, items: int, keys: int, levels: int) -> Json:
    if isinstance(value, str):
        return (
            value
            if len(value) <= length
            else f"{value[:length]}… {len(value) - length:,} more characters"
        )
    if isinstance(value, list):
        if not levels and value:
            return f"… a list of {len(value):,}"
        shown = [_abridged(item, length, items, keys, levels - 1) for item in value[:items]]
        return shown if len(value) <= items else [*shown, f"… {len(value) - items:,} more"]
    if isinstance(value, dict):
        if not levels and value:
            return f"… an object of {len(value):,} keys"
        names = list(value)
        short = {name: _abridged(value[name], length, items, keys, levels - 1) for name in names[:keys]}
        return short if len(names) <= keys else short | {"…": f"{len(names) - keys:,} more keys"}
    return value


def compact(value: Json) -> str:
    """A value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)
