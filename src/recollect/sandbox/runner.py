"""Running guests: one worker process each, from a pool that replaces those that die.

The interpreter's synchronous interface is driven in threads: its asynchronous one can abort a process of ours
while that ends.
"""

import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import anyio
from anyio import to_thread
from pydantic_monty import (
    CollectString,
    Monty,
    MontyCrashedError,
    MontyError,
    MontySession,
)

from recollect.sandbox.bridge import HostCalls
from recollect.sandbox.conversation import Conversation, Step
from recollect.sandbox.failures import failure_of
from recollect.sandbox.guest import Guest, GuestFailed, GuestOutcome, GuestSuspended
from recollect.sandbox.limits import LONGEST_CODE, GuestBudget, GuestLimits

_T = TypeVar("_T")
_PATIENCE = 30.0  # seconds that a guest waits for a worker
_LEAST_SECONDS = 0.05  # that a guest gets when nothing is left: enough to say so
MOST_GUESTS = 16  # worker processes at the same time; further guests wait


class Sandbox:
    """The guests of one process of ours. Opened by the first guest; `close` ends every worker."""

    def __init__(self, limits: GuestLimits | None = None, most_guests: int = MOST_GUESTS) -> None:
        self.limits = limits or GuestLimits()
        self._most = most_guests
        self._threads: anyio.CapacityLimiter | None = None
        self._opening = anyio.Lock()
        self._pool: Monty | None = None
        self._inner: Sandbox | None = None

    def inner(self, depth: int) -> "Sandbox":
        """Where guests run that a guest waits for: they never wait for a worker that it has itself."""
        if not depth:
            return self
        if self._inner is None:
            self._inner = Sandbox(self.limits, self._most)
        return self._inner.inner(depth - 1)

    async def run(
        self, guest: Guest, calls: HostCalls, budget: GuestBudget | None = None
    ) -> GuestOutcome:
        """Run a guest to its end, or until the host suspends it. Nothing that a guest does raises here.

        A guest that another one started gets what is left of the `budget` of both.
        """
        if len(guest.code) > LONGEST_CODE:
            size = f"the code has {len(guest.code):,} characters; at most {LONGEST_CODE:,} are allowed"
            return GuestFailed("limit", size)
        printed = CollectString(self.limits.printed)

        def start(session: MontySession) -> Step:
            return session.feed_start(guest.code, inputs=dict(guest.inputs), print_callback=printed)

        conversation = Conversation(self.limits, calls, guest.code, guest.functions)
        return await self._hosted(guest.stubs, start, conversation, printed, "", budget)

    async def resume(
        self, guest: Guest, suspended: GuestSuspended, calls: HostCalls, used_calls: int = 0
    ) -> GuestOutcome:
        """Go on with a guest. `suspended` must be as it was given: the interpreter does not check it."""
        printed = CollectString(max(1, self.limits.printed - len(suspended.printed)))

        def load(session: MontySession) -> Step:
            return session.load_snapshot(suspended.state, print_callback=printed)

        conversation = Conversation(
            self.limits, calls, guest.code, guest.functions, dict(suspended.waiting), used_calls
        )
        return await self._hosted("", load, conversation, printed, suspended.printed)

    async def _hosted(
        self,
        stubs: str,
        begin: Callable[[MontySession], Step],
        conversation: Conversation,
        collected: CollectString,
        before: str,
        budget: GuestBudget | None = None,
    ) -> GuestOutcome:
        """One guest in one worker; `before` is what it had printed already."""
        code, budget = conversation.code, budget or GuestBudget()
        budget.guests += 1
        seconds = max(self.limits.seconds - budget.seconds, _LEAST_SECONDS)
        try:
            async with self._session(stubs, seconds) as session:
                pid = session.worker_pid
                step = await self._turn(lambda: begin(session), pid, budget)
                while (outcome := await conversation.reply(step)) is None:
                    step = await self._turn(conversation.resume, pid, budget)
                    if budget.guests > 1 and budget.seconds > self.limits.seconds:
                        most = f"the code and what it runs computed for more than {self.limits.seconds:g} s"
                        outcome = GuestFailed("limit", most)
                        break
        except MontyError as error:
            outcome = failure_of(error, code)
        except TimeoutError:
            outcome = GuestFailed("limit", "every sandbox is busy; try again")
        except (ValueError, TypeError, RecursionError, RuntimeError) as error:
            outcome = GuestFailed("error", f"the values cannot be passed into the sandbox: {error}")
        return conversation.with_printed(outcome, before + collected.output)

    @asynccontextmanager
    async def _session(self, stubs: str, seconds: float) -> AsyncIterator[MontySession]:
        limits = self.limits
        pool = await self._opened()
        session = pool.checkout(
            script_name="code",
            limits={
                "max_feed_duration_secs": seconds,
                "max_turn_duration_secs": seconds,
                "max_memory": limits.memory,
                "max_recursion_depth": limits.depth,
                "max_suspensions": limits.turns,
                "max_total_sleep_secs": seconds,
            },
            type_check=bool(stubs),
            type_check_stubs=stubs or None,
            type_check_format="concise",
        )
        await self._threaded(session.__enter__)
        try:
            yield session
        finally:
            with anyio.CancelScope(shield=True), suppress(MontyError):
                await self._threaded(lambda: session.__exit__(None, None, None))

    async def _turn(self, work: Callable[[], Step], pid: int | None, budget: GuestBudget) -> Step:
        """Let the guest compute. When we are cancelled its worker is ended, so that nothing waits for it."""
        started = time.monotonic()
        try:
            return await self._threaded(work, abandon=True)
        except anyio.get_cancelled_exc_class():
            if pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            raise
        finally:
            budget.seconds += time.monotonic() - started

    async def _threaded(self, work: Callable[[], _T], *, abandon: bool = False) -> _T:
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(self._most * 2)
        return await to_thread.run_sync(work, limiter=self._threads, abandon_on_cancel=abandon)

    async def _opened(self) -> Monty:
        """The pool of workers; the first guest makes it."""
        async with self._opening:
            if self._pool is None:
                limits = self.limits
                pool = Monty(
                    min_processes=1,
                    max_processes=self._most,
                    checkout_timeout=_PATIENCE,
                    request_timeout=limits.seconds + limits.grace,
                    feed_duration_limit_grace=limits.grace,
                    turn_duration_limit_grace=limits.grace,
                )
                await self._threaded(pool.__enter__)
                self._pool = pool
        return self._pool

    def close(self) -> None:
        """End every worker. A guest that still runs ends as crashed."""
        if self._inner is not None:
            self._inner.close()
        if self._pool is not None:
            pool, self._pool = self._pool, None
            with suppress(MontyCrashedError):
                pool.__exit__(None, None, None)
