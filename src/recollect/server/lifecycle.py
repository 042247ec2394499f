"""One scope for everything a server runs: started in order, stopped in reverse, never left behind.

Order of start: signals and the parent's watch, tools, transport, hook socket with its warm-up.
"""

import os
import signal
import sys
from typing import Protocol

import anyio

from recollect.server.hook_socket import HookSocket
from recollect.tools.provider import ToolProvider

WATCH_EVERY = 1.0  # seconds between two looks at the parent
STOP_WITHIN = 1.5  # seconds for a write that is under way; clients wait two before they kill
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Transport(Protocol):
    """How clients reach the server."""

    async def serve(self) -> None:
        """Serve until there is no client left, or until `stop`."""

    async def stop(self) -> None:
        """End all calls. Returns when they have ended, which may be before `serve` returns."""


async def live(transport: Transport, tools: ToolProvider, hook_socket: HookSocket, parent: int) -> None:
    """Run a server until its transport ends, the parent is gone or a signal comes.

    Ends the process where a thread cannot be woken, at the latest after STOP_WITHIN.
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
        tasks.start_soon(_watch, parent, over)
        await tools.start(tasks)
        try:
            tasks.start_soon(serve)
            tasks.start_soon(answer_hooks)
            await over.wait()
        finally:
            with anyio.move_on_after(STOP_WITHIN, shield=True) as stopping:
                hook_socket.stop()
                await transport.stop()
                await tools.stop()
                await socket_ended.wait()
        if stopping.cancelled_caught or not returned.is_set():
            _end_process()
        tasks.cancel_scope.cancel()


async def _watch(parent: int, over: anyio.Event) -> None:
    """Tell when the parent is gone or a signal asks the server to end."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_orphaned, parent, over)
        with anyio.open_signal_receiver(*_SIGNALS) as signals:
            async for _ in signals:
                over.set()


async def _orphaned(parent: int, over: anyio.Event) -> None:
    # A pipe does not always end with the process that made it: a child of that process may hold it open.
    while os.getppid() == parent:
        await anyio.sleep(WATCH_EVERY)
    over.set()


def _end_process() -> None:
    """End although a thread reads standard input, or a write takes too long: nothing can wake either."""
    sys.stderr.flush()
    os._exit(0)
