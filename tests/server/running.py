"""Clients and processes to test the server with: the official client, and one without a library."""

import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

WAIT = 20.0  # seconds: a machine under load is slow, a hanging server is for ever
SERVE = [sys.executable, "-m", "recollect", "serve"]
OLD, NEW = "2025-11-25", "2026-07-28"
MODES = {OLD: "legacy", NEW: NEW}
META = "io.modelcontextprotocol"


def over_stdio(folder: Path, env: dict[str, str], version: str) -> Client:
    """The official client, with the server as its child."""
    command, *rest = SERVE
    server = StdioServerParameters(command=command, args=rest, cwd=folder, env=env)
    return Client(server, mode=MODES[version], read_timeout_seconds=WAIT)


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


def structured(result: CallToolResult) -> dict[str, Any]:
    """The structured content of a result that is no error."""
    assert not result.is_error, text_of(result)
    content: dict[str, Any] = result.structured_content
    return content


@dataclass(slots=True)
class RawClient:
    """A client that writes its own JSON, a line each, and knows no library."""

    process: "subprocess.Popen[bytes]"
    version: str
    notifications: list[dict[str, Any]] = field(default_factory=list)
    _last: int = 0

    def send(self, method: str, params: dict[str, Any], *, id: int | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": dict(params)}
        if self.version == NEW:
            envelope = {f"{META}/protocolVersion": NEW, f"{META}/clientCapabilities": {}}
            message["params"]["_meta"] = envelope | params.get("_meta", {})
        if id is not None:
            message["id"] = id
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request; its id."""
        self._last += 1
        self.send(method, params or {}, id=self._last)
        return self._last

    def next(self) -> dict[str, Any]:
        """The next message."""
        stream = self.process.stdout
        assert stream is not None
        ready, _, _ = select.select([stream], [], [], WAIT)
        assert ready, "the server said nothing"
        found: dict[str, Any] = json.loads(stream.readline())
        return found

    def answer(self, id: int) -> dict[str, Any]:
        """The answer to a request; what comes before it is kept."""
        while True:
            message = self.next()
            if message.get("id") == id and "method" not in message:
                return message
            self.notifications.append(message)

    def result(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result of a request that must succeed."""
        answer = self.answer(self.ask(method, params))
        assert "result" in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    def begin(self) -> dict[str, Any]:
        """Say hello, as the version has it."""
        if self.version == NEW:
            return self.result("server/discover")
        about = {"protocolVersion": OLD, "capabilities": {}}
        told = self.result("initialize", about | {"clientInfo": {"name": "by-hand", "version": "1"}})
        self.send("notifications/initialized", {})
        return told


@contextmanager
def raw_client(folder: Path, env: dict[str, str], version: str) -> Iterator[RawClient]:
    """The server as a child of ours; ended, and gone, when the block ends."""
    with started(SERVE, folder, env) as process:
        yield RawClient(process, version)


@contextmanager
def started(
    command: list[str], folder: Path, env: dict[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """A process with pipes, ended by closing its input."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, env=env, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0
    ) as process:
        try:
            yield process
            assert process.stdin is not None
            process.stdin.close()
            process.wait(WAIT)
        finally:
            process.kill()


def ends(pid: int, within: float = WAIT) -> bool:
    """Whether a process that need not be our child ends in time."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watch], [], [], within)[0])
    finally:
        os.close(watch)


def servers_in(folder: Path) -> list[int]:
    """The ids of the servers that run in a folder, from the process table."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if entry.name.isdigit() and b"serve" in words and (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def socket_of(folder: Path) -> Path:
    return folder / ".claude" / "memory" / ".recollect" / "hook.sock"


def ask_socket(path: Path, request: bytes) -> bytes:
    """Say something to the warm path; everything that it answers, nothing if it hangs up or is full."""
    answer = b""
    with socket.socket(socket.AF_UNIX) as line, suppress(ConnectionError, BlockingIOError):
        line.settimeout(WAIT)
        line.connect(str(path))
        line.sendall(request)
        while part := line.recv(65536):
            answer += part
    return answer


def until(there: Path) -> None:
    """Wait for a file to appear, without sleeping longer than it takes."""
    turn = threading.Event()
    for _ in range(int(WAIT / 0.02)):
        if there.exists():
            return
        turn.wait(0.02)
    raise AssertionError(f"{there} did not appear")
