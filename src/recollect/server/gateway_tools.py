"""The meta-tools: find a tool of any upstream server, read how it is called, and call it.

An agent pays for these few instead of for every tool of every server. They are listed only if the user has
configured a server.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import mcp_types as types
from anyio.abc import TaskGroup

from recollect.app.dispatch import Dispatcher
from recollect.app.gateway import Gateway
from recollect.app.tool_memories import memories_about
from recollect.errors import RecollectError, RefusedError
from recollect.gateway.tool import UpstreamTool
from recollect.records.display import safe_text, safe_values
from recollect.records.fields import Count, Field, Listing, Object, Text
from recollect.retrieval.index import Document
from recollect.server import budget
from recollect.server.surface import ALWAYS_LOAD
from recollect.server.tool import check, input_schema
from recollect.server.worker import ProjectWorker
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments, error_result, unknown_tool
from recollect.views.meta_tools import (
    DescribeOutput,
    describe_text,
    described_row,
    tools_output,
    tools_text,
)

_HITS, _MOST_HITS = 5, 20
_MOST_DESCRIBED = 5


@dataclass(frozen=True, slots=True)
class MetaCall:
    """One call of a meta-tool: its checked arguments, who called, and what it works on."""

    arguments: Arguments
    caller: Caller
    dispatcher: Dispatcher
    worker: ProjectWorker


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


async def discover(call: MetaCall) -> types.CallToolResult:
    """The tools that fit a request, in few words."""
    limit = min(call.arguments.get("limit") or _HITS, _MOST_HITS)
    output = tools_output(await call.dispatcher.discover(call.arguments["request"], limit))
    output["tools"] = budget.fitting(output["tools"], budget.SHORT_ANSWER)
    return _result(tools_text(output), output)


async def describe(call: MetaCall) -> types.CallToolResult:
    """How tools are called, and what the project remembers about them."""
    tools = [await call.dispatcher.tool(id) for id in call.arguments["tools"]]
    rows = [described_row(tool, await _memories(call, tool)) for tool in tools]
    output: DescribeOutput = {"tools": budget.fitting(rows, budget.LONG_ANSWER)}
    return _result(describe_text(output), output)


async def _memories(call: MetaCall, tool: UpstreamTool) -> Sequence[Document]:
    """What is remembered about a tool. Without a memory that can be read, a tool is still described."""
    try:
        return await call.worker.run(lambda recollect, _: memories_about(recollect, tool))
    except RecollectError:
        return ()


async def call_any(call: MetaCall) -> types.CallToolResult:
    """The result of a tool as its server gave it."""
    arguments = call.arguments.get("arguments") or {}
    return await call.dispatcher.call(call.arguments["tool"], arguments, call.caller)


async def call_reading(call: MetaCall) -> types.CallToolResult:
    """The result of a tool that only reads. Raises RefusedError for another."""
    tool = await call.dispatcher.tool(call.arguments["tool"])
    if not tool.hints.read_only:
        raise RefusedError(f"{tool.id} does not say that it only reads; `call` takes it.")
    return await call_any(call)


def _result(text: str, output: Mapping[str, object]) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=safe_text(text))], structured_content=safe_values(output)
    )


_TOOL = Field("tool", Text(min_length=1), "id from discover", required=True)
_ARGUMENTS = Field("arguments", Object(()), "as describe says")
META_TOOLS = (
    MetaTool(
        "discover",
        "Find tools of the connected servers by what they do. Try it before you say that there is no tool.",
        (
            Field("request", Text(min_length=1), "the task, in your own words", required=True),
            Field("limit", Count(), f"default {_HITS}"),
        ),
        reads=True,
        handler=discover,
    ),
    MetaTool(
        "describe",
        "How tools are called: schema, an example, and this project's constraints and runbooks on them.",
        (
            Field(
                "tools",
                Listing(Text(min_length=1), min_items=1, max_items=_MOST_DESCRIBED),
                "ids from discover",
                required=True,
            ),
        ),
        reads=True,
        handler=describe,
    ),
    MetaTool(
        "call",
        "Call a tool of a connected server. It may change things.",
        (_TOOL, _ARGUMENTS),
        reads=False,
        handler=call_any,
    ),
    MetaTool(
        "call_read",
        "Call a tool that only reads; any other is refused.",
        (_TOOL, _ARGUMENTS),
        reads=True,
        handler=call_reading,
    ),
)


class GatewayTools:
    """The meta-tools over one project's gateway, as a ToolProvider."""

    def __init__(self, gateway: Gateway, folder: Path, worker: ProjectWorker) -> None:
        self._gateway, self._folder, self._worker = gateway, folder, worker
        self._dispatcher: Dispatcher | None = None
        self._described: Sequence[types.Tool] = ()

    async def start(self, tasks: TaskGroup) -> None:
        """What is listed is decided here: the surface does not change while a client is connected."""
        if self._gateway.is_used:
            self._described = [tool.described() for tool in META_TOOLS]
            self._dispatcher = Dispatcher(self._gateway, self._folder, tasks)
            self._dispatcher.start()

    async def stop(self) -> None:
        """End the connections to upstream servers."""
        if self._dispatcher is not None:
            self._dispatcher.stop()

    async def list_tools(self) -> Sequence[types.Tool]:
        return self._described

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        tool = next((tool for tool in META_TOOLS if tool.name == name), None)
        if tool is None or self._dispatcher is None:
            raise unknown_tool(name, self._described)
        try:
            check(name, tool.inputs, arguments)
            return await tool.handler(MetaCall(arguments, caller, self._dispatcher, self._worker))
        except RecollectError as error:
            return error_result(safe_text(str(error)))
