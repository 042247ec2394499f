"""Wrappers: a provider in, a provider out. Each adds one behaviour to every tool, and they compose."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import anyio
import mcp_types as types
from anyio.abc import TaskGroup

from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments, ToolProvider, error_result, unknown_tool


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """Cancels a call that takes longer than `seconds`, and says so in its result.

    Work in a thread ends where it next reports progress.
    """

    inner: ToolProvider
    seconds: float

    async def start(self, tasks: TaskGroup) -> None:
        await self.inner.start(tasks)

    async def stop(self) -> None:
        await self.inner.stop()

    async def list_tools(self) -> Sequence[types.Tool]:
        return await self.inner.list_tools()

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        with anyio.move_on_after(self.seconds):
            return await self.inner.call_tool(name, arguments, caller)
        return error_result(f"{name} was cancelled because it took longer than {self.seconds:g} s.")


@dataclass(frozen=True, slots=True)
class Filtered:
    """Only the tools that `shown` accepts; the others can be neither seen nor called."""

    inner: ToolProvider
    shown: Callable[[types.Tool], bool]

    async def start(self, tasks: TaskGroup) -> None:
        await self.inner.start(tasks)

    async def stop(self) -> None:
        await self.inner.stop()

    async def list_tools(self) -> Sequence[types.Tool]:
        return [tool for tool in await self.inner.list_tools() if self.shown(tool)]

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        tools = await self.list_tools()
        if all(tool.name != name for tool in tools):
            raise unknown_tool(name, tools)
        return await self.inner.call_tool(name, arguments, caller)


@dataclass(frozen=True, slots=True)
class Prefixed:
    """Puts `prefix` before every name, so that tools of two providers cannot have the same one."""

    inner: ToolProvider
    prefix: str

    async def start(self, tasks: TaskGroup) -> None:
        await self.inner.start(tasks)

    async def stop(self) -> None:
        await self.inner.stop()

    async def list_tools(self) -> Sequence[types.Tool]:
        tools = await self.inner.list_tools()
        return [tool.model_copy(update={"name": self.prefix + tool.name}) for tool in tools]

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        if not name.startswith(self.prefix):
            raise unknown_tool(name, await self.list_tools())
        return await self.inner.call_tool(name.removeprefix(self.prefix), arguments, caller)


@dataclass(frozen=True, slots=True)
class Approved:
    """Asks `approve` before a tool runs, with the exact arguments. A refusal is a result; nothing ran."""

    inner: ToolProvider
    approve: Callable[[types.Tool, Arguments], Awaitable[bool]]

    async def start(self, tasks: TaskGroup) -> None:
        await self.inner.start(tasks)

    async def stop(self) -> None:
        await self.inner.stop()

    async def list_tools(self) -> Sequence[types.Tool]:
        return await self.inner.list_tools()

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        tools = await self.inner.list_tools()
        tool = next((tool for tool in tools if tool.name == name), None)
        if tool is None:
            raise unknown_tool(name, tools)
        if not await self.approve(tool, arguments):
            return error_result(f"{name} was not approved; nothing was run.")
        return await self.inner.call_tool(name, arguments, caller)
