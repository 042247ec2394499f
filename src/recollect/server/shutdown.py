"""How a server lives and ends: with its client, its parent or a signal, and never after them."""

import os
import signal

import anyio

WATCH_EVERY = 1.0  # seconds
SETTLE = 1.0  # seconds for a write under way; clients wait two before they kill
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def until_over(parent: int) -> None:
    """Wait until the parent is gone or a signal asks us to end."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_orphaned, parent, tasks.cancel_scope)
        with anyio.open_signal_receiver(*_SIGNALS) as signals:
            async for _ in signals:
                tasks.cancel_scope.cancel()


async def _orphaned(parent: int, scope: anyio.CancelScope) -> None:
    # A pipe does not always end with the process that made it: a child of that one may hold it open.
    while os.getppid() == parent:
        await anyio.sleep(WATCH_EVERY)
    scope.cancel()
