"""Outputs that the journal only names: read back from the vault, or decided about when they have expired."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.workflow.simulation import Simulation, task

from recollect.errors import NotFoundError
from recollect.gateway.vault.content import parts_of
from recollect.gateway.vault.output_form import OutputForm, output_form, stored_output
from recollect.records.json_format import Json
from recollect.workflow import events
from recollect.workflow.events import CallEffect, JournalEntry
from recollect.workflow.forking import fork
from recollect.workflow.reducer import reduced
from recollect.workflow.run_state import RunState
from recollect.workflow.stored_outputs import journaled, restored

READER = task("reader", arguments={"a": "${source.x}"})


def stored(id: str, source: events.OutputSource = "call") -> events.TaskSucceeded:
    return events.TaskSucceeded(id, {"x": id}, source=source, handle=f"r-{id}", stored_as="value")


def entries(log: list[events.RunEvent]) -> list[JournalEntry]:
    return [JournalEntry(number, "", journaled(event)) for number, event in enumerate(log, 1)]


def gone(handle: str, _: OutputForm) -> tuple[Json, bool]:
    raise NotFoundError(handle)


def resumed(log: list[events.RunEvent]) -> Simulation:
    """The run, gone on with after everything in the vault has expired."""
    run = Simulation([task("x")])
    run.log = [entry.event for entry in restored(entries(log), gone)]
    run.state = reduced(run.log)
    run.record(events.RunResumed())
    return run


def half_done(effect: CallEffect, *tasks: Any) -> Simulation:
    """A run whose task `source` is done; its output is in the vault."""
    run = Simulation(tasks or [task("source"), READER])
    run.record(events.TaskStarted("source", 1, effect, {}))
    run.record(stored("source"))
    return run


def test_what_is_in_the_vault_is_read_back_and_a_secret_that_is_missing_is_noted() -> None:
    run = half_done("read")
    written = entries(run.log)

    back = restored(written, lambda handle, form: ({"x": f"{handle} {form}"}, True))

    assert reduced([entry.event for entry in written]).tasks["source"].has_expired
    assert reduced([entry.event for entry in back]).tasks["source"].output == {"x": "r-source value"}
    assert [entry.redacted for entry in back if entry.redacted] == [("output",)]


@requirement("workflow:journal:expired-outputs")
@pytest.mark.parametrize("effect", ["read", "repeatable"])
def test_what_only_reads_is_called_again(effect: CallEffect) -> None:
    run = resumed(half_done(effect).log)

    assert run.start() == ["source"]
    run.record(stored("source"))
    assert run.start() == ["reader"]


@requirement("workflow:journal:expired-outputs")
def test_a_write_is_put_to_a_person_and_nothing_reads_what_is_not_there() -> None:
    run = resumed(half_done("write").log)

    assert run.start() == []
    run.settle()
    assert (run.state.paused_for, run.state.paused_about) == ("in_doubt", ("source",))
    run.send("answer", "person", task="source", output={"x": 1})
    assert run.start() == ["reader"]


@pytest.mark.parametrize("effect", ["read", "write"])
def test_an_output_that_nobody_reads_any_more_may_expire(effect: CallEffect) -> None:
    run = half_done(effect, task("source"), READER, task("other", needs=["reader"]))
    run.start()
    run.record(events.TaskSucceeded("reader", {}))
    again = resumed(run.log)

    assert again.status("source") == "succeeded"
    assert again.start() == ["other"]


def test_what_an_expired_output_is_made_from_is_called_again_too() -> None:
    first = task("first")
    run = Simulation([first, task("source", arguments={"a": "${first.x}"}), READER])
    for id in ("first", "source"):
        run.record(events.TaskStarted(id, 1, "read", {}))
        run.record(stored(id))
    again = resumed(run.log)

    for id in ("first", "source", "reader"):
        assert again.start() == [id]
        again.record(stored(id))
    again.settle()
    assert again.state.status == "succeeded"


def listed(effect: CallEffect) -> Simulation:
    """A list of three whose second output was large, with a reader of them all."""
    run = Simulation([task("source", for_each=[1, 2, 3]), READER])
    run.record(events.TaskExpanded("source", 3))
    for index in range(3):
        id = f"source[{index}]"
        run.record(events.TaskStarted(id, 1, effect, {}))
        run.record(stored(id) if index == 1 else events.TaskSucceeded(id, {"x": id}))
    return run


def test_of_a_list_only_the_item_whose_output_has_expired_is_called_again() -> None:
    run = resumed(listed("read").log)

    assert run.start() == ["source[1]"]
    run.record(stored("source[1]"))
    assert run.state.tasks["source"].output == [{"x": f"source[{index}]"} for index in range(3)]


def test_a_list_of_writes_with_an_expired_output_is_put_to_a_person() -> None:
    run = resumed(listed("write").log)

    assert run.start() == []
    assert run.status("source") == "in_doubt"
    run.send("approve", "person", task="source")
    assert run.start() == ["source[1]"]


def test_a_list_goes_on_with_its_items_after_the_output_they_came_from_has_expired() -> None:
    each = task("each", for_each="${source.x}")
    run = half_done("read", task("source"), each)
    run.record(events.TaskExpanded("each", 2, ["a", "b"]))

    state = reduced([entry.event for entry in restored(entries(run.log), gone)])

    assert state.tasks["each"].values == ("a", "b")


@requirement("workflow:fork:rehearse")
@pytest.mark.parametrize(("effect", "asks"), [("read", ()), ("write", ("source",))])
def test_a_fork_does_again_what_has_expired_and_asks_before_a_write(
    effect: CallEffect, asks: tuple[str, ...]
) -> None:
    back = restored(entries(half_done(effect).log), gone)

    made = fork("r1", back, len(back), {})

    assert (made.reused, made.asks) == ((), asks)


def test_the_output_of_a_list_is_stored_once() -> None:
    run = listed("read")

    rows = [entry.event for entry in entries(run.log)]

    assert [event.output for event in rows if isinstance(event, events.TaskSucceeded)][-1] is None
    state: RunState = reduced([entry.event for entry in restored(entries(run.log), read_stored)])
    assert state.tasks["source"].output == run.state.tasks["source"].output


def read_stored(handle: str, _: OutputForm) -> tuple[Json, bool]:
    return {"x": handle.removeprefix("r-")}, False


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4)
    ),
)


@given(st.dictionaries(st.text("abcr", min_size=1, max_size=6), VALUES, max_size=4))
def test_structured_content_is_read_back_as_it_was_or_not_at_all(value: dict[str, Any]) -> None:
    parts = [part for _, part in parts_of({"structuredContent": value, "content": []})]
    form = output_form(parts, value)
    assert form == "" or stored_output(parts, form) == value


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=30))
def test_texts_are_read_back_as_they_were_or_not_at_all(texts: list[str]) -> None:
    content: list[Json] = [{"type": "text", "text": text} for text in texts]
    output = "\n".join(texts)
    parts = [part for _, part in parts_of({"content": content})]
    form = output_form(parts, output)
    assert form == "" or stored_output(parts, form) == output


@pytest.mark.parametrize(
    ("output", "form"),
    [
        ({"rows": [1, 2]}, "value"),
        ({"result": "prose, not a table"}, "result"),
        ({"result": 5}, "value"),
    ],
)
def test_usual_results_are_read_back(output: dict[str, Any], form: str) -> None:
    parts = [part for _, part in parts_of({"structuredContent": output, "content": []})]
    assert output_form(parts, output) == form
