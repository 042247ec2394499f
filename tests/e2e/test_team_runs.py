"""Runs on both engines: a person approves a write, and kill -9 of the process repeats none."""

import os
import signal
import sys
import time
from pathlib import Path

import anyio
import pytest
from tests.e2e.ledger import Place, task
from tests.requirements import requirement

from recollect.app.local_runs import local_runs
from recollect.errors import LockedError, first_cause
from recollect.records.json_format import JsonObject
from recollect.storage.postgres import leases
from recollect.storage.postgres.journal import PostgresJournal
from recollect.storage.sqlite.journal import SqliteJournal
from recollect.workflow.commands import Command
from recollect.workflow.run_state import RunState

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and killed")
DEATHS = [(2, False), (9, True), (30, False), (60, True)]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def place(
    engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Place:
    folder = tmp_path_factory.mktemp("project")
    (folder / ".claude" / "memory").mkdir(parents=True)
    settings = {}
    if engine == "postgres":
        settings["RECOLLECT_DATABASE"] = request.getfixturevalue("postgres_server").url("tests")
    return Place(folder, tmp_path_factory.mktemp("data"), settings)


@pytest.fixture(autouse=True)
def _short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 1.0)


def die_at(number: int, *, after: bool) -> None:
    """Make the write of event `number` to the journal the last thing that this process does."""
    for journal in (SqliteJournal, PostgresJournal):
        append = journal.append

        def dying(
            self: SqliteJournal | PostgresJournal,
            run: str,
            entries: list,  # type: ignore[type-arg]
            *rest: object,
            append: object = append,
            **options: object,
        ) -> None:
            is_last = entries[-1].number >= number
            if is_last and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            append(self, run, entries, *rest, **options)  # type: ignore[operator]
            if is_last:
                os.kill(os.getpid(), signal.SIGKILL)

        journal.append = dying  # type: ignore[assignment, method-assign]


def resumed(place: Place, run: str) -> RunState:
    """Go on with a run as soon as the lease of the process that died has ended."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return anyio.run(place.resume, run)
        except ExceptionGroup as group:
            if not isinstance(first_cause(group), LockedError) or time.monotonic() > deadline:
                raise


@requirement("team:postgres:runs")
@pytest.mark.parametrize(("number", "after"), DEATHS)
def test_a_run_whose_process_was_killed_goes_on_and_no_write_happens_twice(
    place: Place, number: int, after: bool
) -> None:
    run = place.start_and_be_killed(lambda: die_at(number, after=after))
    assert run is not None

    state = resumed(place, run.id)

    assert {task.status for task in state.tasks.values()} == {"succeeded"}
    lines = place.lines()
    assert {id: lines[id] for id in state.tasks if id.startswith("note") and lines[id] != 1} == {}
    assert all(lines[id] >= 1 for id in state.tasks)


@requirement("team:postgres:runs")
def test_a_write_waits_for_a_person_and_happens_once_they_approve(place: Place) -> None:
    place.ledger.unlink(missing_ok=True)
    place.gateway.policy.put("ask", "ledger:note")

    async def story() -> RunState:
        async with local_runs(place.gateway, place.folder, place.store) as runs:
            live = await runs.start(
                {"tasks": [task("look", "look", "look"), task("note", "note", "note")]}
            )
            await live.driver.rest()
            assert live.state.having("waiting_approval") == ["note"]
            assert place.lines()["note"] == 0
            _, [question] = place.store.questions(live.driver.run)
            decision: JsonObject = {"task": "note", "approval": question.approval}
            command = Command("c1", "approve", decision, "person")
            place.store.journal.send(live.driver.run, command, place.store.now())
            with anyio.fail_after(30):
                while not live.state.has_ended:
                    await anyio.sleep(0.01)
            return live.state

    try:
        state = anyio.run(story)
    finally:
        place.gateway.policy.remove("ledger:note")

    assert state.status == "succeeded"
    assert place.lines()["note"] == 1


@requirement("team:postgres:runs")
def test_what_runs_teach_is_there_for_the_next_process(place: Place, tmp_path: Path) -> None:
    async def story() -> RunState:
        async with local_runs(place.gateway, place.folder, place.store) as runs:
            first = task("first", "look", "first")
            second = task("second", "look", "second ${first.result}")
            live = await runs.start({"tasks": [first, second], "intent": "look twice"})
            await live.driver.rest()
            return live.state

    anyio.run(story)
    again = Place(place.folder, tmp_path, place.gateway.env)

    edges = [(edge.source, edge.target) for edge in again.store.tool_graph.edges()]
    assert ("ledger:look", "ledger:look") in edges
    assert any(episode.intent == "look twice" for episode in again.store.episodes.latest(10))
