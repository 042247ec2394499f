"""Connections to real servers over real pipes and HTTP, and to servers that misbehave."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import anyio
import pytest
from tests.upstreams.processes import wait_until_gone

from recollect.errors import UpstreamError
from recollect.gateway.upstream import HttpServer, StdioServer, Upstream
from recollect.upstreams.connection import connected

pytestmark = pytest.mark.anyio

SERVER = """
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("test")
@server.tool(description="Add two numbers.")
def add(a: int, b: int) -> int:
    return a + b
@server.tool()
def fail() -> str:
    raise ValueError("no luck")
server.run(sys.argv[1], **({"port": int(sys.argv[2])} if sys.argv[1] != "stdio" else {}))
"""
HANGS = "import time; time.sleep(600)"
DIES = "import sys; sys.stderr.write('no licence found'); sys.exit(1)"
TALKS = "import sys\nwhile True: sys.stdout.write('not json\\n')"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def process(script: str, *arguments: str, seconds: float = 60.0) -> Upstream:
    server = StdioServer(sys.executable, ("-c", script, *arguments))
    return Upstream("test", server, start_seconds=seconds, call_seconds=seconds)


async def test_a_server_is_started_asked_and_stopped(tmp_path: Path) -> None:
    mark = uuid4().hex
    async with connected(process(SERVER, "stdio", mark), tmp_path / "log") as connection:
        tools = {tool.name: tool for tool in await connection.tools()}
        result = await connection.call("add", {"a": 2, "b": 3})
        failed = await connection.call("fail", {})

    assert tools["add"].id == "test:add"
    assert tools["add"].description == "Add two numbers."
    assert result.structured_content == {"result": 5}
    assert failed.is_error
    assert wait_until_gone(mark) == set()


async def test_a_published_server_lists_its_tools(tmp_path: Path) -> None:
    time_server = Upstream("time", StdioServer(sys.executable, ("-m", "mcp_server_time")))

    async with connected(time_server, tmp_path / "log") as connection:
        tools = {tool.name for tool in await connection.tools()}

    assert tools == {"get_current_time", "convert_time"}


@pytest.mark.parametrize(
    ("script", "reason"),
    [(HANGS, "did not answer within 2 s"), (DIES, "and last wrote: no licence found")],
)
async def test_a_server_that_cannot_be_reached_is_named_with_the_reason(
    tmp_path: Path, script: str, reason: str
) -> None:
    mark = uuid4().hex

    with pytest.raises(UpstreamError) as raised:
        async with connected(process(script, mark, seconds=2.0), tmp_path / "log"):
            raise AssertionError("it is not connected")

    assert "the server 'test'" in str(raised.value)
    assert reason in str(raised.value)
    assert "recollect gateway logs test" in str(raised.value)
    assert wait_until_gone(mark) == set()


async def test_a_server_that_talks_nonsense_without_end_is_given_up(tmp_path: Path) -> None:
    mark = uuid4().hex

    with pytest.raises(UpstreamError, match="did not answer within 1 s"):
        async with connected(process(TALKS, mark, seconds=1.0), tmp_path / "log"):
            raise AssertionError("it is not connected")

    assert wait_until_gone(mark) == set()


async def test_an_error_inside_the_block_is_not_blamed_on_the_server(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        async with connected(process(SERVER, "stdio"), tmp_path / "log"):
            raise KeyError("ours")


async def test_a_tool_that_does_not_exist_is_named(tmp_path: Path) -> None:
    async with connected(process(SERVER, "stdio"), tmp_path / "log") as connection:
        result = await connection.call("nope", {})

    assert result.is_error


async def test_cancelling_a_start_leaves_no_process(tmp_path: Path) -> None:
    mark = uuid4().hex
    with anyio.move_on_after(0.5):
        async with connected(process(HANGS, mark), tmp_path / "log"):
            pass

    assert wait_until_gone(mark) == set()


@pytest.fixture
def address() -> Iterator[str]:
    """A server on loopback that speaks streamable HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, "streamable-http", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.kill()
        server.wait()


async def test_a_running_server_is_reached_by_its_address(address: str, tmp_path: Path) -> None:
    upstream = Upstream("web", HttpServer(address, {"X-Test": "1"}))
    for _ in range(100):
        try:
            async with connected(upstream, tmp_path / "log") as connection:
                result = await connection.call("add", {"a": 1, "b": 1})
            break
        except UpstreamError:
            await anyio.sleep(0.2)
    else:
        raise AssertionError("the server never answered")

    assert result.structured_content == {"result": 2}


async def test_an_address_where_nobody_listens_is_an_error(tmp_path: Path) -> None:
    nobody = Upstream("web", HttpServer("http://127.0.0.1:9/mcp"), start_seconds=10.0)

    with pytest.raises(UpstreamError, match="the server 'web' cannot be reached"):
        async with connected(nobody, tmp_path / "log"):
            raise AssertionError("it is not connected")
