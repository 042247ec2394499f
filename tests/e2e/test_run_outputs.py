"""Large outputs of a run over a real server: the vault has them, the journal names them, and they expire."""

import json

import anyio
import pytest
from tests.e2e.ledger import Place, task
from tests.requirements import requirement

from recollect.app.local_runs import local_runs
from recollect.records.json_format import JsonObject
from recollect.views.runs import run_export, run_output
from recollect.workflow import events
from recollect.workflow.commands import Command, CommandName
from recollect.workflow.run_state import RunState

WORDS = 30_000  # far more than a reply may have


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("data"))


def large(id: str, tool: str) -> JsonObject:
    return {"id": id, "tool": f"ledger:{tool}", "arguments": {"name": id, "words": WORDS}}


def last(source: str) -> JsonObject:
    """A task that reads a large output, after a person has said yes."""
    return {**task("last", "look", f"last ${{{source}.result}}"), "approval": "always"}


async def paused(place: Place, *tasks: JsonObject) -> str:
    """A run that waits for a person, and that no process has any more."""
    place.ledger.unlink(missing_ok=True)
    async with local_runs(place.gateway, place.folder, place.store) as runs:
        live = await runs.start({"tasks": list(tasks)})
        await live.driver.rest()
        assert live.state.paused_for == "approval"
        return live.run


async def finished(place: Place, run: str) -> RunState:
    """The run after a person has decided about everything that it waits for."""
    async with local_runs(place.gateway, place.folder, place.store) as runs:
        live = await runs.resume(run)
        for number in range(3):
            await live.driver.rest()
            for id in live.state.paused_about:
                waits = live.state.tasks[id]
                name: CommandName = "answer" if waits.status == "in_doubt" else "approve"
                arguments: JsonObject = {"task": id, "approval": waits.approval}
                if waits.status == "in_doubt":
                    arguments = {"task": id, "output": {"result": "from a person"}}
                live.driver.send(Command(f"c{number}", name, arguments, "person"))
        await live.driver.rest()
        return live.state


@requirement("workflow:journal:large-outputs")
def test_the_journal_names_a_large_output_and_everybody_reads_it_from_the_vault(place: Place) -> None:
    run = anyio.run(paused, place, large("page", "page"), last("page"))
    text = f"page{' word' * WORDS}"

    rows = [entry.event for entry in place.store.journal.entries(run)]
    [stored] = [event for event in rows if isinstance(event, events.TaskSucceeded)]
    assert (stored.output, stored.stored_as) == (None, "result")
    assert place.store.state(run).tasks["page"].output == {"result": text}
    exported = run_export(place.store.record(run), place.store.entries(run))
    assert any(event["fields"].get("output") == {"result": text} for event in exported["events"])
    fork, made = place.store.fork(run, None, {})
    assert made.reused == ("page",)
    assert place.store.state(fork).tasks["page"].output == {"result": text}
    state = anyio.run(finished, place, run)

    assert state.status == "succeeded"
    assert state.tasks["last"].arguments == {"text": f"last {text}"}
    assert place.lines() == {"page": 1, "last": 1}


@requirement("workflow:journal:expired-outputs")
def test_an_expired_output_is_read_again_from_its_tool(place: Place) -> None:
    run = anyio.run(paused, place, large("page", "page"), last("page"))
    place.lose_results()

    shown = run_output(run, place.store.state(run))["tasks"][0]
    state = anyio.run(finished, place, run)

    assert shown["expired"] is True
    assert "preview" not in shown
    assert state.status == "succeeded"
    assert place.lines() == {"page": 2, "last": 1}


@requirement("workflow:journal:expired-outputs")
def test_an_expired_output_of_a_write_is_put_to_a_person_and_the_write_is_not_repeated(
    place: Place,
) -> None:
    run = anyio.run(paused, place, large("book", "book"), last("book"))
    place.lose_results()

    state = anyio.run(finished, place, run)

    assert state.status == "succeeded"
    assert state.tasks["last"].arguments == {"text": "last from a person"}
    assert place.lines() == {"book": 1, "last": 1}


def test_what_is_stored_is_small(place: Place) -> None:
    run = anyio.run(paused, place, large("page", "page"), last("page"))

    rows = [events.event_fields(entry.event) for entry in place.store.journal.entries(run)]

    # the approval shows its arguments in full, everything else is small
    assert sorted(len(json.dumps(row)) for row in rows)[-2] < 1_000
