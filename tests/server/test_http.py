"""The server over HTTP: this machine only, and only with the token."""

import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.requirements import requirement
from tests.server.conftest import stock
from tests.server.running import MODES, SERVE, WAIT, structured
from tests.server.test_memory_tools import CALLS

from recollect.app.opening import open_project
from recollect.clock import utc_now

TOKEN = "a-token-of-the-tests-own"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PLAIN = {"Accept": "application/json, text/event-stream"}


@dataclass(frozen=True, slots=True)
class Served:
    url: str
    said: str
    process: "subprocess.Popen[str]"


def serving(folder: Path, env: dict[str, str], *options: str) -> Iterator[Served]:
    command = [*SERVE, "--http", "--port", "0", *options]
    with subprocess.Popen(
        command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/mcp", said)
        assert address, said
        try:
            yield Served(address[0], said, process)
        finally:
            process.terminate()
            process.wait(WAIT)
            process.stderr.read()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests that ask and change nothing."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / ".claude" / "memory").mkdir(parents=True)
    env = {"HOME": str(tmp_path_factory.mktemp("home")), "PATH": "/usr/bin:/bin"}
    stock(open_project(folder, env=env, clock=utc_now))
    yield from serving(folder, env | {"RECOLLECT_TOKEN": TOKEN})


@pytest.mark.anyio
@requirement("server:http:official-client")
async def test_the_official_client_is_served_with_the_token(served: Served, version: str) -> None:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=WAIT) as web,
        Client(streamable_http_client(served.url, http_client=web), mode=MODES[version]) as client,
    ):
        assert client.protocol_version == version
        for tool in (await client.list_tools()).tools:
            assert structured(await client.call_tool(tool.name, CALLS[tool.name]))


def posted(served: Served, **headers: str) -> httpx2.Response:
    return httpx2.post(served.url, json=PING, headers=PLAIN | headers, timeout=WAIT)


@pytest.mark.parametrize(
    "given", ["", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ü"]
)
@requirement("server:http:token")
def test_without_the_right_token_nothing_is_served(served: Served, given: str) -> None:
    headers = [(b"accept", PLAIN["Accept"].encode())]
    headers += [(b"authorization", given.encode())] if given else []

    told = httpx2.post(served.url, json=PING, headers=headers, timeout=WAIT)

    assert (told.status_code, told.headers["www-authenticate"]) == (401, "Bearer")


@requirement("server:http:loopback")
def test_another_host_or_origin_is_refused_even_with_the_token(served: Served) -> None:
    key = {"Authorization": f"Bearer {TOKEN}"}

    assert posted(served, **key, Host="evil.example:80").status_code == 421
    assert posted(served, **key, Origin="http://evil.example").status_code == 403
    assert posted(served, **key, Origin=served.url.removesuffix("/mcp")).status_code not in (403, 421)


@requirement("server:http:loopback")
def test_it_listens_on_this_machine_only(served: Served) -> None:
    port = int(served.url.split(":")[2].split("/")[0])

    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")]

    assert listening == [f"0100007F:{port:04X}"]


@requirement("server:http:token")
def test_a_token_is_generated_and_printed_when_the_user_sets_none(
    shop: Path, env: dict[str, str]
) -> None:
    for made in serving(shop, env):
        token = made.said.split("token: ")[1].strip()
        allowed = posted(made, Authorization=f"Bearer {token}")
        refused = posted(made, Authorization=f"Bearer {TOKEN}")

    assert len(token) >= 32
    assert allowed.status_code != 401
    assert refused.status_code == 401


@requirement("server:http:token")
def test_a_token_that_the_user_sets_is_not_printed(served: Served) -> None:
    assert TOKEN not in served.said


@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(shop: Path, env: dict[str, str], way: signal.Signals) -> None:
    for made in serving(shop, env):
        made.process.send_signal(way)
        assert made.process.wait(WAIT) == 0


def refused(folder: Path, env: dict[str, str], *options: str) -> str:
    done = subprocess.run(
        [*SERVE, *options],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert done.returncode == 5, done
    return done.stderr


def test_invalid_options_are_refused_at_the_start(
    shop: Path, env: dict[str, str], served: Served
) -> None:
    taken = served.url.split(":")[2].split("/")[0]

    assert "the token is too short" in refused(shop, env, "--http", "--token", "short")
    assert "--token needs --http" in refused(shop, env, "--token", TOKEN)
    assert f"cannot listen on port {taken}" in refused(shop, env, "--http", "--port", taken)
