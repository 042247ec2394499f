"""The kinds of values a field may have: one declaration for checks, schema and documentation."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from recollect import clock
from recollect.errors import Problem
from recollect.ids import SLUG, SLUG_HELP
from recollect.records.json_format import Json


@dataclass(frozen=True, slots=True)
class Text:
    """A string. `max_length` counts characters."""

    min_length: int = 0
    max_length: int | None = None


@dataclass(frozen=True, slots=True)
class Slug:
    """A memory id."""


@dataclass(frozen=True, slots=True)
class Version:
    """A format version of this major: `1.0`, `1.1`, ..."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An ISO 8601 date or date-time."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""


@dataclass(frozen=True, slots=True)
class Share:
    """A number from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number, not negative."""


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list whose items are all of one kind."""

    of: "Kind"
    min_items: int = 0
    max_items: int | None = None


@dataclass(frozen=True, slots=True)
class Object:
    """An object with known fields; unknown fields stay as they are and are not checked."""

    fields: tuple["Field", ...]


DATE_PATTERN = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"

Kind: TypeAlias = (
    Text | Slug | Version | Moment | Choice | Flag | Share | Count | Anything | Listing | Object
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name, its kind, what it means.

    `since` is the format version that began to require it; older files may lack it.
    """

    name: str
    kind: Kind
    help: str
    required: bool = False
    since: str = "1.0"


def check(kind: Kind, value: Json, path: str, version: str) -> Iterator[Problem]:
    """Every problem of `value` as a value of `kind`."""
    match kind:
        case Listing():
            yield from _check_listing(kind, value, path, version)
        case Object():
            yield from _check_table(kind, value, path, version)
        case _:
            if message := _complaint(kind, value):
                yield Problem(path, message)


def _check_listing(kind: Listing, value: Json, path: str, version: str) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem(path, f"must be a list, not {_shown(value)}")
        return
    if len(value) < kind.min_items:
        yield Problem(path, f"needs at least {kind.min_items} item(s)")
    if kind.max_items is not None and len(value) > kind.max_items:
        yield Problem(path, f"has {len(value)} items; the maximum is {kind.max_items}")
    for index, item in enumerate(value):
        yield from check(kind.of, item, f"{path}[{index}]", version)


def _check_table(kind: Object, value: Json, path: str, version: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(path, f"must be an object, not {_shown(value)}")
        return
    yield from check_fields(kind.fields, value, path, version)


def check_fields(
    fields: tuple[Field, ...], value: Mapping[str, Json], path: str, version: str
) -> Iterator[Problem]:
    """Check an object field by field. A field that is null counts as absent."""
    for field in fields:
        inner = f"{path}.{field.name}" if path else field.name
        field_value = value.get(field.name)
        if field_value is not None:
            yield from check(field.kind, field_value, inner, version)
        elif field.required and version >= field.since:
            yield Problem(inner, f"is missing: {_described(field)}")


def is_declared(kind: Kind, value: Json) -> bool:
    """Whether a value has declared fields only, at every depth. A null counts as absent."""
    match kind, value:
        case Listing(of), list(items):
            return all(is_declared(of, item) for item in items)
        case Object(fields), dict(values):
            kinds = {field.name: field.kind for field in fields}
            return all(name in kinds and is_declared(kinds[name], values[name]) for name in values)
        case _:
            return True


def _described(field: Field) -> str:
    match field.kind:
        case Choice(values):
            return f"one of {', '.join(values)}"
        case Listing():
            return f"a list of {field.help}"
        case _:
            return field.help


def _complaint(kind: Kind, value: Json) -> str | None:
    match kind:
        case Text():
            return _text_complaint(kind, value)
        case Slug():
            good = isinstance(value, str) and SLUG.fullmatch(value) is not None
            return None if good else f"must be {SLUG_HELP}, not {_shown(value)}"
        case Version():
            return _version_complaint(value)
        case Moment():
            good = isinstance(value, str) and _is_moment(value)
            return None if good else f"must be an ISO 8601 date or date-time, not {_shown(value)}"
        case Choice(values):
            return None if value in values else f"must be {' | '.join(values)}, not {_shown(value)}"
        case Flag():
            return None if isinstance(value, bool) else f"must be true or false, not {_shown(value)}"
        case Share():
            good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
            return None if good else f"must be a number from 0 to 1, not {_shown(value)}"
        case Count():
            good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
            return None if good else f"must be a whole number from 0, not {_shown(value)}"
        case Anything() | Listing() | Object():
            return None
        case _:
            assert_never(kind)


def _text_complaint(kind: Text, value: Json) -> str | None:
    if not isinstance(value, str):
        return f"must be text, not {_shown(value)}"
    if len(value.strip()) < kind.min_length:
        return "must not be empty"
    if kind.max_length is not None and len(value) > kind.max_length:
        return f"has {len(value)} characters; the maximum is {kind.max_length}"
    return None


def _version_complaint(value: Json) -> str | None:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return f"must be a format version such as '1.1', not {_shown(value)}"
    if value.partition(".")[0] != "1":
        return f"{value!r} is a format this version does not read; it reads 1.x. Upgrade Recollect."
    return None


def _is_moment(text: str) -> bool:
    try:
        clock.from_text(text)
    except ValueError:
        return False
    return re.match(DATE_PATTERN, text) is not None


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
