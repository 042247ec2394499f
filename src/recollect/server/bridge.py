"""From the event loop to the domain, which is synchronous: one thread at a time, and a way to stop.

The lock is held on this side of the thread, so a request that is cancelled while it waits never starts.
Work that has started stops where it next tells its progress; a write is short and is finished.
"""

import concurrent.futures
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import anyio
from anyio import from_thread, to_thread

from recollect.app.project import Recollect
from recollect.records.store import Progress

Report = Callable[[int, int], Coroutine[Any, Any, None]]  # done, of how many
TELL_EVERY = 0.2  # seconds: work that is done sooner says nothing

_T = TypeVar("_T")


@dataclass(slots=True)
class Bridge:
    """One project's memory, asked by many tasks.

    It is opened when it is first asked: a server that starts before `recollect init` serves after it.
    """

    opener: Callable[[], Recollect]
    tell_every: float = TELL_EVERY
    _opened: Recollect | None = None
    _turn: anyio.Lock = field(default_factory=anyio.Lock)

    async def run(
        self,
        work: Callable[[Recollect, Progress], _T],
        report: Report | None = None,
        patience: float | None = None,
    ) -> _T:
        """Do `work` in a thread when its turn has come; TimeoutError if that is not within patience."""
        with anyio.fail_after(patience):
            await self._turn.acquire()
        try:
            return await to_thread.run_sync(partial(self._work, work, report))
        finally:
            self._turn.release()

    def _work(self, work: Callable[[Recollect, Progress], _T], report: Report | None) -> _T:
        if self._opened is None:
            self._opened = self.opener()
        return work(self._opened, _progress(report, self.tell_every))

    async def settle(self, seconds: float) -> None:
        """Wait until the work that is under way is done, but no longer than this."""
        with anyio.move_on_after(seconds):
            async with self._turn:
                return


def _progress(report: Report | None, every: float) -> Progress:
    """How work tells its progress: to whoever asked, not too often, and it ends if nobody waits."""
    told_at, furthest = time.monotonic(), -1

    def tell(done: int, total: int) -> None:
        nonlocal told_at, furthest
        from_thread.check_cancelled()
        now = time.monotonic()
        if report is None or now - told_at < every or done <= furthest:
            return
        told_at, furthest = now, done
        try:
            from_thread.run(report, done, total)
        except concurrent.futures.CancelledError:
            from_thread.check_cancelled()
            raise

    return tell
