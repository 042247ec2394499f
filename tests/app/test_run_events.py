"""Listening to a run: at any speed, from any event on, without a cost for the run."""

import gc
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
from tests.app.run_tools import Function, Functions, echo, journal_in, running
from tests.requirements import requirement

from recollect.app.run_events import PAGE, run_events
from recollect.records.json_format import JsonObject
from recollect.workflow.events import JournalEntry, RunFinished
from recollect.workflow.ports import Journal

pytestmark = pytest.mark.anyio


def workflow(tasks: int) -> JsonObject:
    return {"tasks": [{"id": f"t{number}", "tool": "echo"} for number in range(tasks)]}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return journal_in(tmp_path)


def listen(journal: Journal, after: int = 0) -> AsyncIterator[JournalEntry]:
    """A listener of another process: nobody tells it that there is more."""
    return run_events(journal, "r1", after, lambda: None)


def alive() -> int:
    gc.collect()
    return sum(isinstance(each, JournalEntry) for each in gc.get_objects())


@requirement("workflow:events:slow-listener")
async def test_a_listener_that_never_reads_neither_delays_a_run_nor_grows(journal: Journal) -> None:
    tools, tasks = Functions({"echo": Function(echo)}), 5 * PAGE
    async with running(journal, tools, workflow(tasks)) as driver:
        stuck = [run_events(journal, "r1", 0, lambda: driver.written) for _ in range(3)]
        for listener in stuck:
            await anext(listener)
        await driver.rest()
        assert driver.state.status == "succeeded"

        assert alive() <= len(stuck) * PAGE
        entries = [entry async for entry in stuck[0]]

    assert [entry.number for entry in entries] == list(range(2, driver.number + 1))
    assert isinstance(entries[-1].event, RunFinished)


@requirement("workflow:events:replay")
async def test_a_listener_replays_the_journal_from_any_event_on(journal: Journal) -> None:
    async with running(journal, Functions({"echo": Function(echo)}), workflow(PAGE)) as driver:
        await driver.rest()
        last = driver.number

    for after in (0, 1, PAGE, last - 1):
        numbers = [entry.number async for entry in listen(journal, after)]
        assert numbers == list(range(after + 1, last + 1))


@requirement("workflow:events:replay")
async def test_listeners_hear_of_events_while_the_run_is_under_way(journal: Journal) -> None:
    release = anyio.Event()

    async def wait(arguments: JsonObject) -> JsonObject:
        await release.wait()
        return arguments

    document: JsonObject = {"tasks": [{"id": "a", "tool": "wait"}]}
    async with running(journal, Functions({"wait": Function(wait)}), document) as driver:
        heard: list[int] = []

        async def hear(listener: AsyncIterator[JournalEntry]) -> None:
            async for entry in listener:
                heard.append(entry.number)
                if entry.number == 3:  # the call has left
                    release.set()

        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(hear, listen(journal))
                tasks.start_soon(hear, run_events(journal, "r1", 3, lambda: driver.written))

    assert sorted(heard) == sorted([*range(1, driver.number + 1), *range(4, driver.number + 1)])
