"""What a memory tool is: its name, description, fields and handler; a request to it, and its reply.

Arguments are declared once as fields. Their schema is short because every agent pays for it in each
conversation; the checks say the rest.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import mcp_types as types

from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.records.display import safe_text, safe_values
from recollect.records.fields import Field, check_fields
from recollect.records.json_format import JsonObject
from recollect.records.json_schema import Detail, object_schema, type_schema
from recollect.records.record import FORMAT_VERSION
from recollect.records.store import Progress
from recollect.server import budget
from recollect.server.surface import ALWAYS_LOAD, LOADED_FIRST
from recollect.team.roles import Permission
from recollect.tools.provider import Arguments


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call of a tool: its checked arguments, where the answer continues, and how to report progress."""

    tool: str
    arguments: Arguments
    progress: Progress
    offset: int = 0

    def text(self, name: str) -> str:
        """An argument that is text; empty when it is absent."""
        return str(self.arguments.get(name) or "").strip()

    def budget(self, default: int = budget.SHORT_ANSWER) -> int:
        """How many tokens the answer may have."""
        return budget.clamp(self.arguments.get("max_tokens"), default)

    def cursor(self, shown: int) -> str:
        """The cursor for what comes after the `shown` rows of this answer."""
        return budget.cursor(self.tool, dict(self.arguments), self.offset + shown)


@dataclass(frozen=True, slots=True)
class ToolReply:
    """A result: `structured` follows the output schema; `text` is what an agent reads.

    `Tool.call` takes invisible characters out of both; what fills a line of `text` is the handler's to make
    safe (`records/display.py`).
    """

    structured: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Hints:
    """What a tool does to the memories. `destroys`: the file no longer has what was in it before."""

    reads: bool = False
    destroys: bool = False
    repeatable: bool = False


READS = Hints(reads=True, repeatable=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. Its handler is synchronous and runs in a thread, one at a time.

    `instead` names an argument that stands for the required ones; a call has either.
    """

    name: str
    description: str
    inputs: tuple[Field, ...]
    output: type  # a typed dict of `recollect.views`
    hints: Hints
    handler: Callable[[Recollect, ToolRequest], ToolReply]
    instead: str = ""

    @property
    def permission(self) -> Permission:
        """What a caller must be allowed to do."""
        return Permission.READ_MEMORIES if self.hints.reads else Permission.WRITE_MEMORIES

    def call(self, recollect: Recollect, arguments: Arguments, progress: Progress) -> ToolReply:
        """Run the tool. Raises RefusedError that says what was expected of a wrong argument."""
        reply = self.handler(recollect, self._request(arguments, progress))
        return ToolReply(safe_values(reply.structured), safe_text(reply.text))

    def _request(self, arguments: Arguments, progress: Progress) -> ToolRequest:
        """A checked request. A cursor carries the arguments of the call that it continues."""
        check(self.name, self._needed(arguments), arguments)
        if not arguments.get("cursor"):
            return ToolRequest(self.name, arguments, progress)
        first, offset = budget.parse_cursor(self.name, arguments["cursor"])
        check(self.name, self._needed(first), first)
        if arguments.get("max_tokens") is not None:
            first["max_tokens"] = arguments["max_tokens"]
        return ToolRequest(self.name, first, progress, offset)

    def _needed(self, arguments: Arguments) -> tuple[Field, ...]:
        """The fields, none of them required when another argument stands for those."""
        return _optional(self.inputs) if arguments.get(self.instead) else self.inputs

    def described(self) -> types.Tool:
        """The tool as clients see it."""
        return types.Tool(
            name=self.name,
            description=self.description,
            input_schema=input_schema(_optional(self.inputs) if self.instead else self.inputs),
            output_schema=type_schema(self.output),
            _meta=ALWAYS_LOAD if self.name in LOADED_FIRST else None,
            annotations=types.ToolAnnotations(
                read_only_hint=self.hints.reads,
                destructive_hint=self.hints.destroys,
                idempotent_hint=self.hints.repeatable,
                open_world_hint=False,
            ),
        )


def _optional(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    return tuple(replace(field, required=False) for field in fields)


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
    hint = f"did you mean {similar[0]!r}?" if similar else f"it takes {', '.join(known) or 'none'}"
    return f"unknown argument {name!r}; {hint}"
