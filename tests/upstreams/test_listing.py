"""What a real server lists: tools, resources, templates and prompts, over pipes."""

import sys
from pathlib import Path

import pytest

from recollect.gateway.listing import PromptArgument, ServerListing, UpstreamPrompt
from recollect.gateway.tool import EffectHints
from recollect.gateway.upstream import StdioServer, Upstream
from recollect.upstreams.connection import connected

pytestmark = pytest.mark.anyio

SERVER = """
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
server = MCPServer("test")
hints = ToolAnnotations(title="From hints", read_only_hint=True, open_world_hint=False)
@server.tool(annotations=hints, meta={"ui": {"resourceUri": "ui://test/map"}, "other": 1})
def draw(place: str) -> dict[str, int]:
    "Draws a map."
    return {"size": 1}
@server.tool(title="Own title")
def plain() -> None:
    "Plain."
@server.resource("note://one", mime_type="text/plain", description="The first.")
def one() -> str:
    return "1"
@server.resource("note://by/{name}")
def by_name(name: str) -> str:
    return name
@server.prompt(description="Asks.")
def ask(who: str, what: str = "") -> str:
    return who
server.run("stdio")
"""
REFUSES_PROMPTS = """
import json, sys
answers = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"prompts": {}, "tools": {}},
                   "serverInfo": {"name": "x", "version": "1"}},
    "tools/list": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]},
}
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    result = answers.get(request["method"])
    answer |= {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def listing_of(script: str, log: Path) -> ServerListing:
    upstream = Upstream("test", StdioServer(sys.executable, ("-c", script)))
    async with connected(upstream, log) as connection:
        return await connection.listing()


async def test_a_server_lists_everything_that_it_declares(tmp_path: Path) -> None:
    listing = await listing_of(SERVER, tmp_path / "log")

    tools = {tool.name: tool for tool in listing.tools or ()}
    assert tools["draw"].title == "From hints"
    assert tools["draw"].hints == EffectHints(read_only=True, open_world=False)
    assert tools["draw"].meta == {"ui": {"resourceUri": "ui://test/map"}}
    assert (tools["draw"].output_schema or {})["type"] == "object"
    assert tools["plain"].title == "Own title"
    assert tools["plain"].hints == EffectHints()
    assert [(it.uri, it.mime_type, it.description) for it in listing.resources or ()] == [
        ("note://one", "text/plain", "The first.")
    ]
    assert [template.uri_template for template in listing.templates or ()] == ["note://by/{name}"]
    arguments = (PromptArgument("who", required=True), PromptArgument("what"))
    assert listing.prompts == [UpstreamPrompt("test", "ask", "", "Asks.", arguments)]


async def test_a_list_that_is_announced_and_refused_is_unknown_and_the_tools_are_there(
    tmp_path: Path,
) -> None:
    listing = await listing_of(REFUSES_PROMPTS, tmp_path / "log")

    assert [tool.name for tool in listing.tools or ()] == ["a"]
    assert listing.prompts is None
    assert listing.resources == []
