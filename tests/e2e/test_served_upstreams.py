"""Servers behind real `serve` processes: shared by all of them, and gone with the last, however it ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement
from tests.server.running import ends
from tests.soak import times
from tests.upstreams.processes import wait_until_gone
from tests.upstreams.raw_client import SERVER

from recollect.app.gateway import open_gateway
from recollect.upstreams.broker_client import ask
from recollect.upstreams.lease_request import ControlRequest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are counted in /proc")

SESSIONS, SERVERS = 13, 6
WARM_UP, CALLS = 150, 300
ENDS = times(2)  # of each kind; RECOLLECT_SOAK=10 makes it 20
# A client that is a process of its own, between us and its server.
CLIENT = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    server.stdin.write(line)
    server.stdin.flush()
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


class Session:
    """One agent's connection: a client process, and the `serve` that it started."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        serve = [sys.executable, "-m", "recollect", "serve"]
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", CLIENT, *serve],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._last = 0
        self.start("initialize", HELLO)

    def start(self, method: str, params: dict[str, Any]) -> None:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The answer to the newest request."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._last and "method" not in message:
                return message
        raise EOFError("the server has ended")

    def call(self, tool: str, tries: int = 1) -> str:
        """What a tool says. A call that a dying broker took may fail; the next one finds another."""
        for _ in range(tries):
            self.start("tools/call", {"name": "call", "arguments": {"tool": tool, "arguments": {}}})
            result = self.answer()["result"]
            if not result.get("isError"):
                return str(result["content"][0]["text"])
        raise AssertionError(result)

    def serve_pid(self) -> int:
        (child,) = (
            Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        )
        return int(child)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        self.process.wait()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder with six servers that have listed their tools."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    entry = {"command": sys.executable, "args": ["-I", "-S", str(SERVER), str(tmp_path)]}
    servers = {f"server{number}": entry for number in range(SERVERS)}
    (folder / "gateway.json").write_text(json.dumps({"mcpServers": servers}))
    gateway = open_gateway({"RECOLLECT_HOME": str(folder), "HOME": str(tmp_path)})
    for name in servers:
        gateway.refresh(name)
    return folder


@pytest.fixture
def sessions(home: Path, tmp_path: Path) -> Iterator["list[Session]"]:
    opened: list[Session] = []
    yield opened
    for session in opened:
        session.close()
    assert wait_until_gone(str(tmp_path)) == set()


def open_sessions(sessions: "list[Session]", count: int, home: Path, project: Path) -> None:
    project.mkdir(exist_ok=True)
    env = {"RECOLLECT_HOME": str(home), "HOME": str(home.parent), "PATH": os.environ["PATH"]}
    sessions += [Session(project, env) for _ in range(count)]
    for session in sessions[-count:]:
        session.answer()


def states(home: Path) -> list[dict[str, Any]]:
    answer = ask(home, ControlRequest("states"))
    return [] if answer is None else list(answer["servers"])


@requirement("gateway:broker:shared")
@requirement("gateway:broker:separate")
def test_thirteen_sessions_of_six_servers_have_six_processes_and_another_project_its_own(
    sessions: list[Session], home: Path, tmp_path: Path
) -> None:
    open_sessions(sessions, SESSIONS, home, tmp_path / "ours")
    pids = {
        number: {session.call(f"server{number}:pid") for session in sessions}
        for number in range(SERVERS)
    }
    assert [len(of_server) for of_server in pids.values()] == [1] * SERVERS
    assert len(states(home)) == SERVERS

    open_sessions(sessions, 1, home, tmp_path / "theirs")

    assert sessions[-1].call("server0:pid") not in pids[0]


@requirement("gateway:upstreams:no-orphan")
@pytest.mark.parametrize("end", ["exit", "serve", "client"])
def test_nothing_is_left_of_sessions_that_exit_or_are_killed(
    sessions: list[Session], home: Path, tmp_path: Path, end: str
) -> None:
    open_sessions(sessions, ENDS, home, tmp_path / "project")
    for number, session in enumerate(sessions):
        session.call(f"server{number % SERVERS}:pid")
    assert sum(state["clients"] for state in states(home)) == ENDS
    serves = [session.serve_pid() for session in sessions]

    for session, serve in zip(sessions, serves, strict=True):
        if end == "exit":
            assert session.process.stdin is not None
            session.process.stdin.close()
        else:
            os.kill(serve if end == "serve" else session.process.pid, signal.SIGKILL)

    assert wait_until_gone(str(tmp_path), 60.0) == set()
    assert not [pid for pid in serves if _lives(pid)]


@requirement("gateway:upstreams:no-orphan")
def test_nothing_is_left_of_a_broker_that_is_killed_and_sessions_get_another(
    sessions: list[Session], home: Path, tmp_path: Path
) -> None:
    open_sessions(sessions, 2, home, tmp_path / "project")
    for _ in range(ENDS):
        servers = {int(session.call("server0:pid", tries=50)) for session in sessions}
        broker = ask(home, ControlRequest("states"))
        assert broker is not None
        os.kill(broker["pid"], signal.SIGKILL)

        assert all(ends(pid, 60.0) for pid in (*servers, broker["pid"]))

    assert sessions[0].call("server0:pid", tries=50)


@requirement("gateway:broker:flat")
def test_many_calls_leave_memory_and_descriptors_as_they_were(
    sessions: list[Session], home: Path, tmp_path: Path
) -> None:
    open_sessions(sessions, 1, home, tmp_path / "project")
    [session] = sessions
    for _ in range(WARM_UP):
        session.call("server0:pid")
    state = ask(home, ControlRequest("states"))
    assert state is not None
    processes = [session.serve_pid(), int(state["pid"])]
    before = [_usage(process) for process in processes]
    for _ in range(CALLS):
        session.call("server0:pid")

    for (pages, descriptors), process in zip(before, processes, strict=True):
        pages_now, descriptors_now = _usage(process)
        assert descriptors_now - descriptors < CALLS / 10  # a leak would be one per call
        assert pages_now < 1.05 * pages


def _usage(pid: int) -> tuple[int, int]:
    """Pages in memory, and open descriptors."""
    process = Path(f"/proc/{pid}")
    return int((process / "statm").read_text().split()[1]), len(list((process / "fd").iterdir()))


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
