"""Progress of long work on standard error, and what a Ctrl-C during it left done."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from recollect.cli.output import console, verbosity
from recollect.records.store import Progress

_PATIENCE = 1.0  # seconds that may pass in silence on a terminal
_PIPE_PATIENCE = 10.0  # seconds between two lines where nobody watches
_NOTHING_CHANGED = "nothing was changed"

Unit = Literal["items", "bytes"]


@dataclass(slots=True)
class Interruption:
    """How far the work came that a Ctrl-C ended, as a sentence; empty when none was under way."""

    text: str = ""


interruption = Interruption()


@contextmanager
def progress(what: str, left: str = _NOTHING_CHANGED, *, unit: Unit = "items") -> Iterator[Progress]:
    """Report work that may take long: a bar after a second on a terminal, else a line every ten seconds.

    `what` names the work ("Reading memories"); `left` says what a Ctrl-C leaves ("run it again to continue").
    Both appear in time even if the work reports nothing, because one call blocks.
    """
    shown = _Bar(what, unit) if sys.stderr.isatty() else _Lines(what, unit)
    ended = threading.Event()
    if not verbosity.quiet:
        threading.Thread(target=_watch, args=(shown, ended), daemon=True).start()
    try:
        yield shown.report
    except KeyboardInterrupt:
        interruption.text = _stopped(what, _amount(shown.done, shown.total, unit), left)
        raise
    finally:
        ended.set()
        shown.close()


def _watch(shown: "_Bar | _Lines", ended: threading.Event) -> None:
    while not ended.wait(shown.patience):
        shown.appear()


def _stopped(what: str, amount: str, left: str) -> str:
    work = what[:1].lower() + what[1:]
    done = f", {amount} done" if amount else ""
    return f"interrupted while {work}{done}; {left}"


def _amount(done: int, total: int, unit: Unit) -> str:
    """How much of how much; empty when nothing is known."""
    if not total:
        return ""
    if unit == "bytes":
        return f"{done / 1e6:.1f} of {total / 1e6:.1f} MB"
    return f"{done:,} of {total:,}"


@dataclass(slots=True)
class _Lines:
    """Progress where there is no terminal: a line now and then, so that a log shows what takes so long."""

    what: str
    unit: Unit
    done: int = 0
    total: int = 0
    patience: float = _PIPE_PATIENCE
    _next: float = field(default_factory=lambda: time.monotonic() + _PIPE_PATIENCE)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def report(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if not verbosity.quiet:
            self.appear()

    def appear(self) -> None:
        with self._lock:
            if time.monotonic() < self._next:
                return
            self._next = time.monotonic() + _PIPE_PATIENCE
            amount = _amount(self.done, self.total, self.unit)
            line = f"recollect: {self.what}" + (f": {amount}" if amount else " ...")
            print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Print nothing from now on."""
        with self._lock:
            self._next = float("inf")


class _Bar:
    """Progress on a terminal: a bar that appears after a second and is gone at the end."""

    patience = _PATIENCE

    def __init__(self, what: str, unit: Unit) -> None:
        self.what, self.unit, self.done, self.total = what, unit, 0, 0
        self._start, self._drawn = time.monotonic(), 0.0
        self._bar: _Rich | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def report(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        now = time.monotonic()
        if verbosity.quiet or now < self._start + _PATIENCE or now < self._drawn + 0.1:
            return
        self._drawn = now
        self.appear()

    def appear(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            if self._bar is None:
                self._bar = _Rich(self.what, self.unit)
            self._bar.draw(self.done, self.total)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._bar is not None:
                self._bar.close()


class _Rich:
    """The bar itself, whose library is loaded for it alone."""

    def __init__(self, what: str, unit: Unit) -> None:
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
        self._bars = Progress(*columns, console=console(stderr=True), transient=True)
        self._task = self._bars.add_task(what, total=None)
        self._bars.start()

    def draw(self, done: int, total: int) -> None:
        self._bars.update(self._task, completed=done, total=total or None)

    def close(self) -> None:
        self._bars.stop()
