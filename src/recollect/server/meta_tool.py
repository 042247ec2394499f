"""What a meta-tool is: its name, description, fields and handler; and one call of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import mcp_types as types

from recollect.app.dispatch import Dispatcher
from recollect.app.runs import Runs
from recollect.app.tool_memories import memories_about
from recollect.app.worker import ProjectWorker
from recollect.errors import RecollectError
from recollect.gateway.tool import UpstreamTool
from recollect.records.fields import Field
from recollect.retrieval.index import Document
from recollect.server.surface import ALWAYS_LOAD
from recollect.server.tool import input_schema
from recollect.team.roles import Permission
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments
from recollect.workflow.plan import Plan


@dataclass(frozen=True, slots=True)
class MetaCall:
    """One call of a meta-tool: its checked arguments, who called, and what it works on."""

    arguments: Arguments
    caller: Caller
    dispatcher: Dispatcher
    worker: ProjectWorker
    runs: Callable[[], Awaitable[Runs]]
    plans: dict[str, Plan]


@dataclass(frozen=True, slots=True)
class MetaTool:
    """One meta-tool: what a client sees of it, what a caller must be allowed to do, and who answers."""

    name: str
    description: str
    inputs: tuple[Field, ...]
    reads: bool
    permission: Permission
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


async def tool_memories(call: MetaCall, tool: UpstreamTool) -> Sequence[Document]:
    """What is remembered about a tool. Without a memory that can be read, a tool is still described."""
    try:
        return await call.worker.run(lambda recollect, _: memories_about(recollect, tool))
    except RecollectError:
        return ()
