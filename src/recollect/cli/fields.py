"""Parse `--set status=accepted` by the declared kind of the field."""

import json
from collections.abc import Iterable

from recollect.errors import InvalidMemoryError, Problem, RefusedError
from recollect.records.categories import SHAPES, Category
from recollect.records.fields import Field, Flag, Kind, Listing, Object, Text
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import Status

STATUSES: tuple[str, ...] = (*Status, "all")


def category_named(text: str) -> Category:
    """The category of that name; dashes and capitals do not matter."""
    try:
        return Category(text.strip().lower().replace("-", "_"))
    except ValueError:
        raise RefusedError(f"unknown category {text!r}; choose one of {', '.join(Category)}.") from None


def content_of(category: Category, assignments: Iterable[str]) -> JsonObject:
    """The content that some `field=value` make. A list field may be given several times."""
    content: JsonObject = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise RefusedError(f"--set {assignment!r} must be written as field=value.")
        _put(content, SHAPES[category].fields, name.strip(), value, category)
    return content


def _put(
    into: JsonObject, fields: tuple[Field, ...], name: str, value: str, category: Category
) -> None:
    outer, dot, inner = name.partition(".")
    field = next((field for field in fields if field.name == outer), None)
    if field is None:
        known = ", ".join(field.name for field in fields)
        raise RefusedError(f"a {category.value} has no field {outer!r}; it has {known}.")
    if dot and isinstance(field.kind, Object):
        table = into.setdefault(outer, {})
        assert isinstance(table, dict)
        _put(table, field.kind.fields, inner, value, category)
    elif isinstance(field.kind, Listing) and not value.lstrip().startswith("["):
        items = into.setdefault(outer, [])
        assert isinstance(items, list)
        items.append(_value(field.kind.of, value, name))
    else:
        into[outer] = _value(field.kind, value, name)


def _value(kind: Kind, value: str, name: str) -> Json:
    match kind:
        case Flag():
            if value.lower() in ("true", "yes", "1"):
                return True
            if value.lower() in ("false", "no", "0"):
                return False
            raise RefusedError(f"--set {name}={value!r} must be true or false.")
        case Listing() | Object():
            try:
                parsed: Json = json.loads(value)
            except ValueError:
                problem = Problem(name, f"must be JSON, such as {_example(kind)}, not {value!r}")
                raise InvalidMemoryError("--set", [problem]) from None
            return parsed
        case _:
            return value


def _example(kind: Listing | Object) -> str:
    match kind:
        case Object(fields):
            return json.dumps({field.name: "..." for field in fields})
        case Listing(of=Text()):
            return '["...", "..."]'
        case _:
            return "[{...}]"
