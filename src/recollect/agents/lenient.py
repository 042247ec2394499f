"""Read the records that a harness keeps for itself. A text that does not parse holds nothing."""

import json
import tomllib

from recollect.agents.json_text import parse
from recollect.errors import RefusedError


def json_of(text: str | None) -> object:
    """The value of a JSON text, with or without comments; None if there is no text or it does not parse."""
    try:
        return json.loads((text or "").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return _with_comments(text or "")


def _with_comments(text: str) -> object:
    try:
        return parse(text).value
    except RefusedError:
        return None


def toml_of(text: str | None) -> object:
    """The table of a TOML text; None if it does not parse."""
    try:
        return tomllib.loads(text or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def inside(value: object, *keys: str) -> object:
    """The value below these nested keys; None where one is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
