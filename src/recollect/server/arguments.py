"""What a tool takes and gives: declared once, shown as JSON Schema, checked with reasons.

The schema is kept short, since every agent pays for it in each conversation; the checks say the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from recollect.errors import RefusedError
from recollect.records.fields import Field, check_fields
from recollect.records.json_format import JsonObject
from recollect.records.json_schema import Detail, object_schema
from recollect.records.record import FORMAT_VERSION
from recollect.records.store import Progress
from recollect.server import budget

Arguments = Mapping[str, Any]  # checked against the fields of its tool


@dataclass(frozen=True, slots=True)
class Ask:
    """One call of a tool: what was given, from where the answer goes on, and how to tell progress."""

    tool: str
    given: Arguments
    progress: Progress
    offset: int = 0

    def text(self, name: str) -> str:
        """An argument that is text; empty when it was not given."""
        return str(self.given.get(name) or "").strip()

    def budget(self, default: int = budget.SHORT) -> int:
        """How many tokens the answer may have."""
        return budget.granted(self.given.get("max_tokens"), default)

    def cursor(self, told: int) -> str:
        """How to ask for what comes behind the `told` rows of this answer."""
        return budget.cursor(self.tool, dict(self.given), self.offset + told)


def input_schema(fields: tuple[Field, ...]) -> JsonObject:
    """The schema of a tool's arguments: these fields and no others."""
    return object_schema(fields, Detail.BRIEF) | {"additionalProperties": False}


def asked(tool: str, fields: tuple[Field, ...], given: Arguments, progress: Progress) -> Ask:
    """A call that was checked. A cursor stands for everything that was given when it was made."""
    check(tool, fields, given)
    if not given.get("cursor"):
        return Ask(tool, given, progress)
    before, offset = budget.resumed(tool, given["cursor"])
    check(tool, fields, before)
    if given.get("max_tokens") is not None:
        before["max_tokens"] = given["max_tokens"]
    return Ask(tool, before, progress, offset)


def check(tool: str, fields: tuple[Field, ...], given: Arguments) -> None:
    """Raises RefusedError that names every wrong argument and what was expected of it."""
    names = [field.name for field in fields]
    wrong = [_unknown(name, names) for name in given if name not in names]
    wrong += [str(problem) for problem in check_fields(fields, given, "", FORMAT_VERSION)]
    if wrong:
        raise RefusedError(f"wrong arguments for {tool}: {'; '.join(wrong)}.")


def _unknown(name: str, known: list[str]) -> str:
    near = get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none'}"
    return f"there is no argument {name!r}; {hint}"
