"""Searches leave traces, and what is read afterwards is their outcome."""

import json
from collections.abc import Callable

import pytest
from tests.hook.test_prompt import keep
from tests.requirements import requirement

from recollect.app import traces as project_traces
from recollect.app.project import Recollect
from recollect.paths import STATE_NAME
from recollect.retrieval.request import Request

QUERY = "Why is the Hamburg login stuck in a redirect loop?"


def search(project: Recollect, query: str = QUERY) -> None:
    project.find(Request(query, session="s1"))


@requirement("learning:traces:recorded")
def test_a_search_leaves_a_trace_of_its_best_hits_and_nothing_of_its_text(project: Recollect) -> None:
    keep(project)
    keep(project, "Redirect the login of the portal")

    search(project)
    search(project, f"  {QUERY.upper()}\n")

    [last, *_, first] = project.traces.latest(10)
    assert {trace.candidate for trace in project.traces.latest(10)} == {
        "mem:fix-the-oauth2-redirect-loop",
        "mem:redirect-the-login-of-the-portal",
    }
    assert (last.kind, last.session, last.decision) == ("retrieval", "s1", "accepted")
    assert last.context == first.context
    assert last.milliseconds > 0
    for path in project.state_folder.glob(f"{STATE_NAME}*"):
        assert b"hamburg" not in path.read_bytes().lower()


@requirement("learning:traces:outcomes")
def test_a_memory_that_is_read_was_selected_and_its_neighbours_were_ignored(project: Recollect) -> None:
    keep(project)
    keep(project, "Redirect the login of the portal")
    search(project)

    project.traces.read("mem:redirect-the-login-of-the-portal")
    project.traces.read("mem:never-found")

    outcomes = {trace.candidate: trace.outcome for trace in project.traces.latest(10)}
    assert outcomes == {
        "mem:redirect-the-login-of-the-portal": "selected",
        "mem:fix-the-oauth2-redirect-loop": "ignored",
    }


def test_traces_are_written_many_at_a_time(project: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_traces, "BATCH", 3)
    keep(project)
    state = project.state_folder / STATE_NAME

    search(project)
    search(project)
    assert not state.exists()
    search(project)

    assert state.exists()


def test_nothing_is_traced_where_the_setting_says_so(
    project: Recollect, reopen: Callable[[], Recollect]
) -> None:
    keep(project)
    (project.root / "memory-config.json").write_text(json.dumps({"learning": {"traces": False}}))
    silent = reopen()

    search(silent)
    silent.traces.write()

    assert silent.traces.latest(10) == ()
    assert not (silent.state_folder / STATE_NAME).exists()


def test_a_database_that_cannot_be_used_costs_no_search(project: Recollect) -> None:
    keep(project)
    project.prepare_state_folder()
    (project.state_folder / STATE_NAME).write_bytes(b"no database" * 1000)

    search(project)
    project.traces.write()
