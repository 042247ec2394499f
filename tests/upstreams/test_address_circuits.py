"""Servers with an address: paused after failures, left alone after many, tried again later."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest
from mcp.server.mcpserver import MCPServer
from tests.requirements import requirement
from tests.upstreams.authorization import address, listening, protected_server, running

from recollect.errors import LoginNeededError, UpstreamError
from recollect.gateway.upstream import HttpServer, Upstream
from recollect.upstreams.address_circuits import AddressCircuits
from recollect.upstreams.connection import connected

pytestmark = pytest.mark.anyio


@dataclass(slots=True)
class Hours:
    """A clock that moves by itself only while somebody sleeps."""

    now: float = 1000.0
    pauses: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@dataclass(slots=True)
class Attempts:
    """Connections to one address through the breaker."""

    upstream: Upstream
    log: Path
    hours: Hours = field(default_factory=Hours)
    circuits: AddressCircuits = field(init=False)

    def __post_init__(self) -> None:
        self.circuits = AddressCircuits(lambda: self.hours.now, self.hours.sleep)

    async def tools(self) -> int:
        opening = connected(self.upstream, self.log)
        async with self.circuits.guarded(self.upstream, opening) as connection:
            return len(await connection.tools())

    async def reason(self) -> str:
        with pytest.raises(UpstreamError) as raised:
            await self.tools()
        return str(raised.value)


@pytest.fixture
def attempts(tmp_path: Path) -> Attempts:
    """At an address where nobody listens."""
    upstream = Upstream("web", HttpServer("http://127.0.0.1:9/mcp"), start_seconds=10.0)
    return Attempts(upstream, tmp_path / "log")


@requirement("gateway:upstreams:isolated")
async def test_an_address_that_fails_is_paused_longer_each_time_and_then_left_alone(
    attempts: Attempts,
) -> None:
    reasons = [await attempts.reason() for _ in range(5)]
    refused = [await attempts.reason() for _ in range(3)]

    assert all("cannot be reached" in reason for reason in reasons)
    assert attempts.hours.pauses == [0.5, 1.0, 2.0, 4.0]
    assert all("failed 5 times and is not retried for 60 s" in reason for reason in refused)
    assert all("`recollect gateway test web`" in reason for reason in refused)


@requirement("gateway:upstreams:isolated")
async def test_after_the_rest_one_attempt_decides_for_all(attempts: Attempts) -> None:
    for _ in range(5):
        await attempts.reason()
    attempts.hours.now += 61

    reasons: list[str] = []

    async def attempt() -> None:
        reasons.append(await attempts.reason())

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(attempt)

    assert sorted("cannot be reached" in reason for reason in reasons) == [False, False, True]
    assert sum("is being tried" in reason for reason in reasons) == 2
    assert "not retried for 60 s" in await attempts.reason()


@requirement("gateway:upstreams:isolated")
async def test_an_address_that_answers_again_is_used_again(tmp_path: Path) -> None:
    server = MCPServer("small")

    @server.tool(description="Say nothing.")
    def nothing() -> str:
        return ""

    with listening() as bound, ExitStack() as stack:
        url = f"http://{address(bound)}/mcp"
        attempts = Attempts(Upstream("web", HttpServer(url), start_seconds=0.2), tmp_path / "log")
        for _ in range(5):
            await attempts.reason()  # nobody accepts the connection
        attempts.hours.now += 61
        attempts.upstream = Upstream("web", HttpServer(url), start_seconds=30.0)
        stack.enter_context(running(server.streamable_http_app(), bound))

        assert await attempts.tools() == 1
        assert await attempts.tools() == 1


async def test_other_addresses_are_not_affected(attempts: Attempts) -> None:
    for _ in range(5):
        await attempts.reason()
    attempts.upstream = Upstream("web", HttpServer("http://127.0.0.1:9/other"), start_seconds=10.0)

    assert "cannot be reached" in await attempts.reason()


@requirement("gateway:login:reported")
async def test_a_login_that_is_missing_does_not_open_the_breaker(tmp_path: Path) -> None:
    with protected_server() as protected:
        attempts = Attempts(Upstream("hub", HttpServer(protected.url)), tmp_path / "log")
        for _ in range(6):
            with pytest.raises(LoginNeededError, match="gateway login hub"):
                await attempts.tools()

    assert attempts.hours.pauses == []
