"""Progress of long work on standard error, and what a Ctrl-C during it left done."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from recollect.cli.output import console, verbosity
from recollect.records.store import Progress

_PATIENCE = 1.0  # seconds that may pass in silence on a terminal
_PIPE_PATIENCE = 10.0  # seconds between two lines where nobody watches
_NOTHING_CHANGED = "nothing was changed"


@dataclass(slots=True)
class Interruption:
    """How far the work came that a Ctrl-C ended, as a sentence; empty when none was under way."""

    text: str = ""


interruption = Interruption()


@contextmanager
def progress(what: str, left: str = _NOTHING_CHANGED) -> Iterator[Progress]:
    """Report work that may take long: a bar after a second on a terminal, else a line every ten seconds.

    `what` names the work ("Reading memories"); `left` says what a Ctrl-C leaves ("run it again to go on").
    """
    shown = _Bar(what) if sys.stderr.isatty() else _Lines(what)
    try:
        yield shown.report
    except KeyboardInterrupt:
        interruption.text = _stopped(what, shown.done, shown.total, left)
        raise
    finally:
        shown.close()


def _stopped(what: str, done: int, total: int, left: str) -> str:
    work = what[:1].lower() + what[1:]
    return (
        f"interrupted while {work}, {done:,} of {total:,} done; {left}"
        if total
        else (f"interrupted while {work}; {left}")
    )


@dataclass(slots=True)
class _Lines:
    """Progress where there is no terminal: a line now and then, so that a log shows what takes so long."""

    what: str
    done: int = 0
    total: int = 0
    _next: float = field(default_factory=lambda: time.monotonic() + _PIPE_PATIENCE)

    def report(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if not verbosity.quiet and time.monotonic() >= self._next:
            self._next = time.monotonic() + _PIPE_PATIENCE
            print(f"recollect: {self.what}: {done:,} of {total:,}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Nothing to take away."""


class _Bar:
    """Progress on a terminal: a bar that appears after a second and is gone at the end."""

    def __init__(self, what: str) -> None:
        self.what, self.done, self.total = what, 0, 0
        self._start, self._drawn = time.monotonic(), 0.0
        self._bar: _Rich | None = None

    def report(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        now = time.monotonic()
        if verbosity.quiet or now < self._start + _PATIENCE or now < self._drawn + 0.1:
            return
        self._drawn = now
        if self._bar is None:
            self._bar = _Rich(self.what)
        self._bar.draw(done, total)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Rich:
    """The bar itself, whose library is loaded for it alone."""

    def __init__(self, what: str) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bars = Progress(
            *columns, TimeRemainingColumn(), console=console(stderr=True), transient=True
        )
        self._task = self._bars.add_task(what, total=None)
        self._bars.start()

    def draw(self, done: int, total: int) -> None:
        self._bars.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._bars.stop()
