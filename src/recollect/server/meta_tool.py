"""What a meta-tool is: its name, description, fields and handler; and one call of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import mcp_types as types

from recollect.app.dispatch import Dispatcher
from recollect.app.runs import Runs
from recollect.records.fields import Field
from recollect.server.surface import ALWAYS_LOAD
from recollect.server.tool import input_schema
from recollect.server.worker import ProjectWorker
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments


@dataclass(frozen=True, slots=True)
class MetaCall:
    """One call of a meta-tool: its checked arguments, who called, and what it works on."""

    arguments: Arguments
    caller: Caller
    dispatcher: Dispatcher
    worker: ProjectWorker
    runs: Callable[[], Awaitable[Runs]]


@dataclass(frozen=True, slots=True)
class MetaTool:
    """One meta-tool: what a client sees of it, and the function that answers."""

    name: str
    description: str
    inputs: tuple[Field, ...]
    reads: bool
    handler: Callable[[MetaCall], Awaitable[types.CallToolResult]]

    def described(self) -> types.Tool:
        """The tool as clients see it."""
        return types.Tool(
            name=self.name,
            description=self.description,
            input_schema=input_schema(self.inputs),
            _meta=ALWAYS_LOAD,
            annotations=types.ToolAnnotations(
                read_only_hint=self.reads, destructive_hint=not self.reads, open_world_hint=True
            ),
        )
