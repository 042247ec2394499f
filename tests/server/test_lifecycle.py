"""What a server runs: started in order, stopped in reverse, gone with its client. By the process table."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from tests.requirements import requirement
from tests.server.running import (
    NEW,
    OLD,
    SERVE,
    WAIT,
    RawClient,
    ask_socket,
    ends,
    over_stdio,
    raw_client,
    servers_in,
    socket_of,
    started,
    until,
)
from tests.server.test_hook_socket import QUESTION
from tests.tools.some_tools import SomeTools

from recollect.app import shutdown
from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.server.hook_socket import HookSocket
from recollect.server.lifecycle import STOP_WITHIN, WRITES_WITHIN, live


class LoggingTools(SomeTools):
    """Tools that log their start and stop."""

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self.log = log


class OneRequest:
    """A transport that serves nobody and returns, or fails."""

    def __init__(self, log: list[str], error: Exception | None = None) -> None:
        self.log = log
        self.error = error

    async def serve(self) -> None:
        self.log.append("serve")
        if self.error is not None:
            raise self.error

    async def stop(self) -> None:
        self.log.append("end of calls")


@pytest.mark.anyio
@requirement("server:life:order")
async def test_tools_start_before_the_transport_and_stop_after_it(project: Recollect) -> None:
    log: list[str] = []
    hook_socket = HookSocket(ProjectWorker(lambda: project))
    with anyio.fail_after(WAIT):
        await live(OneRequest(log), LoggingTools(log), hook_socket, os.getppid())

    assert log == ["start", "serve", "end of calls", "stop"]


@pytest.mark.anyio
@requirement("server:life:order")
async def test_tools_are_stopped_when_the_transport_fails(project: Recollect) -> None:
    log: list[str] = []
    hook_socket = HookSocket(ProjectWorker(lambda: project))
    with anyio.fail_after(WAIT), pytest.raises(ExceptionGroup) as raised:
        await live(OneRequest(log, OSError("port")), LoggingTools(log), hook_socket, os.getppid())

    assert raised.group_contains(OSError, match="port")
    assert log == ["start", "serve", "end of calls", "stop"]


@pytest.mark.anyio
@requirement("workflow:stop:writes")
async def test_writes_have_their_time_before_tools_are_stopped(project: Recollect) -> None:
    log: list[str] = []
    left: list[float] = []
    hook_socket = HookSocket(ProjectWorker(lambda: project))

    async def finish_writes() -> None:
        log.append("writes")
        left.append(anyio.current_effective_deadline() - anyio.current_time())

    with anyio.fail_after(WAIT):
        await live(OneRequest(log), LoggingTools(log), hook_socket, os.getppid(), finish_writes)

    assert log == ["start", "serve", "end of calls", "writes", "stop"]
    assert WRITES_WITHIN < left[0] <= WRITES_WITHIN + STOP_WITHIN


@requirement("server:life:order")
def test_a_call_that_cannot_be_woken_does_not_keep_the_server_from_ending(
    shop: Path, env: dict[str, str]
) -> None:
    with started([sys.executable, "-c", STUCK], shop, env) as process:
        client = RawClient(process, OLD)
        client.begin()
        client.ask("tools/call", {"name": "memory_health", "arguments": {}})
        assert process.stderr is not None
        assert process.stderr.readline() == b"stuck\n"
        process.terminate()

        assert process.wait(WAIT) == 0


def test_only_the_lifecycle_ends_the_process() -> None:
    package = Path(shutdown.__file__).parents[1]
    modules = [path for door in ("app", "server", "web") for path in (package / door).glob("*.py")]

    assert [path.name for path in modules if "os._exit" in path.read_text()] == ["shutdown.py"]
    assert [path.name for path in modules if "end_process()" in path.read_text()] == [
        "shutdown.py",
        "lifecycle.py",
        "serving.py",
    ]


STUCK = """
import sys, threading
from recollect.server import stdio
from recollect.server.memory_tools import MemoryTools
from recollect.app.worker import ProjectWorker
def never():
    print("stuck", file=sys.stderr, flush=True)
    threading.Event().wait()
worker = ProjectWorker(never)
stdio.serve(worker, MemoryTools(worker))
"""
CLIENT = """
import sys, anyio
from mcp import Client, StdioServerParameters
async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "recollect", "serve"])
    async with Client(server) as client:
        await client.call_tool("memory_search", {"query": "login"})
        print("connected", flush=True)
        await anyio.sleep_forever()
anyio.run(main)
"""
HOLDER = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "recollect", "serve"])
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.anyio
@requirement("server:life:ends-with-client")
async def test_no_process_is_left_when_the_client_ends(
    shop: Path, env: dict[str, str], version: str
) -> None:
    async with over_stdio(shop, env, version) as client:
        await client.call_tool("memory_search", {"query": "login"})
        [server] = servers_in(shop)

    assert ends(server)
    assert servers_in(shop) == []
    assert not socket_of(shop).exists()


@requirement("server:life:ends-with-client")
def test_no_process_is_left_when_the_client_is_killed(shop: Path, env: dict[str, str]) -> None:
    with started([sys.executable, "-c", CLIENT], shop, env) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == b"connected\n"
        [server] = servers_in(shop)
        client.kill()

        assert ends(server)
    assert servers_in(shop) == []
    assert not socket_of(shop).exists()


@requirement("server:life:ends-with-parent")
def test_a_server_whose_parent_is_killed_ends_though_its_input_stays_open(
    shop: Path, env: dict[str, str]
) -> None:
    with started([sys.executable, "-c", HOLDER], shop, env) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        until(socket_of(shop))
        os.kill(parent.pid, signal.SIGKILL)

        assert ends(server)
    assert not socket_of(shop).exists()


@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(shop: Path, env: dict[str, str], way: signal.Signals) -> None:
    with raw_client(shop, env, OLD) as client:
        client.begin()
        until(socket_of(shop))
        client.process.send_signal(way)

        assert client.process.wait(WAIT) == 0
        assert not socket_of(shop).exists()


def test_a_server_that_was_killed_leaves_a_socket_that_the_next_one_replaces(
    shop: Path, env: dict[str, str]
) -> None:
    state = socket_of(shop).parent
    with raw_client(shop, env, NEW) as client:
        client.begin()
        until(path := socket_of(shop))
        client.process.kill()
        client.process.wait(WAIT)
    left = {entry.name for entry in state.iterdir() if entry.is_socket()}
    dead = path.lstat().st_ino
    with raw_client(shop, env, NEW) as client:
        client.begin()
        while path.lstat().st_ino == dead:
            client.result("tools/list")
        answer = ask_socket(path, QUESTION)

    assert left == {"hook.sock"}
    assert b'"hits"' in answer
    assert not path.exists()


@requirement("server:life:ends-with-client")
def test_a_server_whose_input_is_empty_ends_at_once(shop: Path, env: dict[str, str]) -> None:
    done = subprocess.run(
        SERVE,
        cwd=shop,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=WAIT,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, b"")


def test_help_does_not_load_the_protocol() -> None:
    script = (
        "import sys, io\n"
        "sys.argv = ['recollect', 'serve', '--help']\n"
        "shown, sys.stdout = sys.stdout, io.StringIO()\n"
        "from recollect.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print({'mcp', 'anyio', 'asyncio', 'recollect.server'} & set(sys.modules), file=shown)\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"


@requirement("server:memory:idle")
def test_an_idle_server_stays_small(shop: Path, env: dict[str, str]) -> None:
    with raw_client(shop, env, NEW) as client:
        client.begin()
        client.result("tools/call", {"name": "memory_search", "arguments": {"query": "login"}})
        status = Path(f"/proc/{client.process.pid}/status").read_text()

    kilobytes = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
    assert kilobytes < 150 * 1024
