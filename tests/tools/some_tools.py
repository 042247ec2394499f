"""A provider for tests: a tool that echoes, and one that waits until another call releases it."""

from collections.abc import Sequence

import anyio
import mcp_types as types

from recollect.tools.provider import Arguments, Report, unknown_tool

SCHEMA = {"type": "object"}


async def no_report(done: float, total: float | None = None, message: str | None = None, /) -> None:
    """Progress that nobody asked for."""


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

    async def start(self) -> None:
        self.log.append("start")

    async def stop(self) -> None:
        self.log.append("stop")

    async def list_tools(self) -> Sequence[types.Tool]:
        reads = types.ToolAnnotations(read_only_hint=True)
        return [
            types.Tool(name=name, input_schema=SCHEMA, annotations=None if name == "release" else reads)
            for name in self.names
        ]

    async def call_tool(self, name: str, arguments: Arguments, report: Report) -> types.CallToolResult:
        if name not in self.names:
            raise unknown_tool(name, await self.list_tools())
        match name:
            case "wait":
                text = await self._wait(report)
            case "release":
                self.released.set()
                text = "released"
            case "cancelled":
                text = str(self.log.count("cancelled"))
            case _:
                text = f"{name}: {arguments.get('text', '')}"
        return types.CallToolResult(content=[types.TextContent(text=text)])

    async def _wait(self, report: Report) -> str:
        self.waiting.set()
        await report(1, 2, "waiting")
        try:
            await self.released.wait()
        except anyio.get_cancelled_exc_class():
            self.log.append("cancelled")
            raise
        return "done"
