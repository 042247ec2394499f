"""Values between guest and host: what a guest gives becomes JSON, whatever it is."""

import json
import math
from typing import Any

from recollect.errors import RefusedError
from recollect.records.json_format import Json, JsonObject

_DEEPEST = 64  # levels of lists and objects
_LONGEST_NUMBER = 4_096  # bits; Python refuses to write much longer ones
_LONGEST_TEXT = 200  # characters of the text for a value that JSON does not have


def json_value(value: Any, depth: int = 0) -> Json:
    """A guest's value as JSON; what JSON does not have becomes text. Raises RefusedError for deep nesting."""
    if depth > _DEEPEST:
        raise RefusedError(f"the value is nested more than {_DEEPEST} levels deep.")
    match value:
        case None | bool():
            return value
        case int():
            return value if value.bit_length() <= _LONGEST_NUMBER else "a number of many digits"
        case str():
            return value.encode("utf-8", "replace").decode()  # a lone surrogate is no text
        case float():
            return value if math.isfinite(value) else str(value)
        case dict():
            return {_key(key): json_value(inner, depth + 1) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [json_value(inner, depth + 1) for inner in value]
        case _:
            return f"{value!r}"[:_LONGEST_TEXT]


def call_arguments(positional: tuple[Any, ...], named: dict[str, Any], most: int) -> JsonObject:
    """The arguments of a call as JSON. Raises RefusedError for those that no tool can be given."""
    if positional:
        raise RefusedError("tools take named arguments only, as in tool(path='a').")
    arguments = json_value(named)
    assert isinstance(arguments, dict)
    bounded(arguments, most)
    return arguments


def bounded(value: Json, most: int) -> None:
    """Raises RefusedError for a value of more bytes."""
    size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    if size > most:
        raise RefusedError(f"the value has {size:,} bytes; at most {most:,} are allowed.")


def _key(key: Any) -> str:
    return key if isinstance(key, str) else f"{key!r}"[:_LONGEST_TEXT]
