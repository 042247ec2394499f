"""A real pseudo-terminal, with somebody typing at it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.cli.running import Cli

_SECONDS = 20.0  # the most a question may take to appear
_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# The first terminal that a session opens becomes its own, and only then does Ctrl-C reach it; a test run in
# the background ignores Ctrl-C, and what it starts would too.
_TAKE_TERMINAL = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.open(os.ttyname(0), os.O_RDWR)
os.execv(sys.argv[1], sys.argv[1:])
"""


@dataclass(slots=True)
class Terminal:
    """What a command shows on a terminal, and a keyboard."""

    process: "subprocess.Popen[bytes]"
    handle: int
    raw: str = ""
    _seen: int = 0

    @property
    def shown(self) -> str:
        """All that was shown, without colours."""
        return _STYLE.sub("", self.raw).replace("\r\n", "\n")

    def answer(self, question: str, text: str) -> None:
        """Wait for a question, then type the answer and press Enter."""
        self.wait_for(question)
        self.press(f"{text}\n")

    def press(self, keys: str) -> None:
        os.write(self.handle, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for(self, text: str) -> None:
        """Read until `text` appears behind what was waited for before."""
        deadline = time.monotonic() + _SECONDS
        while (found := self.shown.find(text, self._seen)) < 0:
            assert time.monotonic() < deadline, f"{text!r} never appeared in {self.shown!r}"
            assert self._read(), f"ended without {text!r}: {self.shown!r}"
        self._seen = found + len(text)

    def finish(self, keys: str = "") -> int:
        """Press `keys`, read to the end; the exit code.

        The keys are pressed again while nothing happens: Python misses an interruption that comes in the
        instant before it begins to read.
        """
        deadline = time.monotonic() + _SECONDS
        self.press(keys)
        while True:
            ready, _, _ = select.select([self.handle], [], [], 1.0 if keys else _SECONDS)
            if ready and not self._read():
                return self.process.wait(_SECONDS)
            if not ready:
                assert time.monotonic() < deadline, f"nothing happened: {self.shown!r}"
                self.press(keys)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.handle], [], [], _SECONDS)
        assert ready, f"nothing happened: {self.shown!r}"
        try:
            data = os.read(self.handle, 4096)
        except OSError:  # how Linux says that the other side is closed
            return False
        self.raw += data.decode("utf-8", "replace")
        return bool(data)


@contextmanager
def terminal(cli: Cli, *arguments: str, **env: str) -> Iterator[Terminal]:
    """Run a command on a terminal of its own."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", _TAKE_TERMINAL, sys.executable, "-m", "recollect", *arguments]
    colours = {name: value for name, value in cli.env.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        command,
        cwd=cli.folder,
        env=colours | {"TERM": "xterm-256color"} | env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
