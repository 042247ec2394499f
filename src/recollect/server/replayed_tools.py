"""A recording in place of its server."""

from collections.abc import Sequence

import mcp_types as types
from anyio.abc import TaskGroup

from recollect.app.recordings import redacted_arguments
from recollect.errors import NotFoundError
from recollect.gateway.recording import Recording, Replay
from recollect.records.redaction_port import RedactionGate
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments, error_result


class ReplayedTools:
    """The tools of a recording. No server is started."""

    def __init__(self, recording: Recording, gate: RedactionGate) -> None:
        self._tools = [types.Tool.model_validate(tool) for tool in recording.tools]
        self._replay, self._gate = Replay(recording), gate

    async def start(self, tasks: TaskGroup, /) -> None:
        """There is nothing to start."""

    async def stop(self) -> None:
        """There is nothing to stop."""

    async def list_tools(self) -> Sequence[types.Tool]:
        return self._tools

    async def call_tool(self, name: str, arguments: Arguments, _: Caller) -> types.CallToolResult:
        try:
            answer = self._replay.answer(name, redacted_arguments(arguments, self._gate))
        except NotFoundError as error:
            return error_result(str(error))
        return types.CallToolResult.model_validate(answer)
