"""A terminal that reads single keys and shows one screen. It is restored however the program ends."""

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENTER = "\x1b[?1049h\x1b[?25l"  # another screen, no cursor
_LEAVE = "\x1b[?25h\x1b[?1049l"
_CLEAR = "\x1b[H\x1b[2J"
_KEYS = {"\x1b[A": "k", "\x1b[B": "j", "\x1bOA": "k", "\x1bOB": "j", "\x1b[5~": "b", "\x1b[6~": " "}
_LOOK_AGAIN = 0.25  # seconds after which a changed size is noticed
_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


class RawTerminal:
    """The terminal of this process. Use it inside `opened_terminal`."""

    def __init__(self) -> None:
        self._input, self._output = sys.stdin.fileno(), sys.stdout.fileno()
        self._usual = termios.tcgetattr(self._input)
        self._size = self.size

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; 80 by 24 where the terminal does not say."""
        try:
            columns, rows = os.get_terminal_size(self._output)
        except OSError:
            columns, rows = 0, 0
        return columns or 80, rows or 24

    def enter(self) -> None:
        """Take the screen."""
        tty.setcbreak(self._input)
        self._write(_ENTER)

    def leave(self) -> None:
        """Give the screen back, as it was before."""
        self._write(_LEAVE)
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._usual)

    def show(self, lines: list[str]) -> None:
        """Replace what is shown."""
        self._write(_CLEAR + "\r\n".join(lines))

    def key(self) -> str:
        """The next key, or '' when the screen has another size or the terminal was given back to us.

        Arrows are `j` and `k`. Raises EOFError when there is no terminal any more.
        """
        while True:
            ready, _, _ = select.select([self._input], [], [], _LOOK_AGAIN)
            if ready:
                data = os.read(self._input, 64)
                if not data:
                    raise EOFError
                text = data.decode("utf-8", "replace")
                return _KEYS.get(text, text)
            if self.size != self._size:
                self._size = self.size
                return ""

    @contextmanager
    def lent(self) -> Iterator[None]:
        """The terminal as other programs want it: for an editor, or a question that takes a line."""
        self.leave()
        try:
            yield
        finally:
            self.enter()

    def suspend(self, _number: int, _frame: FrameType | None) -> None:
        """Stop, as Ctrl-Z asks, with the terminal restored; go on with the screen."""
        self.leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self.enter()
        self._size = (0, 0)  # so that it is drawn again

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(self._output, data) :]


@contextmanager
def opened_terminal() -> Iterator[RawTerminal]:
    """The terminal as one screen, restored at the end: after Ctrl-C, an error, SIGTERM or SIGHUP too.

    Ctrl-Z stops the program with the terminal restored, and takes the screen again when it goes on.
    """
    terminal = RawTerminal()

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in _ENDINGS}
    before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, terminal.suspend)
    terminal.enter()
    try:
        yield terminal
    finally:
        terminal.leave()
        for number, handler in before.items():
            signal.signal(number, handler)
