"""The arguments of tools: declared once as fields, shown as JSON Schema, checked with reasons.

The schema is short because every agent pays for it in each conversation; the checks say the rest.
"""

from difflib import get_close_matches

from recollect.errors import RefusedError
from recollect.records.fields import Field, check_fields
from recollect.records.json_format import JsonObject
from recollect.records.json_schema import Detail, object_schema
from recollect.records.record import FORMAT_VERSION
from recollect.tools.provider import Arguments


def input_schema(fields: tuple[Field, ...]) -> JsonObject:
    """The schema of a tool's arguments: these fields and no others."""
    return object_schema(fields, Detail.BRIEF) | {"additionalProperties": False}


def check(tool: str, fields: tuple[Field, ...], arguments: Arguments) -> None:
    """Raises RefusedError that names every wrong argument and what was expected of it."""
    names = [field.name for field in fields]
    wrong = [_unknown(name, names) for name in arguments if name not in names]
    wrong += [str(problem) for problem in check_fields(fields, arguments, "", FORMAT_VERSION)]
    if wrong:
        raise RefusedError(f"wrong arguments for {tool}: {'; '.join(wrong)}.")


def _unknown(name: str, known: list[str]) -> str:
    similar = get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean {similar[0]!r}?" if similar else f"there are {', '.join(known) or 'none'}"
    return f"there is no argument {name!r}; {hint}"
