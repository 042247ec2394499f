"""Runs that a command drives itself, without a server of ours."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from recollect.app.dispatch import Dispatcher
from recollect.app.gateway import Gateway
from recollect.app.run_store import RunStore
from recollect.app.runs import Runs
from recollect.gateway.exposure import Exposure


@asynccontextmanager
async def local_runs(
    gateway: Gateway,
    folder: Path,
    store: RunStore,
    *,
    rehearses: bool = False,
    reads_agreed: bool = False,
) -> AsyncIterator[Runs]:
    """The runs of this process; what still runs at the end is paused, and servers are let go.

    For a rehearsal no server is reached, not even to list its tools.
    """
    async with anyio.create_task_group() as tasks:
        dispatcher = Dispatcher(gateway, folder, Exposure(asks_person=True), tasks)
        dispatcher.start(prepares=not rehearses)
        runs = Runs(dispatcher, store, tasks, asks_person=True, reads_agreed=reads_agreed)
        try:
            yield runs
        finally:
            with anyio.CancelScope(shield=True):
                await runs.stop()
                await dispatcher.stop()
            tasks.cancel_scope.cancel()
