"""Calls in the protocol with a handshake, which our server answers past the SDK's checks."""

from collections.abc import Sequence
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage
from tests.requirements import requirement
from tests.server.running import OLD, WAIT
from tests.tools.some_tools import SomeTools

from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.server.protocol import make_server
from recollect.tools.caller import Caller
from recollect.tools.provider import Arguments

pytestmark = pytest.mark.anyio
HELLO = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class FixedTools(SomeTools):
    """A tool whose result is always the same."""

    def __init__(self, result: types.CallToolResult) -> None:
        super().__init__("echo")
        self.result = result

    async def call_tool(self, _: str, __: Arguments, ___: Caller) -> types.CallToolResult:
        return self.result


async def answers(
    project: Recollect, tools: SomeTools, *requests: tuple[str, dict[str, Any]]
) -> Sequence[dict[str, Any]]:
    """What the server answers to some requests, each sent when the one before is answered."""
    server = make_server(ProjectWorker(lambda: project), tools)
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage]()
    documents = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, incoming, outgoing, server.create_initialization_options())
        with anyio.fail_after(WAIT):
            for id, (method, params) in enumerate(requests):
                request = types.JSONRPCRequest(jsonrpc="2.0", id=id, method=method, params=params)
                await to_server.send(SessionMessage(request))
                message = (await from_server.receive()).message
                documents.append(message.model_dump(by_alias=True, exclude_unset=True))
        tasks.cancel_scope.cancel()
    for stream in (to_server, incoming, outgoing, from_server):
        await stream.aclose()
    return documents


@requirement("server:calls:plain")
async def test_a_result_has_nothing_that_only_the_newer_protocol_knows(project: Recollect) -> None:
    text = types.TextContent(text="[1]")
    tools = FixedTools(types.CallToolResult(content=[text], structured_content=[1]))

    _, answer = await answers(
        project, tools, ("initialize", HELLO), ("tools/call", {"name": "echo", "arguments": {}})
    )

    assert answer["result"] == {"content": [{"type": "text", "text": "[1]"}], "isError": False}


@requirement("server:calls:plain")
async def test_structured_content_reaches_the_client(project: Recollect) -> None:
    tools = FixedTools(types.CallToolResult(content=[], structured_content={"rows": [1, None]}))

    _, answer = await answers(project, tools, ("initialize", HELLO), ("tools/call", {"name": "echo"}))

    assert answer["result"]["structuredContent"] == {"rows": [1, None]}


@pytest.mark.parametrize(
    "params", [{}, {"name": 3}, {"name": "echo", "arguments": []}, {"name": "echo", "arguments": "x"}]
)
async def test_a_malformed_call_is_refused(project: Recollect, params: dict[str, Any]) -> None:
    _, answer = await answers(project, SomeTools("echo"), ("initialize", HELLO), ("tools/call", params))

    assert answer["error"]["code"] == types.INVALID_PARAMS


async def test_an_unknown_tool_is_refused(project: Recollect) -> None:
    _, answer = await answers(
        project, SomeTools("echo"), ("initialize", HELLO), ("tools/call", {"name": "ecko"})
    )

    assert answer["error"]["code"] == types.INVALID_PARAMS
    assert "ecko" in answer["error"]["message"]


async def test_a_client_that_has_not_introduced_itself_is_refused(project: Recollect) -> None:
    [answer] = await answers(
        project, SomeTools("echo"), ("tools/call", {"name": "echo", "arguments": {"text": "hi"}})
    )

    assert answer["error"]["code"] == types.INVALID_PARAMS
