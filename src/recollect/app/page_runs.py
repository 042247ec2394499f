"""The runs of a project for the page: read from the journal; the first command opens what can drive them.

Driving a run loads the MCP client, which takes a second. Most pages only look.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus

from recollect.app.capabilities import known_capability
from recollect.app.gateway import Gateway
from recollect.app.result_vault import ResultVault, StoredExcerpt
from recollect.app.run_events import run_events
from recollect.app.run_store import RunStore
from recollect.gateway.vault.reading import ReadRequest
from recollect.learning.capabilities import Capability, ranked
from recollect.records.json_format import JsonObject
from recollect.workflow.approval_summary import approval_summary
from recollect.workflow.calling import ApprovalQuestion
from recollect.workflow.commands import Command
from recollect.workflow.events import JournalEntry
from recollect.workflow.grants import Grant
from recollect.workflow.ports import RunRecord
from recollect.workflow.reducer import reduced
from recollect.workflow.run_state import RunState

if TYPE_CHECKING:
    from recollect.app.run_commands import CommandResult
    from recollect.app.runs import Runs


class PageRuns:
    """The runs of one folder. What this process drives is paused by `stop`."""

    def __init__(self, gateway: Gateway, folder: Path, store: RunStore, tasks: TaskGroup) -> None:
        self._gateway, self._folder, self._store, self._tasks = gateway, folder, store, tasks
        self._driving: Runs | None = None
        self._opening, self._stopping, self._stopped = anyio.Lock(), anyio.Event(), anyio.Event()

    async def records(self, limit: int) -> Sequence[RunRecord]:
        """The runs that changed last, newest first."""
        return await to_thread.run_sync(self._store.journal.runs, limit)

    async def record(self, run: str) -> RunRecord:
        """A run as lists show it, by its id or the beginning of it. Raises NotFoundError."""
        return await to_thread.run_sync(self._store.record, run)

    async def look(self, run: str) -> RunState:
        """The state of a run. Raises NotFoundError."""
        return await to_thread.run_sync(self._store.state, run)

    async def happened(self, run: str) -> tuple[RunState, Sequence[JournalEntry]]:
        """The state of a run and its whole journal. Raises NotFoundError."""
        entries = await to_thread.run_sync(self._store.entries, run)
        return reduced([entry.event for entry in entries]), entries

    async def entries(self, run: str, after: int, limit: int) -> Sequence[JournalEntry]:
        """Some events of a run, in order."""
        return await to_thread.run_sync(self._store.journal.entries, run, after, limit)

    async def approvals(self, run: str) -> Sequence[tuple[ApprovalQuestion, str]]:
        """The calls that wait for a person, each with the summary for them. Raises NotFoundError."""
        return await to_thread.run_sync(self._approvals, run)

    def follow(self, run: str, after: int = 0) -> AsyncIterator[JournalEntry]:
        """The events above a number, as they come, until the run has finished."""
        return run_events(self._store.journal, run, after, lambda: None)

    async def tell(self, run: str, command: Command) -> "CommandResult":
        """Apply a command here, or leave it to the process that has the run.

        Raises NotFoundError and StoreError, and RefusedError for a run that has ended.
        """
        await self.record(run)
        return await (await self._drivers()).tell(run, command)

    async def grant(
        self, tool: str, arguments: Mapping[str, str], uses: int, minutes: float, by: str
    ) -> Grant:
        """A person approves calls beforehand. Raises RefusedError for a grant without bounds."""
        return await to_thread.run_sync(self._store.grant, tool, arguments, uses, minutes, by)

    async def capabilities(self) -> list[Capability]:
        """Code that worked, the most reliable first."""
        return ranked(await to_thread.run_sync(self._store.capabilities.all))

    async def capability(self, name: str) -> Capability:
        """One capability. Raises NotFoundError that offers similar ones."""
        return await to_thread.run_sync(known_capability, self._store.capabilities, name)

    async def start(self, document: JsonObject) -> str:
        """Begin a run that this process drives; its id. Raises InvalidWorkflowError and StoreError."""
        return (await (await self._drivers()).start(document, "page")).run

    async def result(self, handle: str, request: ReadRequest, part: int) -> StoredExcerpt:
        """A piece of a stored result. Raises NotFoundError and RefusedError."""
        vault = ResultVault(self._store.vault, self._store.gate)
        return await to_thread.run_sync(vault.read, handle, request, part)

    async def stop(self) -> None:
        """Pause what this process drives, and let its servers go."""
        self._stopping.set()
        if self._driving is not None:
            await self._stopped.wait()

    def _approvals(self, run: str) -> list[tuple[ApprovalQuestion, str]]:
        state, questions = self._store.questions(run)
        tools = {tool.id: tool for tool in self._gateway.catalogue.tools()} if questions else {}
        return [
            (question, approval_summary(state, question, tools.get(question.tool)))
            for question in questions
        ]

    async def _drivers(self) -> "Runs":
        async with self._opening:
            if self._driving is None:
                self._driving = await self._tasks.start(self._drive)
        return self._driving

    async def _drive(self, *, task_status: "TaskStatus[Runs]") -> None:
        local_runs = await to_thread.run_sync(_local_runs)
        async with local_runs(self._gateway, self._folder, self._store) as runs:
            task_status.started(runs)
            await self._stopping.wait()
        self._stopped.set()


def _local_runs() -> "Callable[[Gateway, Path, RunStore], AbstractAsyncContextManager[Runs]]":
    """What opens runs that this process drives. The import takes a second."""
    from recollect.app.local_runs import local_runs  # noqa: PLC0415

    return local_runs
