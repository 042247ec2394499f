"""Whose fault a failed call is: receipts count bad arguments apart, because they say nothing about a tool."""

from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement
from tests.server.running import text_of
from tests.server.test_gateway_tools import Connect, connect
from tests.upstreams.servers import entry, plain_server

from recollect.app.gateway import Gateway
from recollect.clock import utc_now

__all__ = ["connect"]

pytestmark = pytest.mark.anyio


def error(code: int) -> dict[str, Any]:
    return {"error": {"code": code, "message": "no such day"}}


def failed(text: str) -> dict[str, Any]:
    return {"result": {"content": [{"type": "text", "text": text}], "isError": True}}


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    gateway = Gateway(tmp_path / "data", {"HOME": str(tmp_path)}, utc_now)
    gateway.add("plain", entry(plain_server('[{"name": "do", "inputSchema": {"type": "object"}}]')))
    gateway.refresh("plain")
    return gateway


@requirement("gateway:receipts:kept")
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"result": {"content": []}}, "ok"),
        (error(-32602), "bad_arguments"),
        (failed("MCP error -32602: Input validation error: no such day"), "bad_arguments"),
        (error(-32603), "server_failure"),
        (failed("MCP error -32603: no such day"), "tool_error"),
        (failed("no such day"), "tool_error"),
    ],
)
async def test_what_a_server_calls_invalid_parameters_is_not_held_against_its_tool(
    connect: Connect, gateway: Gateway, answer: dict[str, Any], outcome: str
) -> None:
    async with connect() as client:
        result = await client.call_tool("call", {"tool": "plain:do", "arguments": {"answer": answer}})

    (use,) = gateway.database.receipts.uses()
    assert {name: count for name, count in use.outcomes.items() if count} == {outcome: 1}
    assert (use.reliability == 1.0) == (outcome in ("ok", "bad_arguments"))
    assert outcome == "ok" or "no such day" in text_of(result)
