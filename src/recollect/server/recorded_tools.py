"""One server of the gateway by itself, recorded while it is used."""

import sys
from collections.abc import Sequence
from pathlib import Path

import mcp_types as types
from anyio import to_thread
from anyio.abc import TaskGroup

from recollect.app.dispatch import Dispatcher
from recollect.app.gateway import Gateway
from recollect.app.recordings import RecordingFile
from recollect.errors import RecollectError, StoreError
from recollect.gateway.exposure import Exposure
from recollect.gateway.tool import UpstreamTool
from recollect.records.json_format import JsonObject
from recollect.server.proxied_tools import proxied_tool
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments, error_result


class RecordedTools:
    """The tools of one server. Calls go to it under the rules of the gateway, and into a file."""

    def __init__(self, gateway: Gateway, folder: Path, server: str, file: RecordingFile) -> None:
        self._gateway, self._folder, self._server, self._file = gateway, folder, server, file
        self._dispatcher: Dispatcher | None = None
        self._tools: list[UpstreamTool] = []

    async def start(self, tasks: TaskGroup, /) -> None:
        """List the tools, which begins the recording."""
        self._dispatcher = Dispatcher(self._gateway, self._folder, Exposure(), tasks)
        self._dispatcher.start(prepares=False)
        known = await self._dispatcher.tools()
        self._tools = [tool for tool in known if tool.server == self._server]
        tools = [_document(tool) for tool in await self.list_tools()]
        await to_thread.run_sync(self._file.begin, self._server, tools)

    async def stop(self) -> None:
        """Let the server go."""
        assert self._dispatcher is not None
        await self._dispatcher.stop()
        self._file.close()

    async def list_tools(self) -> Sequence[types.Tool]:
        return [
            proxied_tool(tool.name, tool).model_copy(update={"output_schema": tool.output_schema})
            for tool in self._tools
        ]

    async def call_tool(self, name: str, arguments: Arguments, caller: Caller) -> types.CallToolResult:
        assert self._dispatcher is not None
        try:
            delivery = await self._dispatcher.deliver(f"{self._server}:{name}", arguments, caller)
        except RecollectError as error:
            return error_result(str(error))
        try:
            await to_thread.run_sync(self._file.add, name, arguments, _document(delivery.result))
        except StoreError as error:  # the call was made, whatever becomes of the recording
            sys.stderr.write(f"recollect: {name} is not in the recording: {error}\n")
        return delivery.result


def _document(value: types.Tool | types.CallToolResult) -> JsonObject:
    document: JsonObject = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return document
