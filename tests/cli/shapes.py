"""Is this what a command promises to print? A value held against its TypedDict."""

import types
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from recollect.cli.command import outputs
from recollect.cli.main import app

SHAPES = outputs(app)


def mismatches(value: object, shape: Any, path: str = "") -> list[str]:
    """Everything by which `value` differs from `shape`: keys missing, keys unknown, wrong types."""
    if get_origin(shape) is NotRequired:
        shape = get_args(shape)[0]
    if is_typeddict(shape):
        return _of_object(value, shape, path)
    if get_origin(shape) in (Union, types.UnionType):
        tried = [mismatches(value, option, path) for option in get_args(shape)]
        return [] if [] in tried else tried[0]
    if get_origin(shape) is list:
        if not isinstance(value, list):
            return [f"{path} is no list"]
        return [
            found
            for index, item in enumerate(value)
            for found in mismatches(item, get_args(shape)[0], f"{path}[{index}]")
        ]
    wanted = get_origin(shape) or shape
    if wanted is not Any and (
        not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool)
    ):
        return [f"{path} is {value!r}, not {wanted}"]
    return []


def _of_object(value: object, shape: Any, path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path} is no object"]
    hints = get_type_hints(shape, include_extras=True)
    found = [f"{path}.{name} is missing" for name in shape.__required_keys__ if name not in value]
    found += [f"{path}.{name} is not documented" for name in value if name not in hints]
    for name, inner in value.items():
        if name in hints:
            found += mismatches(inner, hints[name], f"{path}.{name}")
    return found
