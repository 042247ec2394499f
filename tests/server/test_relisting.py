"""What a server says has changed is asked for once, and soon: many such messages cost others nothing."""

from pathlib import Path

import anyio
import pytest
from tests.requirements import requirement
from tests.server.running import WAIT, text_of
from tests.server.test_gateway_tools import Connect, connect
from tests.upstreams.servers import entry

from recollect.app import server_listings
from recollect.app.gateway import Gateway
from recollect.clock import utc_now

__all__ = ["connect"]

pytestmark = pytest.mark.anyio

# `storm` adds a tool and says a hundred times that tools changed; `lists` is how often it was asked for them.
RESTLESS = """
import json, sys
tools, lists = ["storm", "lists"], 0
def write(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    method, text = request["method"], ""
    if "id" not in request:
        continue
    if method == "initialize":
        about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}}}
        write(id=request["id"], result=about | {"serverInfo": {"name": "x", "version": "1"}})
    elif method == "tools/list":
        lists += 1
        rows = [{"name": name, "inputSchema": {"type": "object"}} for name in tools]
        write(id=request["id"], result={"tools": rows})
    elif method == "tools/call":
        if request["params"]["name"] == "storm":
            tools.append(f"new_{len(tools)}")
            for _ in range(100):
                write(method="notifications/tools/list_changed")
        write(id=request["id"], result={"content": [{"type": "text", "text": str(lists)}]})
    else:
        write(id=request["id"], error={"code": -32601, "message": "no"})
"""


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    gateway = Gateway(tmp_path / "data", {"HOME": str(tmp_path)}, utc_now)
    gateway.add("restless", entry(RESTLESS))
    gateway.refresh("restless")
    return gateway


@requirement("gateway:upstreams:isolated")
async def test_a_hundred_messages_that_tools_changed_cost_few_lists_and_lose_no_change(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_listings, "RELIST_SECONDS", 0.5)
    async with connect() as client:
        for _ in range(3):
            await client.call_tool("call", {"tool": "restless:storm"})
        with anyio.fail_after(WAIT):
            while (await client.call_tool("describe", {"tools": ["restless:new_4"]})).is_error:
                await anyio.sleep(0.02)
        lists = await client.call_tool("call", {"tool": "restless:lists"})

    assert int(text_of(lists)) <= 6
