"""What listing a tool costs is one figure, whoever counts it."""

from recollect.gateway.receipts import schema_tokens
from recollect.gateway.tool import UpstreamTool
from recollect.server.proxied_tools import cost, proxied_tool

TOOL = UpstreamTool(
    "s", "search", "Search issues.", {"type": "object"}, title="Search the issue tracker"
)


def test_receipts_and_the_listed_tool_agree_and_count_the_title() -> None:
    untitled = UpstreamTool("s", "search", "Search issues.", {"type": "object"})

    assert cost(proxied_tool(TOOL.name, TOOL)) == schema_tokens(TOOL)
    assert schema_tokens(TOOL) - schema_tokens(untitled) > 5
    assert cost(proxied_tool("search", untitled)) == schema_tokens(untitled)
