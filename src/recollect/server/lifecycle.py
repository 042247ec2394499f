"""One scope for everything a server runs: started in order, stopped in reverse, never left behind.

Order of start: signals and the parent's watch, tools, transport, hook socket with its warm-up.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

import anyio

from recollect.app.shutdown import end_process, watch_for_end
from recollect.server.hook_socket import HookSocket
from recollect.tools.provider import ToolProvider

STOP_WITHIN = 1.5  # seconds for all but the writes of runs; clients wait two before they ask again
WRITES_WITHIN = 5.5  # seconds for those: five, and a moment to record how they ended

FinishWrites: TypeAlias = Callable[[], Awaitable[None]]


async def nothing_written() -> None:
    """Where no run can have a write under way."""


class Transport(Protocol):
    """How clients reach the server."""

    async def serve(self) -> None:
        """Serve until there is no client left, or until `stop`."""

    async def stop(self) -> None:
        """End all calls. Returns when they have ended, which may be before `serve` returns."""


async def live(
    transport: Transport,
    tools: ToolProvider,
    hook_socket: HookSocket,
    parent: int,
    finish_writes: FinishWrites = nothing_written,
) -> None:
    """Run a server until its transport ends, the parent is gone or a signal comes.

    Ends the process where a thread cannot be woken, at the latest after STOP_WITHIN. What `finish_writes`
    takes does not count, up to WRITES_WITHIN.
    """
    over, returned, socket_ended = anyio.Event(), anyio.Event(), anyio.Event()

    async def serve() -> None:
        await transport.serve()
        returned.set()
        over.set()

    async def answer_hooks() -> None:
        try:
            await hook_socket.serve()
        finally:
            socket_ended.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch_for_end, parent, over)
        await tools.start(tasks)
        try:
            tasks.start_soon(serve)
            tasks.start_soon(answer_hooks)
            await over.wait()
        finally:
            with anyio.move_on_after(STOP_WITHIN, shield=True) as stopping:
                hook_socket.stop()
                await transport.stop()
                stopping.deadline += WRITES_WITHIN
                began = anyio.current_time()
                await finish_writes()
                stopping.deadline += anyio.current_time() - began - WRITES_WITHIN
                await tools.stop()
                await socket_ended.wait()
        if stopping.cancelled_caught or not returned.is_set():
            end_process()
        tasks.cancel_scope.cancel()
