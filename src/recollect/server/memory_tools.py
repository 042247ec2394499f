"""The memory tools: the list of them, and the provider that runs them over one project."""

import time
from collections.abc import Sequence

import mcp_types as types
from anyio.abc import TaskGroup

from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.errors import RecollectError
from recollect.hook.process import record_latency
from recollect.records.display import safe_text
from recollect.records.store import Progress
from recollect.server.context_tool import CONTEXT
from recollect.server.idle_vectors import IdleVectors
from recollect.server.read_tools import GET, HEALTH
from recollect.server.search_tool import SEARCH
from recollect.server.tool import Tool, ToolReply
from recollect.server.why_tool import WHY
from recollect.server.working_tool import WORKING
from recollect.server.write_tools import LINK, SAVE, UPDATE
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments, error_result, unknown_tool

TOOLS: tuple[Tool, ...] = (
    SEARCH,
    CONTEXT,
    GET,
    SAVE,
    UPDATE,
    LINK,
    WHY,
    WORKING,
    HEALTH,
)


class MemoryTools:
    """The memory tools of one project, as a ToolProvider. Calls take turns: SQLite is not shared."""

    def __init__(self, worker: ProjectWorker) -> None:
        self._worker = worker
        self._idle = IdleVectors(worker)
        self._tools = {tool.name: tool for tool in TOOLS}
        self._described = [tool.described() for tool in TOOLS]

    async def start(self, tasks: TaskGroup) -> None:
        """Make missing vectors between calls. The first call opens the project, if there is one then."""
        tasks.start_soon(self._idle.run)

    async def stop(self) -> None:
        """Wait for the work that is under way."""
        self._idle.stop()
        await self._worker.settle()

    async def list_tools(self) -> Sequence[types.Tool]:
        return self._described

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        tool = self._tools.get(name)
        if tool is None:
            raise unknown_tool(name, self._described)
        started = time.perf_counter()

        def work(recollect: Recollect, progress: Progress) -> ToolReply:
            reply = tool.call(recollect, arguments, progress)
            seconds = time.perf_counter() - started
            record_latency(str(recollect.state_folder), f"mcp {name}", seconds)
            return reply

        try:
            reply = await self._worker.run(work, caller.report)
        except RecollectError as error:
            return error_result(safe_text(str(error)))
        return types.CallToolResult(
            content=[types.TextContent(text=reply.text)], structured_content=reply.structured
        )
