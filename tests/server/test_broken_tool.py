"""A tool that breaks: the client gets an error that names the cause, and the server goes on."""

from pathlib import Path

import mcp_types as types
import pytest
from mcp import Client
from tests.server.running import MODES, text_of
from tests.tools.some_tools import SomeTools

from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.errors import StoreError
from recollect.server.protocol import make_server
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments

pytestmark = pytest.mark.anyio
FAULTS = {
    "the journal is locked": StoreError(Path("state.db"), "the journal is locked"),
    "unexpected ZeroDivisionError: by zero; memory_health may": ZeroDivisionError("by zero"),
}


class BrokenTools(SomeTools):
    """Tools whose calls fail inside a task group."""

    def __init__(self, fault: Exception) -> None:
        super().__init__("echo")
        self.fault = fault

    async def call_tool(self, name: str, _: Arguments, __: Caller) -> types.CallToolResult:
        raise ExceptionGroup("unhandled errors in a TaskGroup", [self.fault])


@pytest.mark.parametrize("message", FAULTS)
async def test_the_cause_is_named_and_not_the_group_around_it(
    project: Recollect, version: str, message: str
) -> None:
    server = make_server(ProjectWorker(lambda: project), BrokenTools(FAULTS[message]))
    async with Client(server, mode=MODES[version]) as client:
        result = await client.call_tool("echo", {})

    assert result.is_error
    assert message in text_of(result)
    assert "TaskGroup" not in text_of(result)
