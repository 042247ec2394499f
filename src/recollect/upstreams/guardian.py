"""A process between us and one upstream server, so that the server never outlives us.

Run as a script: `python -I -S guardian.py LOG COMMAND ARGUMENT...`. The server gets our standard input and
output; its standard error goes to LOG, which is bounded. When the process that started the guardian is gone,
however it ended, or a signal asks for it, the guardian ends the server with all its descendants: also those
that ignore the end of their input, and those that left its process group. On Linux the guardian is two
processes, so that either does that when the other is killed. Standard library only.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

LOG_BYTES = 1_000_000  # of a log; the one before is stored beside it
GRACE = 0.5  # seconds between asking and killing
_KILLS = 500  # rounds; only what the kernel cannot kill survives them
_POLL = 0.5  # seconds between two looks at the parent, where the kernel does not tell
_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36
_ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_NOT_STARTED = 127


def main(log: str, command: list[str]) -> int:
    """Run the command until it ends or we must; returns its exit code."""
    if sys.platform != "linux":
        return _guard(log, command)
    parent, inner = os.getppid(), 0
    _prctl(
        _SET_CHILD_SUBREAPER, 1
    )  # what the server leaves behind becomes the inner guardian's, or ours
    signal.pthread_sigmask(signal.SIG_BLOCK, _ASKING)
    if not (inner := os.fork()):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKING)
        return _guard(log, command)
    for number in _ASKING:
        signal.signal(number, lambda number, _: os.kill(inner, number))  # a zombie takes signals, too
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKING)
    _prctl(_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(inner, signal.SIGTERM)
    _leave_pipes_to_the_server()
    os.waitid(os.P_PID, inner, os.WEXITED | os.WNOWAIT)
    for number in _ASKING:
        signal.signal(number, signal.SIG_IGN)
    code = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
    if code < 0:  # it was killed, and could not end what it ran
        _end(None)
    return code if code >= 0 else 128 - code


def _guard(log: str, command: list[str]) -> int:
    """Run the command, and end it when the process above is gone or a signal comes."""
    parent = os.getppid()
    _prctl(_SET_CHILD_SUBREAPER, 1)
    signals: list[
        int
    ] = []  # noted and not raised: an exception in the middle of the end would leave children
    for number in _ASKING:
        signal.signal(number, lambda number, _: signals.append(number))
    _prctl(_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        return 0  # it ended before the kernel knew that we want to hear of it
    errors, written = os.pipe()
    try:
        server = subprocess.Popen(
            command,
            stderr=written,
            start_new_session=True,
            preexec_fn=_die_with_guardian,  # noqa: PLW1509 - there is one thread
        )
    except OSError as error:
        _Log(log).write(f"cannot start {command[0]!r}: {error.strerror}\n".encode())
        return _NOT_STARTED
    try:
        os.close(written)
        _leave_pipes_to_the_server()
        return _watch(server, errors, _Log(log), lambda: bool(signals) or os.getppid() != parent)
    finally:
        _end(server)


def _watch(
    server: "subprocess.Popen[bytes]", errors: int, log: "_Log", must_end: Callable[[], bool]
) -> int:
    """Copy the server's errors to the log until it ends, or we must."""
    ended, signalled = os.pipe()
    os.set_blocking(signalled, False)
    signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    sources = [errors, ended]
    while not must_end():
        code = server.poll()
        ready = select.select(sources, [], [], _POLL if code is None else 0)[0]
        if errors in ready:
            chunk = os.read(errors, 65_536)
            log.write(chunk)
            sources = sources if chunk else [ended]
        elif code is not None:
            return code if code >= 0 else 128 - code
        if ended in ready:
            os.read(ended, 4096)
    return 0


def _leave_pipes_to_the_server() -> None:
    """Close our copies of its input and output, or their end would never be seen."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)


def _end(server: "subprocess.Popen[bytes] | None") -> None:
    """End the server, where it is our child, and every process below us."""
    _signal_all(server, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while _living(server) and time.monotonic() < deadline:
        time.sleep(0.01)
    for _ in range(_KILLS):  # counted, because on a busy machine any time may pass before the first
        if not _living(server):
            return
        _signal_all(server, signal.SIGKILL)
        time.sleep(0.01)


def _signal_all(server: "subprocess.Popen[bytes] | None", number: int) -> None:
    if server is not None:
        with suppress(OSError):
            os.killpg(server.pid, number)
    for process in _descendants():
        with suppress(OSError):
            os.kill(process, number)


def _living(server: "subprocess.Popen[bytes] | None") -> bool:
    """Whether anything that we are responsible for is alive; reaps what is not."""
    if server is not None:
        server.poll()
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _descendants() -> list[int]:
    """All processes below this one, where /proc lists them; orphans among them are our children."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    status = file.read()
            except OSError:
                continue
            children.setdefault(int(status.rpartition(b")")[2].split()[1]), []).append(int(name))
    below, waiting = [], [os.getpid()]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            below.append(child)
            waiting.append(child)
    return below


def _die_with_guardian() -> None:
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    """Ask the kernel of Linux; elsewhere looking at the parent must do."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def open_log(path: str) -> int:
    """Open a private file to append to; never through a link."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)


class _Log:
    """A file that starts over when it is long; the one before is stored as `.1`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = open_log(path)

    def write(self, chunk: bytes) -> None:
        """Append; a full disk loses the line and nothing else."""
        try:
            if os.fstat(self._file).st_size + len(chunk) > LOG_BYTES:
                os.close(self._file)
                os.replace(self._path, self._path + ".1")
                self._file = open_log(self._path)
            os.write(self._file, chunk)
        except OSError:
            pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
