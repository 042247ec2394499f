"""From the event loop to the domain, which is synchronous: one thread at a time, and a way to stop.

The lock is held on this side of the thread, so a request that is cancelled while it waits never starts.
Work that has started stops where it next reports progress; a write is short and runs to its end.
"""

import concurrent.futures
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import from_thread, to_thread

from recollect.app.project import Recollect
from recollect.records.store import Progress

if TYPE_CHECKING:
    from recollect.tools.caller import Report

REPORT_EVERY = 0.2  # seconds: work that takes less reports nothing
LOG_AFTER = 1.0  # seconds that work may take before the log says how far it is
LOG_EVERY = 10.0  # seconds between two such lines

_LOG = logging.getLogger(__name__)

_T = TypeVar("_T")


@dataclass(slots=True)
class ProjectWorker:
    """Runs work on one project's memory for many tasks, one piece of work at a time.

    The first work opens the project: a server that starts before `recollect init` serves after it.
    """

    opener: Callable[[], Recollect]
    report_every: float = REPORT_EVERY
    _opened: Recollect | None = None
    _turn: anyio.Lock = field(default_factory=anyio.Lock)
    _waiting: int = 0
    _used_at: float = field(default_factory=time.monotonic)

    @property
    def is_wanted(self) -> bool:
        """Whether work waits for its turn. Any thread may ask."""
        return self._waiting > 0

    @property
    def idle_seconds(self) -> float:
        """How long ago the last work was done or asked for, apart from `run_idle`."""
        return 0.0 if self._waiting else time.monotonic() - self._used_at

    async def run(
        self,
        work: Callable[[Recollect, Progress], _T],
        report: "Report | None" = None,
        patience: float | None = None,
    ) -> _T:
        """Do `work` in a thread when its turn comes; TimeoutError if that takes longer than `patience`."""
        self._waiting += 1
        try:
            with anyio.fail_after(patience):
                await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            return await to_thread.run_sync(partial(self._work, work, report))
        finally:
            self._used_at = time.monotonic()
            self._turn.release()

    async def run_idle(self, work: Callable[[Recollect, Progress], _T]) -> _T:
        """Do `work` that nobody waits for, and that ends soon when something `is_wanted`."""
        async with self._turn:
            return await to_thread.run_sync(partial(self._work, work, None, is_idle=True))

    def _work(
        self,
        work: Callable[[Recollect, Progress], _T],
        report: "Report | None",
        *,
        is_idle: bool = False,
    ) -> _T:
        if self._opened is None:
            self._opened = self.opener()
        reporting = _progress(report, self.report_every)
        return work(self._opened, reporting if is_idle else _logged(reporting))

    async def settle(self) -> None:
        """Wait until the work that is under way is done, and write what was recorded of it."""
        async with self._turn:
            if self._opened is not None:
                await to_thread.run_sync(self._opened.traces.write)


def _logged(progress: Progress) -> Progress:
    """The same, and a line in the log when somebody has waited for a second, then every ten."""
    due = time.monotonic() + LOG_AFTER

    def logged(done: int, total: int) -> None:
        nonlocal due
        progress(done, total)
        if time.monotonic() >= due:
            due = time.monotonic() + LOG_EVERY
            _LOG.warning("still working on memories: %s of %s done", f"{done:,}", f"{total:,}")

    return logged


def _progress(report: "Report | None", every: float) -> Progress:
    """How work reports progress: growing, at most once in `every` seconds. Cancelled work ends here."""
    reported_at, furthest = time.monotonic(), -1

    def progress(done: int, total: int) -> None:
        nonlocal reported_at, furthest
        from_thread.check_cancelled()
        now = time.monotonic()
        if report is None or now - reported_at < every or done <= furthest:
            return
        reported_at, furthest = now, done
        try:
            from_thread.run(report, done, total)
        except concurrent.futures.CancelledError:
            from_thread.check_cancelled()
            raise

    return progress
