"""Large results through the meta-tools: stored, read in pieces, and on the receipts."""

from pathlib import Path

import pytest
from mcp import Client
from tests.requirements import requirement
from tests.server.running import text_of
from tests.server.test_gateway_tools import Connect, connect
from tests.upstreams.servers import light_entry

from recollect.app.gateway import Gateway
from recollect.app.project import Recollect
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.gateway.tool_graph import ToolEdge
from recollect.gateway.vault.projection import Projection, proposals
from recollect.gateway.vault.reply import META_HANDLE
from recollect.server.budget import tokens
from recollect.server.gateway_tools import META_TOOLS
from recollect.storage.sqlite.state import StateDatabase

__all__ = ["connect"]

pytestmark = pytest.mark.anyio

VERBOSE = """
import base64

@tool
def issues(count: int) -> list[dict[str, str]]:
    "Many issues."
    return [{"id": str(n), "title": f"Issue {n}", "token": "ghp_" + "a1B2c3D4e5F6" * 3} for n in range(count)]

@tool
def line(length: int) -> str:
    "One line."
    return "x" * length + " end"

@tool
def file():
    "A file."
    blob = base64.b64encode(bytes(100_000)).decode()
    resource = {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": blob}
    parts = [{"type": "resource", "resource": resource}, {"type": "text", "text": "One file."}]
    return {"content": parts}

@tool
def fail() -> str:
    "Fails at length."
    raise ValueError("no " * 10_000)
"""


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    gateway = Gateway(tmp_path / "data", {"HOME": str(tmp_path)}, utc_now)
    gateway.add("verbose", light_entry(VERBOSE))
    gateway.refresh("verbose")
    return gateway


async def handle_of(client: Client, tool: str, **arguments: object) -> tuple[str, str]:
    result = await client.call_tool("call", {"tool": f"verbose:{tool}", "arguments": arguments})
    assert result.meta is not None
    return result.meta[META_HANDLE], text_of(result)


@requirement("gateway:vault:handles")
async def test_a_large_result_is_a_handle_and_is_read_by_path_range_and_search(
    connect: Connect, version: str, folder: Path
) -> None:
    async with connect(version) as client:
        handle, note = await handle_of(client, "issues", count=3_000)

        async def read(**arguments: object) -> str:
            return text_of(await client.call_tool("read_result", {"handle": handle, **arguments}))

        assert "[3000 x {id: str, title: str, token: str}]" in note
        assert "Redacted in what is stored: 3000 x" in note
        assert await read(path="result[2999].title") == "lines 0:1 of 1\nIssue 2999"
        assert "rows 10:12 of 3000" in await read(path="result", range="10:12")
        assert "result[77].title: title = Issue 77" in await read(search="/Issue 77$/")
        assert "its keys are result" in await read(path="results")
    assert "ghp_" not in note
    assert (folder / ".claude/memory/.recollect/vault" / handle / "result.json").exists()
    assert (folder / ".claude/memory/.recollect/.gitignore").exists()


async def test_300_000_characters_on_one_line_are_read_to_the_end(connect: Connect) -> None:
    async with connect() as client:
        handle, _ = await handle_of(client, "line", length=300_000)
        last = await client.call_tool("read_result", {"handle": handle, "range": "c-4:"})

    assert text_of(last).endswith(" end")


async def test_a_small_part_stays_and_a_file_is_given_by_its_path(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("call", {"tool": "verbose:file"})

    note = str(result.content[0])
    assert "application/pdf, file:///a.pdf, 100,000 bytes, file " in note
    assert "One file." in str(result.content[1:])


async def test_in_proxy_mode_a_large_result_is_stored_too(connect: Connect, version: str) -> None:
    """The client has seen no output schema, so it accepts the note; a small result is structured."""
    async with connect(version, Exposure("proxy")) as client:
        await client.list_tools()
        small = await client.call_tool("verbose__issues", {"count": 1})
        large = await client.call_tool("verbose__issues", {"count": 3_000})
        assert large.meta is not None
        read = {"handle": large.meta[META_HANDLE], "path": "result[7].id"}
        assert text_of(await client.call_tool("read_result", read)).endswith("\n7")

    assert small.structured_content is not None
    assert large.structured_content is None


async def test_a_long_error_is_stored_and_stays_an_error(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("call", {"tool": "verbose:fail"})

    assert result.is_error
    assert tokens(text_of(result)) < 2_000


@requirement("gateway:vault:projections")
async def test_what_agents_read_is_proposed_and_an_accepted_projection_is_the_preview(
    connect: Connect, gateway: Gateway
) -> None:
    async with connect() as client:
        for count in (3_000, 3_001, 3_002):
            handle, preview = await handle_of(client, "issues", count=count)
            assert "Issue 90" not in preview
            for path in ("result[7].title", f"result[{count - 1}].title"):
                await client.call_tool("read_result", {"handle": handle, "path": path})
    (proposed,) = proposals(gateway.projections.reads(), [])
    assert proposed == Projection("verbose", "issues", ("result[*].title",))

    async with connect() as client:
        await handle_of(client, "issues", count=3_000)  # a session that is open when it is accepted
        gateway.projections.accept(proposed, "2026-01-01T00:00:00Z")
        handle, preview = await handle_of(client, "issues", count=3_000)
        rest = await client.call_tool("read_result", {"handle": handle, "path": "result[2999].id"})

    assert '{"title": "Issue 90"}' in preview
    assert "2999" in text_of(rest)
    (use,) = gateway.database.receipts.uses()
    assert 50_000 < use.projection_saved_tokens < use.saved_tokens


async def test_an_unknown_handle_says_what_to_do(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("read_result", {"handle": "../../etc"})

    assert result.is_error
    assert "Call the tool again" in text_of(result)


@requirement("gateway:receipts:kept")
async def test_calls_and_reads_are_on_the_receipts(connect: Connect, gateway: Gateway) -> None:
    async with connect() as client:
        handle, _ = await handle_of(client, "issues", count=3_000)
        await client.call_tool("read_result", {"handle": handle, "path": "result"})
        await client.call_tool("call", {"tool": "verbose:issues", "arguments": {"count": "x"}})
        await client.call_tool("call", {"tool": "verbose:fail"})
        await client.call_tool("call", {"tool": "verbose:line", "arguments": {"length": 1}})

    uses = {use.tool: use for use in gateway.database.receipts.uses()}

    assert uses["issues"].outcomes["ok"] == uses["issues"].outcomes["bad_arguments"] == 1
    assert uses["fail"].outcomes["tool_error"] == 1
    assert uses["line"].result_tokens == uses["line"].reply_tokens
    assert uses["issues"].result_tokens > 50_000
    assert 1_000 < uses["issues"].read_tokens < 3_000
    assert uses["issues"].saved_tokens > 40_000


def test_read_result_costs_little() -> None:
    tool = next(tool for tool in META_TOOLS if tool.name == "read_result")

    assert tokens(tool.described().model_dump(mode="json", by_alias=True, exclude_none=True)) <= 250


@requirement("gateway:discovery:tool-graph")
async def test_what_is_called_after_what_is_in_the_tool_graph(
    connect: Connect, project: Recollect
) -> None:
    """A call that failed has no place in it, and calls of two clients do not follow each other."""
    for _ in range(2):
        async with connect() as client:
            for tool, arguments in (("issues", {"count": 1}), ("fail", {}), ("line", {"length": 1})):
                call = {"tool": f"verbose:{tool}", "arguments": arguments}
                await client.call_tool("call", call)

    state = StateDatabase(str(project.state_folder / "state.db"))
    assert state.tool_graph.edges() == [ToolEdge("verbose:issues", "verbose:line", 2)]
    state.close()
