"""Runs over functions of this process, with the real journal in SQLite."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from recollect.app.run_driver import RunDriver
from recollect.app.run_journal import RunJournal
from recollect.clock import utc_now
from recollect.config import RedactionConfig
from recollect.errors import NotFoundError
from recollect.records.json_format import Json, JsonObject
from recollect.redaction.user_patterns import gate_of
from recollect.storage.sqlite.state import StateDatabase
from recollect.workflow import events
from recollect.workflow.calling import ApprovalQuestion, NoConsent, TaskOutput
from recollect.workflow.ports import Journal
from recollect.workflow.reducer import reduced, started
from recollect.workflow.run_state import RunState
from recollect.workflow.task import Task

GATE = gate_of(RedactionConfig())


@dataclass(frozen=True, slots=True)
class Function:
    """A tool that is a function."""

    run: Callable[[JsonObject], Awaitable[Json]]
    effect: events.CallEffect = "read"
    asks: str = ""

    def problems(self, arguments: Mapping[str, Json]) -> Sequence[str]:
        return ["'bad' is not accepted"] if "bad" in arguments else []

    async def call(self, arguments: JsonObject) -> TaskOutput:
        value = await self.run(arguments)
        error = value.get("error") if isinstance(value, dict) else None
        return TaskOutput(value, str(error or ""))


@dataclass(slots=True)
class Functions:
    """Tools by name, and what was called with what."""

    tools: dict[str, Function] = field(default_factory=dict)
    calls: list[tuple[str, JsonObject]] = field(default_factory=list)

    async def prepare(self, task: Task) -> Function:
        await anyio.lowlevel.checkpoint()
        if task.tool not in self.tools:
            raise NotFoundError(f"unknown tool {task.tool!r}")
        tool = self.tools[task.tool]

        async def run(arguments: JsonObject) -> Json:
            self.calls.append((task.id, arguments))
            return await tool.run(arguments)

        return Function(run, tool.effect, tool.asks)

    @property
    def called(self) -> list[str]:
        return [task for task, _ in self.calls]


@dataclass(slots=True)
class Person:
    """Somebody who may be asked; `says` None: there is nobody."""

    says: bool | None = None
    asked: list[ApprovalQuestion] = field(default_factory=list)

    async def consent(self, *_: object) -> NoConsent:
        return NoConsent()

    async def answer(self, question: ApprovalQuestion, state: RunState) -> bool | None:
        self.asked.append(question)
        return self.says


async def echo(arguments: JsonObject) -> Json:
    await anyio.lowlevel.checkpoint()
    return {"got": arguments}


def journal_in(folder: Path) -> Journal:
    return StateDatabase(str(folder / "state.db")).journal


@asynccontextmanager
async def running(
    journal: Journal, tools: Functions, workflow: JsonObject, person: Person | None = None
) -> AsyncIterator[RunDriver]:
    """A run that was just started; it is stopped at the end."""
    first = events.RunStarted(workflow)
    record = RunJournal(journal, "r1", GATE, utc_now)
    driver = RunDriver("r1", started(first), record, tools, person or Person())
    await driver.begin(first)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(driver.drive)
        yield driver
        await driver.stop()


@asynccontextmanager
async def resuming(
    journal: Journal, tools: Functions, person: Person | None = None
) -> AsyncIterator[RunDriver]:
    """The run of the journal, gone on with."""
    entries = journal.entries("r1")
    state = reduced([entry.event for entry in entries])
    record = RunJournal(journal, "r1", GATE, utc_now, len(entries))
    was_redacted = any(entry.redacted for entry in entries)
    driver = RunDriver("r1", state, record, tools, person or Person(), redacted=was_redacted)
    await driver.begin(events.RunResumed())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(driver.drive)
        yield driver
        await driver.stop()


def happened(journal: Journal) -> list[str]:
    return [events.event_name(entry.event) for entry in journal.entries("r1")]
