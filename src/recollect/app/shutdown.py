"""When a server must end: a signal asks it to, or the process that started it is gone."""

import os
import signal
import sys

import anyio

WATCH_EVERY = 1.0  # seconds between two looks at the parent
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def watch_for_end(parent: int, over: anyio.Event) -> None:
    """Set `over` when the parent is gone or a signal asks the server to end."""
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


def end_process() -> None:
    """End although a thread reads standard input, runs a model or writes for too long.

    Nothing can wake it, and Python's own end would abort the process while it is in compiled code.
    """
    sys.stderr.flush()
    os._exit(0)
