"""Driving a run from a terminal: the picture while it runs, questions to the person, Ctrl-C."""

import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import anyio
import mcp_types as types
import typer
from anyio import to_thread
from mcp import MCPError

from recollect.app.gateway import Gateway
from recollect.app.local_runs import local_runs
from recollect.app.person import require_person
from recollect.app.run_store import RunStore
from recollect.app.runs import LiveRun, Runs
from recollect.cli.output import console, safe, warn
from recollect.cli.run_picture import picture
from recollect.errors import NotPermittedError, first_cause
from recollect.workflow.run_state import RunState

Begin = Callable[[Runs], Awaitable[LiveRun]]


def drive(
    gateway: Gateway,
    store: RunStore,
    folder: Path,
    begin: Begin,
    *,
    shows: bool,
    rehearses: bool = False,
    reads_agreed: bool = False,
) -> tuple[str, RunState]:
    """Drive a run until it has ended, waits for somebody who is not here, or Ctrl-C; its id and state."""
    try:
        runs = partial(
            local_runs, gateway, folder, store, rehearses=rehearses, reads_agreed=reads_agreed
        )
        return anyio.run(partial(_drive, begin, runs, shows=shows))
    except ExceptionGroup as group:
        raise first_cause(group) from None


async def _drive(
    begin: Begin, opened: Callable[[], AbstractAsyncContextManager[Runs]], *, shows: bool
) -> tuple[str, RunState]:
    async with opened() as runs:
        live = await begin(runs)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_on_signal, live)
            if shows and sys.stdout.isatty():
                tasks.start_soon(_draw, live)
            await runs.wait(live, float("inf"), Terminal(_is_attended()))
            tasks.cancel_scope.cancel()
    return live.run, live.state


async def _end_on_signal(live: LiveRun) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            await live.driver.stop()


async def _draw(live: LiveRun) -> None:
    from rich.live import Live

    with Live(picture(live.state), console=console(), transient=True, auto_refresh=False) as shown:
        while True:
            happened = live.driver.happened
            shown.update(picture(live.state), refresh=True)
            await happened.wait()


def _is_attended() -> bool:
    """Whether a person sits at this terminal."""
    if not sys.stdin.isatty():
        return False
    try:
        require_person("approving a call")
    except NotPermittedError:
        return False
    return True


class Terminal:
    """The person at the terminal, as a Caller."""

    def __init__(self, is_attended: bool) -> None:
        self._is_attended = is_attended

    session, client = "terminal", "recollect run"

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        """The picture shows it."""

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """`gateway logs` has it."""

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        """Ask for yes or no. Raises MCPError for any other question, and without a person."""
        match question:
            case types.ElicitRequest(params=types.ElicitRequestFormParams(message=message)) if (
                self._is_attended
            ):
                approved = await to_thread.run_sync(_confirmed, message, abandon_on_cancel=True)
                return types.ElicitResult(action="accept", content={"approve": approved})
        raise MCPError(types.METHOD_NOT_FOUND, "this terminal cannot answer that")


def _confirmed(message: str) -> bool:
    for line in message.splitlines():
        warn(safe(line))
    return typer.confirm("Approve?", default=False, err=True)
