"""A source of tools: the port that the memory tools implement, and upstream servers can."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, Protocol

import mcp_types as types
from anyio.abc import TaskGroup

from recollect.errors import NotFoundError
from recollect.tools.caller import Caller

Arguments = Mapping[str, Any]  # as a client sent them; each tool checks its own


class ToolProvider(Protocol):
    """Some tools from one source. Calls run concurrently; a provider that cannot do that queues them.

    `start` comes before everything else and `stop` after it, once each; what has to run in between goes
    into `tasks`, which is cancelled after `stop`. A call is cancelled by cancelling the task that awaits
    it. What goes wrong inside a tool is a result with `is_error`; a name that `list_tools` does not have
    raises NotFoundError.
    """

    async def start(self, tasks: TaskGroup, /) -> None: ...
    async def stop(self) -> None: ...
    async def list_tools(self) -> Sequence[types.Tool]: ...
    async def call_tool(
        self, name: str, arguments: Arguments, caller: Caller
    ) -> types.CallToolResult: ...


class Providers:
    """Several providers as one. Where two have a tool of the same name, the earlier provider has it."""

    def __init__(self, *providers: ToolProvider) -> None:
        self._providers = providers
        self._started = AsyncExitStack()

    async def start(self, tasks: TaskGroup) -> None:
        """Start each in order. If one fails, those that run are stopped again."""
        async with AsyncExitStack() as started:
            for provider in self._providers:
                await provider.start(tasks)
                started.push_async_callback(provider.stop)
            self._started = started.pop_all()

    async def stop(self) -> None:
        """Stop each in reverse order, also those after one that fails to stop."""
        await self._started.aclose()

    async def list_tools(self) -> Sequence[types.Tool]:
        tools: dict[str, types.Tool] = {}
        for provider in self._providers:
            for tool in await provider.list_tools():
                tools.setdefault(tool.name, tool)
        return list(tools.values())

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        for provider in self._providers:
            if any(tool.name == name for tool in await provider.list_tools()):
                return await provider.call_tool(name, arguments, caller)
        raise unknown_tool(name, await self.list_tools())


def unknown_tool(name: str, tools: Sequence[types.Tool]) -> NotFoundError:
    """The error for a name that no tool has."""
    return NotFoundError(
        f"unknown tool {name!r}; choose one of {', '.join(tool.name for tool in tools)}."
    )


def error_result(message: str) -> types.CallToolResult:
    """The result of a call that failed, with the reason for the caller."""
    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)
