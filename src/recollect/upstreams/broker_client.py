"""The way to the broker: connect to the one that runs, or start it. Blocking, and standard library only."""

import contextlib
import fcntl
import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from recollect import __version__
from recollect.interpreter import python
from recollect.private_socket import connect
from recollect.upstreams.guardian import LOG_BYTES, open_log
from recollect.upstreams.jsonrpc import Json
from recollect.upstreams.lease_request import ControlRequest, LeaseRequest, written_request
from recollect.upstreams.lines import LineBuffer

SOCKET_NAME, LOCK_NAME = f"broker-{__version__}.sock", f"broker-{__version__}.lock"
READY = b"ready\n"
START_SECONDS = 15.0  # for a broker to start, and for another client to have started it
_ANSWER_SECONDS = 10.0  # for a running broker to take a lease
_ATTEMPTS = 5  # a broker may end at the moment in which we reach it
# What the broker itself needs; each server gets the environment of its clients.
_ENVIRONMENT = (
    "HOME",
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "RECOLLECT_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
)


def open_lease(folder: Path, request: LeaseRequest, *, may_start: bool = True) -> socket.socket:
    """A connection that carries MCP with this server.

    Raises OSError where no broker can run, or none runs that we `may_start`.
    """
    folder = folder.resolve()
    for _ in range(_ATTEMPTS):
        line = _connected(folder) or (_started(folder) if may_start else None)
        if line is not None:
            if _exchange(line, written_request(request), _ANSWER_SECONDS) is not None:
                line.settimeout(None)
                return line
            line.close()
    raise OSError("no broker answers")


def ask(folder: Path, request: ControlRequest, seconds: float = 2.0) -> Json | None:
    """What a running broker answers; None if none runs. It never starts one."""
    try:
        line = connect(folder.resolve() / SOCKET_NAME)
    except OSError:
        return None
    with line:
        answer = _exchange(line, written_request(request), seconds)
    try:
        parsed = None if answer is None else json.loads(answer)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) and "servers" in parsed else None


def _connected(folder: Path) -> socket.socket | None:
    try:
        return connect(folder / SOCKET_NAME)
    except PermissionError:
        raise
    except OSError:
        return None


def _exchange(line: socket.socket, sent: bytes, seconds: float) -> bytes | None:
    """Send a line, and receive exactly one: what follows it belongs to somebody else."""
    line.settimeout(seconds)
    buffer = LineBuffer()
    try:
        line.sendall(sent)
        while part := line.recv(1):
            if lines := buffer.lines(part):
                return lines[0]
    except OSError:
        return None
    return None


def _started(folder: Path) -> socket.socket | None:
    """Start a broker; however many clients try at once, one of them does."""
    with _start_lock(folder):
        if (line := _connected(folder)) is not None:
            return line
        errors = _open_log(folder)
        try:
            process = subprocess.Popen(
                python("-m", "recollect.upstreams.broker", str(folder)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd="/",
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                start_new_session=True,
            )
        finally:
            os.close(errors)
        with process:
            assert process.stdout is not None
            select.select([process.stdout], [], [], START_SECONDS)
        return _connected(folder)


@contextlib.contextmanager
def _start_lock(folder: Path) -> Iterator[None]:
    """Held by the client that starts the broker; the kernel releases it if that client dies."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(folder / f"{LOCK_NAME}.start", flags, 0o600)
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        yield
    finally:
        os.close(lock)


def _open_log(folder: Path) -> int:
    """What the broker itself writes, which is nothing unless it fails. No server's name begins with `_`."""
    logs = folder / "gateway-logs"
    logs.mkdir(mode=0o700, exist_ok=True)
    log = open_log(str(logs / "_broker.log"))
    if os.fstat(log).st_size > LOG_BYTES:
        os.ftruncate(log, 0)
    return log
