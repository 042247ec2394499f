"""What becomes of a command: completed with what it needs, applied here, or left to whoever has the run."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Literal

import anyio
from anyio import to_thread

from recollect.app.capabilities import with_capabilities
from recollect.app.dispatch import Dispatcher
from recollect.app.planner import Wish
from recollect.app.run_driver import RunDriver
from recollect.app.run_store import RunStore
from recollect.errors import RecollectError, StoreError
from recollect.records.json_format import Json
from recollect.workflow import events
from recollect.workflow.commands import Command, graft_arguments
from recollect.workflow.replanning import replan
from recollect.workflow.run_state import RunState

_POLL = 0.25  # seconds between looks for commands from other processes
_PATIENCE = 3.0  # seconds that a command may take which another process applies


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of a command: applied, refused with a reason, or waiting for whoever has the run."""

    id: str
    status: Literal["applied", "refused", "waiting"]
    reason: str = ""


class RunCommands:
    """Commands for the runs of one project."""

    def __init__(self, dispatcher: Dispatcher, store: RunStore) -> None:
        self._dispatcher, self._store = dispatcher, store

    async def apply(self, driver: RunDriver, command: Command) -> CommandResult:
        """Apply a command to a run that this process has."""
        refusal = await driver.outcome(await self._complete(driver.state, command))
        return CommandResult(command.id, "refused" if refusal else "applied", refusal)

    async def leave(
        self, run: str, command: Command, entries: AsyncIterator[events.JournalEntry]
    ) -> CommandResult:
        """Leave a command in the queue, and wait a little for what becomes of it.

        `entries` are the events of the run from before. Raises StoreError.
        """
        await to_thread.run_sync(self._store.journal.send, run, command, self._store.now())
        with anyio.move_on_after(_PATIENCE):
            async for entry in entries:
                match entry.event:
                    case events.CommandApplied(id=command.id):
                        return CommandResult(command.id, "applied")
                    case events.CommandRefused(id=command.id, reason=reason):
                        return CommandResult(command.id, "refused", reason)
        return CommandResult(command.id, "waiting", "another process is running it")

    async def listen(self, driver: RunDriver, passed_on: set[str]) -> None:
        """Pass on commands that other processes leave."""
        while True:
            await anyio.sleep(_POLL)
            passed_on = await self.pass_on(driver, passed_on)

    async def pass_on(self, driver: RunDriver, passed_on: set[str]) -> set[str]:
        """Hand the driver the commands that wait; those it has. What cannot be read now is read later."""
        try:
            waiting = await to_thread.run_sync(self._store.journal.waiting, driver.run)
        except StoreError:
            return passed_on
        for command in waiting:
            if command.id not in passed_on:
                driver.send(await self._complete(driver.state, command))
        return {command.id for command in waiting}

    async def _complete(self, state: RunState, command: Command) -> Command:
        """A command with what it needs beside the state of the run: new tasks, the code of capabilities."""
        if command.name == "inject_tasks":
            return await self._with_code(command)
        if command.name != "replan":
            return command
        intent = str(command.arguments.get("intent") or state.workflow.intent)
        wish = Wish(intent, context=state.context)
        used = {run.task.tool for run in state.tasks.values()}
        request = await self._dispatcher.plan_request(wish, used)
        try:
            graft = await to_thread.run_sync(replan, request, state)
            planned = graft_arguments(graft)
        except RecollectError as error:
            planned = {"refusal": str(error)}
        return replace(command, arguments={**command.arguments, **planned})

    async def _with_code(self, command: Command) -> Command:
        """Tasks that call capabilities have their code; one that cannot is refused when it is applied."""
        document: Json = {"tasks": command.arguments.get("tasks")}
        try:
            added = await to_thread.run_sync(with_capabilities, document, self._store.capabilities)
        except RecollectError as error:
            added = {"refusal": str(error)}
        assert isinstance(added, dict)
        return replace(command, arguments={**command.arguments, **added})
