"""kill -9 while a workflow runs over a real server: the run goes on, and no write is repeated silently.

By default some twelve of the run's events are tried, and a few random moments; RECOLLECT_SOAK=10 tries every
event, before and after it is written, and a hundred random moments.
"""

import os
import signal
import sys
import time
from random import Random

import anyio
import pytest
from tests.e2e.ledger import Place
from tests.requirements import requirement

from recollect.storage.sqlite.journal import SqliteJournal

SOAK = int(os.environ.get("RECOLLECT_SOAK", "1"))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and killed")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("data"))


def die_at(number: int, *, after: bool) -> None:
    """Make the write of event `number` to the journal the last thing that this process does."""
    append = SqliteJournal.append

    def dying(self: SqliteJournal, run: str, entries: list, *rest: object, **options: object) -> None:  # type: ignore[type-arg]
        is_last = entries[-1].number >= number
        if is_last and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        append(self, run, entries, *rest, **options)  # type: ignore[arg-type]
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)

    SqliteJournal.append = dying  # type: ignore[assignment, method-assign]


EVENTS = range(2, 68, 1 if SOAK >= 10 else 6)


@requirement("workflow:journal:resume")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("number", EVENTS)
def test_a_run_goes_on_from_every_event_and_no_write_happens_twice(
    place: Place, number: int, after: bool
) -> None:
    run = place.start_and_be_killed(lambda: die_at(number, after=after))
    assert run is not None

    state = anyio.run(place.resume, run.id)

    assert {task.status for task in state.tasks.values()} == {"succeeded"}
    lines = place.lines()
    assert {id: lines[id] for id in state.tasks if id.startswith("note") and lines[id] != 1} == {}
    assert all(lines[id] >= 1 for id in state.tasks)


@requirement("workflow:journal:resume")
@pytest.mark.parametrize("seed", range(100 if SOAK >= 10 else 3))
def test_a_run_goes_on_after_a_death_at_any_moment(place: Place, seed: int) -> None:
    delay = Random(seed).uniform(0.0, 1.0)

    def arrange() -> None:
        if not os.fork():
            parent = os.getppid()
            time.sleep(delay)
            os.kill(parent, signal.SIGKILL)
            os._exit(0)

    run = place.start_and_be_killed(arrange)
    if run is None:
        return  # it died before the run began

    state = anyio.run(place.resume, run.id)

    assert {task.status for task in state.tasks.values()} == {"succeeded"}
    lines = place.lines()
    assert {id: lines[id] for id in state.tasks if id.startswith("note") and lines[id] != 1} == {}
