"""The server: MCP requests in, answers out, errors in one table.

A tool call: `call_tool` here, then the provider (`memory_tools.py`), then the tool's handler in a thread.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from recollect import __version__
from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.errors import (
    NotFoundError,
    NotPermittedError,
    RecollectError,
    RefusedError,
    first_cause,
)
from recollect.loopback.metrics import METRICS, TOOL_CALLS, TOOL_SECONDS
from recollect.loopback.principals import record
from recollect.loopback.tracing import span
from recollect.records.store import Progress
from recollect.server import prompts, resources
from recollect.server.caller import Context, SessionCaller
from recollect.server.rounds import Reply, Rounds, rounds
from recollect.server.surface import INSTRUCTIONS
from recollect.server.tool_permissions import tool_permission
from recollect.team.audit import Outcome
from recollect.team.roles import Permission
from recollect.tools.offers import NO_OFFERS, OfferProvider
from recollect.tools.provider import ToolProvider, error_result

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_Call = Callable[[SessionCaller], Awaitable[Reply]]


def make_server(
    worker: ProjectWorker, tools: ToolProvider, offers: OfferProvider = NO_OFFERS
) -> Server[Any]:
    """A server over one project's memory, some tools and offers, for clients of any protocol version."""
    handlers = _Handlers(worker, tools, offers)
    server: Server[Any] = Server(
        "recollect",
        version=__version__,
        title="Recollect",
        instructions=INSTRUCTIONS,
        lifespan=rounds,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
    )
    # In place of the SDK's spans: a call has one of ours.
    server.middleware[:] = [handlers.answer_plainly]
    server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, handlers.roots_changed
    )
    return server


@dataclass(frozen=True, slots=True)
class _Handlers:
    """One method for each kind of request. Each request runs in a separate task.

    What a caller may do is checked here, for tools, resources and prompts alike.
    """

    worker: ProjectWorker
    tools: ToolProvider
    offers: OfferProvider

    async def list_tools(self, context: Context, _: object) -> types.ListToolsResult:
        """The tools that the caller may call."""
        may = SessionCaller(context).principal.may
        tools = [tool for tool in await self.tools.list_tools() if may(tool_permission(tool.name))]
        return types.ListToolsResult(tools=tools)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> Reply:
        """A call that the SDK has checked. In the newer protocol a client is asked in rounds."""
        call = partial(self.tools.call_tool, params.name, params.arguments or {})
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return await self._call(context, params.name, call)
        waiting: Rounds = context.lifespan_context
        return await self._call(context, params.name, lambda caller: waiting.call(call, caller, params))

    async def answer_plainly(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Answer a call of the protocol with a handshake; what is anything else is the SDK's.

        The SDK would check such a call twice and its result twice, which takes longer than to pass it on.
        """
        params = ctx.params or {}
        name, arguments = params.get("name"), params.get("arguments", {})
        if not (_is_plain(ctx) and isinstance(name, str) and isinstance(arguments, dict)):
            return await call_next(ctx)
        return _document(await self._call(ctx, name, partial(self.tools.call_tool, name, arguments)))

    async def _call(self, context: Context, name: str, call: _Call) -> Reply:
        """Call a tool if the caller may, and record it if it may change something."""
        caller, permission = SessionCaller(context), tool_permission(name)
        try:
            caller.principal.require(permission)
        except NotPermittedError as error:
            await self._record(caller, permission, name, "refused")
            return error_result(str(error))
        started = time.perf_counter()
        with span("tools/call", tool=name) as attributes:
            reply = await _answered(name, call(caller))
            is_error = isinstance(reply, types.CallToolResult) and bool(reply.is_error)
            attributes["outcome"] = outcome = "failed" if is_error else "done"
        METRICS.count(TOOL_CALLS, tool=name, outcome=outcome)
        METRICS.observe(TOOL_SECONDS, time.perf_counter() - started, tool=name)
        await self._record(caller, permission, name, "failed" if is_error else "done")
        return reply

    async def _record(
        self, caller: SessionCaller, permission: Permission, name: str, outcome: Outcome
    ) -> None:
        try:
            await record(caller.scope, permission, f"tool {name}", outcome)
        except RecollectError as error:
            reason = f"{name} was answered, but could not be recorded: {error}"
            raise MCPError(types.INTERNAL_ERROR, reason) from None

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """A page of memories; what others offer comes with the last one."""
        self._require(context, Permission.READ_MEMORIES)
        cursor = params.cursor if params else None
        page = await self._run(context, lambda project, tell: resources.listed(project, tell, cursor))
        if page.next_cursor is None:
            page.resources.extend(await self.offers.resources())
        return page

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        templates = [resources.TEMPLATE, *await self.offers.templates()]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri.startswith(resources.SCHEME):
            self._require(context, Permission.READ_MEMORIES)
            return await self._run(context, lambda project, _: resources.read(project, uri))
        self._require(context, Permission.CALL_READING_TOOLS)
        return await self._passed(self.offers.read_resource(uri, SessionCaller(context)))

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[*prompts.PROMPTS, *await self.offers.prompts()])

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        name, arguments = params.name, params.arguments or {}
        if all(prompt.name != name for prompt in prompts.PROMPTS):
            self._require(context, Permission.CALL_READING_TOOLS)
            offered = self.offers.get_prompt(name, arguments, SessionCaller(context))
            if (prompt := await self._passed(offered)) is not None:
                return prompt
        self._require(context, Permission.READ_MEMORIES)
        return await self._run(
            context, lambda project, tell: prompts.prompt(project, tell, name, arguments)
        )

    async def complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        self._require(context, Permission.CALL_READING_TOOLS)
        return await self._passed(self.offers.complete(params, SessionCaller(context)))

    async def roots_changed(self, context: Context, _: types.NotificationParams) -> None:
        self.offers.roots_changed(SessionCaller(context).session)

    def _require(self, context: Context, permission: Permission) -> None:
        """Raises MCPError when the caller may not do it."""
        try:
            SessionCaller(context).principal.require(permission)
        except NotPermittedError as error:
            raise MCPError(types.INVALID_REQUEST, str(error)) from None

    async def _passed(self, answer: Awaitable[_T]) -> _T:
        """The answer of an upstream; an error is one of the protocol."""
        try:
            return await answer
        except (NotFoundError, RefusedError) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except RecollectError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None

    async def _run(self, context: Context, work: Callable[[Recollect, Progress], _T]) -> _T:
        """Run what is no tool call; here an error is one of the protocol."""
        try:
            return await self.worker.run(work, SessionCaller(context).report)
        except RecollectError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None


def _is_plain(context: Context) -> bool:
    """Whether this is a call of a tool by a client that has introduced itself with a handshake."""
    return (
        context.method == "tools/call"
        and context.request_id is not None
        and context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
        and context.session.client_params is not None
    )


async def _answered(name: str, reply: Awaitable[Reply]) -> Reply:
    """The reply of a tool; what goes wrong in it is a result too. Raises MCPError for an unknown name."""
    try:
        return await reply
    except MCPError:
        raise
    except NotFoundError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from None
    except Exception as error:
        _LOG.exception("%s failed", name)
        cause = first_cause(error)
        if isinstance(cause, RecollectError):
            return error_result(str(cause))
        return error_result(
            f"unexpected {type(cause).__name__}: {cause}; memory_health may say what is wrong."
        )


def _document(result: Reply) -> dict[str, Any]:
    """A result as the protocol with a handshake has it, without what only the newer one knows."""
    assert isinstance(result, types.CallToolResult)  # only the newer protocol asks in rounds
    newer = {"result_type"}
    if not isinstance(result.structured_content, dict):
        newer.add("structured_content")
    return result.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=newer)
