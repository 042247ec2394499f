"""The database goes away in the middle of a run: the run stops cleanly, and goes on when it is back."""

import sys
import time
from collections.abc import Iterator
from functools import partial

import anyio
import pytest
from tests.e2e.ledger import Place, workflow
from tests.postgres import Server, new_server, remove
from tests.requirements import requirement

from recollect.app.local_runs import local_runs
from recollect.errors import LockedError, StoreError, first_cause
from recollect.storage.postgres import leases, projects
from recollect.storage.postgres.database import PoolLimits
from recollect.workflow.run_state import RunState

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a server is killed")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    own = new_server()
    yield own
    remove(own)


@pytest.fixture
def place(
    server: Server, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Place:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 1.0)
    monkeypatch.setattr(projects, "PoolLimits", partial(PoolLimits, wait_seconds=0.5))
    folder = tmp_path_factory.mktemp("project")
    (folder / ".claude" / "memory").mkdir(parents=True)
    settings = {"RECOLLECT_DATABASE": server.make_database()}
    return Place(folder, tmp_path_factory.mktemp("data"), settings)


def started(place: Place, server: Server, after: int) -> str:
    """Start a run whose database is killed after so many lines of the ledger; the id of the run."""
    runs: list[str] = []

    async def story() -> None:
        async with local_runs(place.gateway, place.folder, place.store) as own:
            live = await own.start(workflow())
            runs.append(live.driver.run)
            with anyio.fail_after(60):
                while sum(place.lines().values()) < after:
                    await anyio.sleep(0.005)
                server.kill()
                await live.driver.rest()

    with pytest.raises((ExceptionGroup, StoreError)) as raised:
        anyio.run(story)
    assert isinstance(first_cause(raised.value), StoreError)
    return runs[0]


def start_again(server: Server) -> None:
    """Start a server that was killed, as soon as the last of its processes is gone."""
    deadline = time.monotonic() + 60
    while True:
        try:
            server.start()
            return
        except RuntimeError:
            if time.monotonic() > deadline:
                raise


def resumed(place: Place, run: str) -> RunState:
    deadline = time.monotonic() + 60
    while True:
        try:
            return anyio.run(place.resume, run)
        except ExceptionGroup as group:
            if not isinstance(first_cause(group), LockedError) or time.monotonic() > deadline:
                raise


@requirement("team:postgres:runs")
@pytest.mark.parametrize("after", [2, 9])
def test_a_run_whose_database_was_killed_goes_on_and_no_write_happens_twice(
    place: Place, server: Server, after: int
) -> None:
    run = started(place, server, after)
    start_again(server)

    state = resumed(place, run)

    assert {task.status for task in state.tasks.values()} == {"succeeded"}
    lines = place.lines()
    assert {id: lines[id] for id in state.tasks if id.startswith("note") and lines[id] != 1} == {}
