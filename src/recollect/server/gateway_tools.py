"""The meta-tools: find a tool of any upstream server, read how it is called, and call it.

An agent pays for these few instead of for every tool of every server. They are listed only if the user has
configured a server.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
import mcp_types as types
from anyio import to_thread
from anyio.abc import TaskGroup

from recollect.app.dispatch import Dispatcher
from recollect.app.gateway import Gateway
from recollect.app.run_store import open_run_store
from recollect.app.runs import Runs
from recollect.app.worker import ProjectWorker
from recollect.errors import RecollectError, RefusedError
from recollect.gateway.exposure import Exposure
from recollect.gateway.vault.reading import DEFAULT_TOKENS, ReadRequest
from recollect.learning.capability_search import CapabilityHit
from recollect.records.display import safe_text, safe_values
from recollect.records.fields import Count, Field, Listing, Object, Text
from recollect.server import budget
from recollect.server.code_tool import CODE_TOOL
from recollect.server.meta_tool import MetaCall, MetaTool, tool_memories
from recollect.server.proxied_tools import READ_RESULT, ToolSurface, tool_surface
from recollect.server.tool import check
from recollect.server.workflow_tools import WORKFLOW_TOOLS
from recollect.team.roles import Permission
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments, error_result, unknown_tool
from recollect.views.capability_summary import suggestion_text
from recollect.views.meta_tools import (
    DescribeOutput,
    describe_text,
    described_row,
    tools_output,
    tools_text,
)
from recollect.workflow.plan import Plan

_HITS, _MOST_HITS = 5, 20
_MOST_DESCRIBED = 5
_PATIENCE = 5.0  # seconds that a list of tools waits for servers that never listed theirs


async def discover(call: MetaCall) -> types.CallToolResult:
    """The tools that fit a request, in few words."""
    limit = min(call.arguments.get("limit") or _HITS, _MOST_HITS)
    request, session = call.arguments["request"], call.caller.session
    discovery = await call.dispatcher.discover(request, limit, session)
    output = tools_output(discovery, await _capabilities(call, request))
    output["tools"] = budget.fitting(output["tools"], budget.SHORT_ANSWER)
    return _result(tools_text(output), output)


async def _capabilities(call: MetaCall, request: str) -> Sequence[CapabilityHit]:
    """Code that worked and fits. Without a state that can be read, tools are still found."""
    try:
        return await (await call.runs()).capabilities(request, call.caller.session)
    except RecollectError:
        return ()


async def describe(call: MetaCall) -> types.CallToolResult:
    """How tools are called, and what the project remembers about them."""
    tools = [await call.dispatcher.tool(id) for id in call.arguments["tools"]]
    rows = [
        described_row(
            tool, await tool_memories(call, tool), await call.dispatcher.observed_schema(tool)
        )
        for tool in tools
    ]
    output: DescribeOutput = {"tools": budget.fitting(rows, budget.LONG_ANSWER)}
    return _result(describe_text(output), output)


async def call_any(call: MetaCall) -> types.CallToolResult:
    """The result of a tool as its server gave it."""
    arguments = call.arguments.get("arguments") or {}
    return _suggesting(call, await call.dispatcher.call(call.arguments["tool"], arguments, call.caller))


async def call_reading(call: MetaCall) -> types.CallToolResult:
    """The result of a tool that only reads. Raises RefusedError for another."""
    arguments = call.arguments.get("arguments") or {}
    tool = call.arguments["tool"]
    result = await call.dispatcher.call(tool, arguments, call.caller, only_reading=True)
    return _suggesting(call, result)


def _suggesting(call: MetaCall, result: types.CallToolResult) -> types.CallToolResult:
    """A result, and behind it code that does what this session does call by call, if there is some."""
    session = call.caller.session
    code = None if result.is_error or session is None else call.dispatcher.suggestions.next(session)
    if code is None:
        return result
    line = types.TextContent(text=safe_text(suggestion_text(code)))
    return result.model_copy(update={"content": [*result.content, line]})


async def read_result(call: MetaCall) -> types.CallToolResult:
    """A piece of a stored result, as its server wrote it."""
    arguments = call.arguments
    request = ReadRequest(
        arguments.get("path") or "",
        arguments.get("range") or "",
        arguments.get("search") or "",
        arguments.get("max_tokens") or DEFAULT_TOKENS,
    )
    text = await call.dispatcher.read_result(arguments["handle"], request, arguments.get("part") or 0)
    return types.CallToolResult(content=[types.TextContent(text=text)])


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
        permission=Permission.READ_TOOLS,
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
        permission=Permission.READ_TOOLS,
        handler=describe,
    ),
    MetaTool(
        "call",
        "Call a tool of a connected server. It may change things.",
        (_TOOL, _ARGUMENTS),
        reads=False,
        permission=Permission.CALL_TOOLS,
        handler=call_any,
    ),
    MetaTool(
        "call_read",
        "Call a tool that only reads; any other is refused.",
        (_TOOL, _ARGUMENTS),
        reads=True,
        permission=Permission.CALL_READING_TOOLS,
        handler=call_reading,
    ),
    MetaTool(
        READ_RESULT,
        "Read a large result that was stored, by path, range or search.",
        (
            Field("handle", Text(min_length=1), "from the reply", required=True),
            Field("path", Text(), "items[0].name, items[*].id"),
            Field("range", Text(), "10:20 rows or lines, c0:4000 characters, -5:"),
            Field("search", Text(), "words, or /regex/"),
            Field("part", Count(), "if it has several"),
            Field("max_tokens", Count(), f"default {DEFAULT_TOKENS}"),
        ),
        reads=True,
        permission=Permission.READ_TOOLS,
        handler=read_result,
    ),
    *WORKFLOW_TOOLS,
    CODE_TOOL,
)


class GatewayTools:
    """The tools of one project's gateway, as a ToolProvider."""

    def __init__(
        self, gateway: Gateway, folder: Path, exposure: Exposure, worker: ProjectWorker
    ) -> None:
        self._gateway, self._folder, self._exposure, self._worker = gateway, folder, exposure, worker
        self.dispatcher: Dispatcher | None = None
        self._surface: ToolSurface | None = None
        self._deciding = anyio.Lock()
        self._runs: Runs | None = None
        self._plans: dict[str, Plan] = {}
        self._tasks: TaskGroup | None = None

    async def start(self, tasks: TaskGroup) -> None:
        """Get ready if there is a server to offer."""
        self._tasks = tasks
        if self._gateway.enabled:
            self.dispatcher = Dispatcher(self._gateway, self._folder, self._exposure, tasks)
            self.dispatcher.start()

    async def stop(self) -> None:
        """Pause what runs, and end the connections to upstream servers."""
        await self.finish_writes()
        if self.dispatcher is not None:
            await self.dispatcher.stop()

    async def finish_writes(self) -> None:
        """Pause what runs: reads end at once, a write that is under way has five seconds."""
        runs, self._runs = self._runs, None
        if runs is not None:
            await runs.stop()

    async def list_tools(self) -> Sequence[types.Tool]:
        return (await self._decided()).listed

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        surface = await self._decided()
        if self.dispatcher is None or all(tool.name != name for tool in surface.listed):
            raise unknown_tool(name, surface.listed)
        try:
            if name in surface.proxied:
                return await self.dispatcher.call(surface.proxied[name].id, arguments, caller)
            [tool] = [tool for tool in META_TOOLS if tool.name == name]
            check(name, tool.inputs, arguments)
            return await tool.handler(
                MetaCall(arguments, caller, self.dispatcher, self._worker, self.open_runs, self._plans)
            )
        except RecollectError as error:
            return error_result(safe_text(str(error)))

    async def open_runs(self) -> Runs:
        """The runs of this server, opened by the first that is asked for.

        Raises StoreError, and RefusedError when no server is configured.
        """
        if self.dispatcher is None or self._tasks is None:
            raise RefusedError("no server is configured; `recollect gateway add` adds one.")
        async with self._deciding:
            if self._runs is None:
                store = await to_thread.run_sync(open_run_store, self._gateway, self._folder)
                self._runs = Runs(
                    self.dispatcher, store, self._tasks, asks_person=self._exposure.asks_person
                )
        return self._runs

    async def _decided(self) -> ToolSurface:
        """What clients see, decided once: it does not change while one is connected."""
        if self._surface is None:
            async with self._deciding:
                if self._surface is None:
                    self._surface = await self._made()
        return self._surface

    async def _made(self) -> ToolSurface:
        if self.dispatcher is None:
            return ToolSurface()
        meta_tools = [tool.described() for tool in META_TOOLS]
        if self._exposure.mode == "meta":
            return ToolSurface(meta_tools)
        with anyio.move_on_after(_PATIENCE):
            await self.dispatcher.prepared.wait()
        tools, calls = await self.dispatcher.tools(), await self.dispatcher.calls()
        return tool_surface(self._exposure, meta_tools, tools, calls)
