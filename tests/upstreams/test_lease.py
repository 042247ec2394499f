"""What the SDK's client can do over a lease: everything that it can do with a process of its own."""

import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client as SdkClient
from mcp import MCPError
from mcp.client.session import ClientRequestContext
from tests.upstreams import raw_client
from tests.upstreams.raw_client import SERVER
from tests.upstreams.servers import NEWER_ONLY

from recollect.errors import UpstreamError
from recollect.gateway.upstream import HttpServer, StdioServer, Upstream
from recollect.upstreams.broker_client import ask
from recollect.upstreams.connection import UpstreamConnection
from recollect.upstreams.lease import Workplace, carried, leased, opened_line
from recollect.upstreams.lease_request import ControlRequest
from recollect.upstreams.plain_calls import PlainCalls

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are counted in /proc"),
]

# Asks as the newer protocol does: in the result of a call.
BOTH = """
import anyio, sys
import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
server = MCPServer("modern")
@server.tool()
async def work(ctx: Context) -> str:
    for step in (1, 2):
        await ctx.report_progress(step, 2, f"step {step}")
    return "done"
@server.tool()
async def confirm(ctx: Context) -> types.CallToolResult | types.InputRequiredResult:
    if ctx.input_responses is None:
        schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
        params = types.ElicitRequestFormParams(message="Sure?", requested_schema=schema)
        return types.InputRequiredResult(input_requests={"sure": types.ElicitRequest(params=params)})
    return types.CallToolResult(content=[types.TextContent(text=str(ctx.input_responses["sure"].content))])
@server.tool()
async def wait(path: str) -> str:
    open(path, "w").write("waiting")
    try:
        await anyio.sleep(600)
    finally:
        open(path, "w").write("cancelled")
@server.tool()
async def change(ctx: Context) -> str:
    await ctx.notify_tools_changed()
    return "changed"
@server.resource("note://{name}")
def note(name: str) -> str:
    return f"note {name}"
@server.prompt()
def review(code: str) -> str:
    return f"Review {code}"
server.run("stdio")
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Client:
    """A client side that records what it hears, and says yes."""

    def __init__(self) -> None:
        self.notified: list[str] = []
        self.asked: list[str] = []

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        self.asked.append(question.method)
        if isinstance(question, types.ElicitRequest):
            return types.ElicitResult(action="accept", content={"sure": True})
        raise MCPError(types.INVALID_REQUEST, "this client has no model")

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        self.notified.append(f"log {message.data}")

    async def notify(self, notification: types.ServerNotification) -> None:
        self.notified.append(notification.method)


def both(folder: Path) -> Upstream:
    """A server that speaks both protocols, and gets the older one from `leased`."""
    return Upstream("both", StdioServer(sys.executable, ("-c", BOTH, str(folder))))


def small(folder: Path, behaviour: str = "", **changes: Any) -> Upstream:
    server = StdioServer(sys.executable, ("-I", "-S", str(SERVER), str(folder), behaviour))
    return Upstream("small", server, **changes)


@asynccontextmanager
async def modern_client(folder: Path) -> AsyncIterator[SdkClient]:
    """The SDK's client over a lease, with the newer protocol."""

    async def accept(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        del context, params
        return types.ElicitResult(action="accept", content={"sure": True})

    arguments = ("-c", BOTH, str(folder))
    line = partial(opened_line, folder, raw_client.small(folder, "both", arguments=arguments))
    async with SdkClient(
        carried(line, PlainCalls()), mode="auto", elicitation_callback=accept, cache=None
    ) as client:
        yield client


def lease(
    folder: Path, upstream: Upstream, client: Client | None = None, *roots: str
) -> AbstractAsyncContextManager[UpstreamConnection]:
    workplace = Workplace(str(folder), roots)
    return leased(upstream, folder / "log", folder, workplace, client or Client())


@asynccontextmanager
async def two(folder: Path, upstream: Upstream) -> AsyncIterator[list[UpstreamConnection]]:
    async with lease(folder, upstream) as first, lease(folder, upstream) as second:
        yield [first, second]


def said(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


async def test_two_clients_share_a_server_of_the_newer_protocol(folder: Path) -> None:
    reports: list[tuple[float, float | None, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    async with modern_client(folder) as first, modern_client(folder) as second:
        for client in (first, second):
            assert client.protocol_version == "2026-07-28"
            assert said(await client.call_tool("work", {}, progress_callback=report)) == "done"
            assert said(await client.call_tool("confirm", {})) == "{'sure': True}"
            read = await client.read_resource("note://a")
            assert isinstance(read.contents[0], types.TextResourceContents)
            assert read.contents[0].text == "note a"
            prompt = await client.get_prompt("review", {"code": "x"})
            assert prompt.messages[0].content == types.TextContent(text="Review x")
        answer = ask(folder, ControlRequest("states"))

    assert answer is not None
    assert [server["clients"] for server in answer["servers"]] == [2]
    assert sorted(reports) == sorted([(1.0, 2.0, "step 1"), (2.0, 2.0, "step 2")] * 2)


async def test_a_server_that_refuses_the_older_protocol_is_reached_with_the_newer(
    folder: Path,
) -> None:
    async with two(folder, small(folder, "modern")) as connections:
        for connection in connections:
            assert connection.client.protocol_version == "2026-07-28"
            assert said(await connection.call("remember", {"text": ""})) == ""


async def test_a_call_that_is_cancelled_is_cancelled_at_the_server(folder: Path) -> None:
    file = folder / "state"
    async with two(folder, both(folder)) as (first, second):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first.call, "wait", {"path": str(file)})
            await _until(lambda: file.exists() and file.read_text() == "waiting")
            tasks.cancel_scope.cancel()
        await _until(lambda: file.read_text() == "cancelled")
        assert said(await second.call("work", {})) == "done"


async def test_a_client_that_goes_has_its_call_cancelled(folder: Path) -> None:
    file = folder / "state"
    async with lease(folder, both(folder)) as stays:
        async with lease(folder, both(folder)) as goes, anyio.create_task_group() as tasks:
            tasks.start_soon(goes.call, "wait", {"path": str(file)})
            await _until(lambda: file.exists() and file.read_text() == "waiting")
            tasks.cancel_scope.cancel()
        await _until(lambda: file.read_text() == "cancelled")
        assert said(await stays.call("work", {})) == "done"


async def test_every_client_hears_of_changed_tools_in_both_protocols(folder: Path) -> None:
    heard: list[str] = []

    async def listen(client: SdkClient, is_listening: anyio.Event) -> None:
        async with client.listen(tools_list_changed=True) as events:
            is_listening.set()
            async for event in events:
                heard.append(type(event).__name__)
                break

    async with (
        modern_client(folder) as one,
        modern_client(folder) as other,
        anyio.create_task_group() as tasks,
    ):
        for sdk_client in (one, other):
            tasks.start_soon(listen, sdk_client, is_listening := anyio.Event())
            await is_listening.wait()
        await one.call_tool("change", {})
    assert heard == ["ToolsListChanged"] * 2

    clients = [Client(), Client()]
    async with (
        lease(folder, small(folder), clients[0]) as first,
        lease(folder, small(folder), clients[1]),
    ):
        await first.call("change", {})
        for client in clients:
            await _until(lambda: "notifications/tools/list_changed" in client.notified)  # noqa: B023


async def test_changed_tools_of_a_server_of_the_newer_protocol_alone_are_heard(folder: Path) -> None:
    upstream = Upstream("newer", StdioServer(sys.executable, ("-c", NEWER_ONLY, str(folder))))
    clients = [Client(), Client()]
    async with (
        lease(folder, upstream, clients[0]) as first,
        lease(folder, upstream, clients[1]) as second,
    ):
        assert second.client.protocol_version == "2026-07-28"
        with anyio.fail_after(30):
            for client in clients:
                while "notifications/tools/list_changed" not in client.notified:
                    assert said(await first.call("change", {})) == "changed"


async def test_a_server_of_the_older_protocol_asks_the_client_whose_call_is_open(folder: Path) -> None:
    clients = [Client(), Client()]
    async with (
        lease(folder, small(folder), clients[0]) as first,
        lease(folder, small(folder), clients[1]) as second,
    ):
        assert first.client.protocol_version == "2025-11-25"
        assert "accept" in said(await second.call("ask", {}))

    assert [client.asked for client in clients] == [[], ["elicitation/create"]]


async def test_a_server_gets_the_roots_that_its_clients_share(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "file").write_text("mine")
    client = Client()
    async with lease(folder, small(folder), client, f"file://{folder}/a") as connection:
        inside = said(await connection.call("read", {"path": f"{folder}/a/file"}))
        outside = said(await connection.call("read", {"path": f"{folder}/log"}))

    assert (inside, outside.startswith("denied")) == ("mine", True)
    assert client.asked == []


async def test_an_error_of_the_broker_names_the_server_once_and_the_remedy(folder: Path) -> None:
    async with lease(folder, small(folder)) as connection:
        with pytest.raises(UpstreamError) as raised:
            await connection.call("die", {})

        assert str(raised.value) == (
            "the server 'small' ended with exit code 3, and last wrote: out of luck; "
            "`recollect gateway logs small` shows what it wrote."
        )
        assert said(await connection.call("remember", {"text": ""})) == ""


async def test_a_server_that_hangs_at_start_is_refused_by_name(folder: Path) -> None:
    with pytest.raises(UpstreamError, match="the server 'small' did not answer within 1 s"):
        async with lease(folder, small(folder, "hangs", start_seconds=1.0)):
            raise AssertionError("it is not connected")


async def test_without_a_broker_the_server_is_a_process_of_ours(folder: Path) -> None:
    nowhere = folder / "missing"

    async with leased(
        small(folder), folder / "log", nowhere, Workplace(str(folder)), Client()
    ) as connection:
        assert said(await connection.call("remember", {"text": ""})) == ""

    assert not nowhere.exists()
    assert ask(folder, ControlRequest("states")) is None


async def test_a_server_that_somebody_else_runs_starts_no_broker(folder: Path) -> None:
    nobody = Upstream("web", HttpServer("http://127.0.0.1:9/mcp"), start_seconds=10.0)

    with pytest.raises(UpstreamError, match="the server 'web' cannot be reached"):
        async with lease(folder, nobody):
            raise AssertionError("it is not connected")

    assert ask(folder, ControlRequest("states")) is None


async def test_the_connection_says_when_the_broker_has_gone(folder: Path) -> None:
    async with lease(folder, small(folder)) as connection:
        answer = ask(folder, ControlRequest("states"))
        assert answer is not None
        await anyio.run_process(["kill", "-9", str(answer["pid"])])
        with anyio.fail_after(30):
            await connection.ended.wait()


async def _until(condition: Any) -> None:
    with anyio.fail_after(60):
        while not condition():
            await anyio.sleep(0.02)
