"""The server: MCP requests in, answers out, errors in one table.

A tool call: `call_tool` here, then the provider (`memory_tools.py`), then the tool's handler in a thread.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import mcp_types as types
from mcp import MCPError
from mcp.server.lowlevel import Server

from recollect import __version__
from recollect.app.project import Recollect
from recollect.errors import NotFoundError, RecollectError
from recollect.records.store import Progress
from recollect.server import prompts, resources
from recollect.server.caller import Context, SessionCaller
from recollect.server.surface import INSTRUCTIONS
from recollect.server.worker import ProjectWorker
from recollect.tools.provider import ToolProvider, error_result

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")


def make_server(worker: ProjectWorker, tools: ToolProvider) -> Server[Any]:
    """A server over one project's memory and some tools, for clients of any protocol version."""
    handlers = _Handlers(worker, tools)
    return Server(
        "recollect",
        version=__version__,
        title="Recollect",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


@dataclass(frozen=True, slots=True)
class _Handlers:
    """One method for each kind of request. Each request runs in a separate task."""

    worker: ProjectWorker
    tools: ToolProvider

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(await self.tools.list_tools()))

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            return await self.tools.call_tool(
                params.name, params.arguments or {}, SessionCaller(context)
            )
        except NotFoundError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except Exception as error:
            _LOG.exception("%s failed", params.name)
            return error_result(
                f"unexpected {type(error).__name__}: {error}; memory_health may say what is wrong."
            )

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params else None
        return await self._run(context, lambda project, tell: resources.listed(project, tell, cursor))

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[resources.TEMPLATE])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await self._run(context, lambda project, _: resources.read(project, str(params.uri)))

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(prompts.PROMPTS))

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        name, arguments = params.name, params.arguments or {}
        return await self._run(
            context, lambda project, tell: prompts.prompt(project, tell, name, arguments)
        )

    async def _run(self, context: Context, work: Callable[[Recollect, Progress], _T]) -> _T:
        """Run what is no tool call; here an error is one of the protocol."""
        try:
            return await self.worker.run(work, SessionCaller(context).report)
        except RecollectError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
