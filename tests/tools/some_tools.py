"""A provider for tests: a tool that echoes, and one that waits until another call releases it."""

from collections.abc import Sequence

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp import MCPError

from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments, unknown_tool

SCHEMA = {"type": "object"}


class SilentCaller:
    """A client that hears nothing and answers nothing."""

    session = "test"
    client = "test"

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        pass

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        raise MCPError(types.METHOD_NOT_FOUND, f"{question.method} is not answered")

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        pass


CALLER = SilentCaller()


def text_of(result: types.CallToolResult) -> str:
    [block] = result.content
    assert isinstance(block, types.TextContent)
    return block.text


class SomeTools:
    """`echo` answers its text; `wait` reports progress, then waits for `release`; `cancelled` counts."""

    def __init__(self, *names: str) -> None:
        self.names = names or ("echo", "wait", "release", "cancelled")
        self.log: list[str] = []
        self.released = anyio.Event()
        self.waiting = anyio.Event()

    async def start(self, _: TaskGroup) -> None:
        self.log.append("start")

    async def stop(self) -> None:
        self.log.append("stop")

    async def list_tools(self) -> Sequence[types.Tool]:
        reads = types.ToolAnnotations(read_only_hint=True)
        return [
            types.Tool(name=name, input_schema=SCHEMA, annotations=None if name == "release" else reads)
            for name in self.names
        ]

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        if name not in self.names:
            raise unknown_tool(name, await self.list_tools())
        match name:
            case "wait":
                text = await self._wait(caller)
            case "release":
                self.released.set()
                text = "released"
            case "cancelled":
                text = str(self.log.count("cancelled"))
            case _:
                text = f"{name}: {arguments.get('text', '')}"
        return types.CallToolResult(content=[types.TextContent(text=text)])

    async def _wait(self, caller: Caller) -> str:
        self.waiting.set()
        await caller.report(1, 2, "waiting")
        try:
            await self.released.wait()
        except anyio.get_cancelled_exc_class():
            self.log.append("cancelled")
            raise
        return "done"
