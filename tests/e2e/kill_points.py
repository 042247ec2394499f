"""kill -9 at a chosen step of a process: a call that changes the disk, or an exchange with a database."""

import fcntl
import io
import os
import signal
from collections.abc import Callable
from typing import Any, Literal

import psycopg

When = Literal["before", "after", "halfway"]
CALLS = ("open", "write", "fsync", "close", "replace", "unlink", "mkdir", "utime", "rename")
WRITES = (
    os.O_WRONLY | os.O_RDWR | os.O_CREAT
)  # a file opened in another way changes nothing on the disk
_EXCHANGE = "psycopg.wait"


def trip(number: int, when: When) -> None:
    """Make the n-th call that changes the disk or asks a database the last one of this process.

    Files opened for writing in any other way than by the write path's own calls count as well, so that
    a step that is not one of them cannot go by unseen. Halfway means half of the bytes of a write, and a
    statement that is sent and not answered.
    """
    seen = 0

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal seen
            if not _counts(name, arguments, options):
                return real(*arguments, **options)
            seen += 1
            last = seen == number
            if last and when == "halfway":
                _do_half(name, real, arguments)
            if last and when != "after":
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                return real(*arguments, **options)
            finally:
                if last:
                    os.kill(os.getpid(), signal.SIGKILL)

        return call

    for name in CALLS:
        setattr(os, name, wrapped(name, getattr(os, name)))
    io.open = wrapped("io.open", io.open)  # what pathlib opens files with
    setattr(psycopg.Connection, "wait", wrapped(_EXCHANGE, psycopg.Connection.wait))  # noqa: B010


def _counts(name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> bool:
    match name:
        case "io.open":
            mode = str(arguments[1] if len(arguments) > 1 else options.get("mode", "r"))
            return bool({*mode} & {*"wax+"})
        case "open":
            return bool(arguments[1] & WRITES)
        case "close":
            return bool(fcntl.fcntl(arguments[0], fcntl.F_GETFL) & WRITES)
        case _:
            return True


def _do_half(name: str, real: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    if name == "write":
        real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
    elif name == _EXCHANGE:
        next(arguments[1], None)


def killed(number: int, when: When, action: Callable[[], object]) -> bool:
    """Run the action in a child that dies at its n-th call; False when it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            trip(number, when)
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False
