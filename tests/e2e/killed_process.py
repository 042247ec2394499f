"""A run in a process that is killed, and what happens when another one goes on with it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio

from recollect.app.gateway import Gateway
from recollect.app.local_runs import local_runs
from recollect.app.run_store import RunStore, open_run_store
from recollect.clock import utc_now
from recollect.records.json_format import JsonObject
from recollect.workflow.commands import Command, CommandName
from recollect.workflow.ports import RunRecord
from recollect.workflow.run_state import RunState


@dataclass(frozen=True, slots=True)
class KilledRuns:
    """Runs of a folder. `has_happened` says of a task whether the world has its effect."""

    gateway: Gateway
    folder: Path
    store: RunStore
    has_happened: Callable[[str], bool]

    def start_and_be_killed(
        self, workflow: JsonObject, prepare: Callable[[], None]
    ) -> RunRecord | None:
        """A child starts a run; `prepare` arranges its death. The run, if it was begun."""
        before = {record.id for record in self.store.journal.runs(1_000)}
        child = os.fork()
        if not child:
            try:
                prepare()
                anyio.run(self._start, workflow)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        new = [record for record in self.store.journal.runs(1_000) if record.id not in before]
        return new[0] if new else None

    async def _start(self, workflow: JsonObject) -> None:
        gateway = Gateway(
            self.gateway.folder, self.gateway.env, utc_now
        )  # no connection of the parent's
        store = open_run_store(gateway, self.folder)
        async with local_runs(gateway, self.folder, store) as runs:
            await (await runs.start(workflow)).driver.rest()

    async def resume(self, run: str) -> RunState:
        """Go on, and decide about writes in doubt by what the world says."""
        async with local_runs(self.gateway, self.folder, self.store) as runs:
            state = await runs.look(run)
            if state.has_ended:
                return state
            live = await runs.resume(run)
            await live.driver.rest()
            for id in live.state.having("in_doubt"):
                name: CommandName = "answer" if self.has_happened(id) else "approve"
                arguments: JsonObject = {"task": id, "output": {"result": id}}
                live.driver.send(Command(f"c-{id}", name, arguments, "person"))
            await live.driver.rest()
            return live.state
