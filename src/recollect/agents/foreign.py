"""Reading what a harness keeps account of for itself. What cannot be read says nothing."""

import json
import tomllib


def json_of(text: str | None) -> object:
    """The value in a JSON text; None for no text or another."""
    try:
        return json.loads((text or "").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def toml_of(text: str | None) -> object:
    """The table in a TOML text; None for no text or another."""
    try:
        return tomllib.loads(text or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def inside(value: object, *keys: str) -> object:
    """What is below these keys, one in the other; None when there is none on the way."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
