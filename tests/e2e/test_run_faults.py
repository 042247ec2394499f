"""A run over a real server while the disk is full, the journal is locked, or the server ends.

Afterwards the run goes on: every read was done at least once, every write once or a person was asked.
"""

import resource
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random

import anyio
import pytest
from tests.e2e.ledger import Place, workflow
from tests.requirements import requirement
from tests.soak import times

from recollect.app.local_runs import local_runs
from recollect.app.run_calls import RunCaller
from recollect.storage.sqlite.journal import SqliteJournal
from recollect.storage.sqlite.state import StateDatabase
from recollect.workflow import events
from recollect.workflow.run_state import RunState

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("data"))


def assert_done(place: Place, state: RunState) -> None:
    assert {id: run.status for id, run in state.tasks.items() if run.status != "succeeded"} == {}
    lines = place.lines()
    assert {id: lines[id] for id in state.tasks if id.startswith("note") and lines[id] != 1} == {}
    assert all(lines[id] >= 1 for id in state.tasks)


def state_file(place: Place) -> Path:
    [file] = place.folder.rglob("state.db")
    return file


@requirement("workflow:journal:faults")
@pytest.mark.parametrize("seed", range(times(2)))
def test_a_run_goes_on_after_the_disk_was_full(place: Place, seed: int) -> None:
    with sqlite3.connect(state_file(place)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    room = Random(seed).randrange(30_000, 80_000)  # bytes: the log of a run grows to a few 100,000

    run = place.start_and_be_killed(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))

    assert run is not None
    assert run.status == "running"
    assert_done(place, anyio.run(place.resume, run.id))


LOCKER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()  # ends with the process that has the run
"""


def lock_at(file: Path, number: int) -> None:
    """Have another process lock the database when event `number` is to be written, and while we live."""
    append = SqliteJournal.append
    lockers: list[subprocess.Popen[bytes]] = []

    def locked(self: SqliteJournal, run: str, entries: list, *rest: object, **options: object) -> None:  # type: ignore[type-arg]
        if entries[-1].number >= number and not lockers:
            command = [sys.executable, "-c", LOCKER, str(file)]
            locker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            lockers.append(locker)
            assert locker.stdout is not None
            assert locker.stdout.readline()
        append(self, run, entries, *rest, **options)  # type: ignore[arg-type]

    SqliteJournal.append = locked  # type: ignore[assignment, method-assign]
    StateDatabase.__init__.__defaults__ = (
        0.05,
    )  # seconds that it waits for other writers, instead of 5


@requirement("workflow:journal:faults")
@pytest.mark.parametrize("seed", range(times(2)))
def test_a_run_goes_on_after_its_journal_was_locked(place: Place, seed: int) -> None:
    number = Random(seed).randrange(2, 60)

    run = place.start_and_be_killed(lambda: lock_at(state_file(place), number))

    assert run is not None
    assert run.events < number
    assert_done(place, anyio.run(place.resume, run.id))


# Each death lets the server start a little later: one by default.
DEATHS = [("note1a", "after"), ("end2", "before"), ("note3b", "before"), ("end4", "after")]


@requirement("workflow:journal:faults")
@pytest.mark.parametrize(("task", "moment"), DEATHS[: times(1)])
def test_a_run_goes_on_after_its_server_ended_during_a_call(
    place: Place, task: str, moment: str
) -> None:
    place.ledger.unlink(missing_ok=True)
    Path(f"{place.ledger}.dies").write_text(f"{moment} {task}")

    async def start() -> str:
        async with local_runs(place.gateway, place.folder, place.store) as runs:
            live = await runs.start(workflow())
            await live.driver.rest()
            return live.run

    run = anyio.run(start)

    asked = [
        entry.event.task
        for entry in place.store.entries(run)
        if isinstance(entry.event, events.TaskInDoubt)
    ]
    assert_done(place, anyio.run(place.resume, run))
    assert task.startswith("end") or task in asked


class Deaf(RunCaller):
    """A client that never takes a report of progress."""

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        await anyio.sleep_forever()


@requirement("workflow:events:slow-listener")
def test_a_client_that_takes_no_progress_delays_no_run(place: Place) -> None:
    async def start() -> RunState:
        async with local_runs(place.gateway, place.folder, place.store) as runs:
            return await runs.wait(await runs.start(workflow()), 60, Deaf("deaf"))

    assert anyio.run(start).status == "succeeded"
