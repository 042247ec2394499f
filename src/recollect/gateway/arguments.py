"""Are these the arguments that a tool takes? Checked before a call leaves, with an error to act on."""

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from recollect import patterns

_MOST_PROBLEMS = 5
_SHOWN = 80  # characters of a wrong value that an error quotes
_DEEPEST = 4  # levels of objects in an example
_SAMPLES: Mapping[str, Any] = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "null": None}


def argument_problems(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """What is wrong with the arguments, each in a few words; nothing if the server may decide.

    References to other documents are never fetched. A schema that is invalid itself checks nothing.
    """
    try:
        validator = _checker(json.dumps(schema, sort_keys=True))
        problems = [text for error in validator.iter_errors(arguments) for text in _texts(error)]
    except (SchemaError, Unresolvable, RecursionError):
        return ()
    problems += _unknown(schema, arguments, problems)
    return tuple(dict.fromkeys(problems))[:_MOST_PROBLEMS]


@lru_cache(maxsize=256)
def _checker(schema: str) -> Any:
    """What checks arguments against a schema; checking the schema itself takes longer than the arguments."""
    document = json.loads(schema)
    Draft202012Validator.check_schema(document)
    return _Checker(document, registry=Registry())


def _pattern(_: Validator, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    """A server's pattern runs on RE2: one that backtracks without end would stop every client."""
    if (
        isinstance(value, str)
        and not patterns.refusal(pattern)
        and not patterns.contains(value, pattern)
    ):
        yield ValidationError(f"it does not match {pattern}")


def _unchecked(*_: object) -> Iterator[ValidationError]:
    """For keywords that search property names with patterns: they are left to the server."""
    return iter(())


def _additional(
    validator: Validator, allowed: object, value: object, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    check = Draft202012Validator.VALIDATORS["additionalProperties"]
    errors = None if "patternProperties" in schema else check(validator, allowed, value, schema)
    return iter(errors or ())


_Checker: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _unchecked,
        "unevaluatedProperties": _unchecked,
        "additionalProperties": _additional,
    },
)


def _texts(error: ValidationError) -> Iterator[str]:
    """One error of the schema in our words."""
    wanted: Any = error.validator_value
    value: Any = error.instance
    place = [str(step) for step in error.absolute_path]
    where = f"{'.'.join(place)!r} " if place else ""
    match error.validator:
        case "required":
            missing = [name for name in wanted if name not in value]
            yield from (f"{'.'.join([*place, name])!r} is missing" for name in missing)
        case "additionalProperties":
            known = (
                list(error.schema.get("properties", {})) if isinstance(error.schema, Mapping) else []
            )
            unknown = [name for name in value if name not in known]
            yield from (_no_argument(name, known) for name in unknown)
        case "type":
            yield f"{where}must be {_alternatives(wanted)}, not {_shown(value)}"
        case "enum":
            choices = ", ".join(repr(choice) for choice in wanted)
            yield f"{where}must be one of {choices}, not {_shown(value)}"
        case _:
            yield f"{where}is not accepted: {error.message[:_SHOWN]}"


def _unknown(schema: Mapping[str, Any], arguments: Mapping[str, Any], problems: list[str]) -> list[str]:
    """Names that the schema does not forbid, and that explain a missing one: most likely misspelt."""
    properties = schema.get("properties")
    if not problems or not isinstance(properties, Mapping):
        return []
    known = [str(name) for name in properties]
    return [_no_argument(name, known) for name in arguments if name not in known]


def _no_argument(name: str, known: list[str]) -> str:
    similar = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    hint = f"did you mean {similar[0]!r}?" if similar else f"it takes {', '.join(known) or 'none'}"
    return f"unknown argument {name!r}; {hint}"


def _alternatives(types: object) -> str:
    return " or ".join(map(str, types)) if isinstance(types, list) else str(types)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def example(schema: object, deepest: int = _DEEPEST) -> Any:
    """Arguments that the schema accepts, as far as it says: what is required, with made-up values."""
    if not isinstance(schema, Mapping):
        return "..."
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and deepest:
        required = schema.get("required")
        names = [name for name in properties if isinstance(required, list) and name in required]
        return {name: example(properties[name], deepest - 1) for name in names}
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    return {} if kind == "object" else _SAMPLES.get(str(kind), "...")
