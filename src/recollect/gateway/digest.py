"""The digest of what a server declares: equal for equal meaning, whatever the order of keys."""

import hashlib
import json
from collections.abc import Mapping


def digest(value: object) -> str:
    """A SHA-256 of a JSON value. The order of keys and of `required`, which means nothing, is ignored."""
    text = json.dumps(_ordered(value), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _ordered(value: object) -> object:
    if isinstance(value, Mapping):
        return {
            str(key): _names(inner) if key == "required" else _ordered(inner)
            for key, inner in value.items()
        }
    return [_ordered(inner) for inner in value] if isinstance(value, list | tuple) else value


def _names(required: object) -> object:
    is_names = isinstance(required, list) and all(isinstance(name, str) for name in required)
    return sorted(required) if isinstance(required, list) and is_names else _ordered(required)
