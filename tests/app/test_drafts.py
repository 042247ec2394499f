"""Keeping a draft as a memory."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.app.drafts import keep_draft
from recollect.app.project import Recollect
from recollect.paths import STATE_NAME
from recollect.records.memories import Repeats, Saved
from recollect.redaction.gate import gate
from recollect.storage.files.drafts import FileDrafts
from recollect.storage.sqlite.state import StateDatabase, precise_now
from recollect.working.draft import runbook_document, summary_document
from recollect.working.history import Action, Failure, SessionHistory
from recollect.working.ports import DraftStore
from recollect.working.recorder import SessionRecorder

HISTORY = SessionHistory(
    "s1", "codex", "Rename the login column.", actions=(Action("edit", "src/login.py", 4),)
)


def runbook() -> dict[str, Any]:
    failure = Failure("ff0ed2bdb79723db", "pytest -q", "ValueError: no column", 2, resolved_at="2026")
    document = runbook_document(failure, HISTORY)
    assert document
    return document


@pytest.fixture
def drafts(project: Recollect) -> DraftStore:
    return FileDrafts(project.project.root.state, gate)


@pytest.fixture
def recorder(project: Recollect) -> Iterator[SessionRecorder]:
    project.project.root.state.mkdir(exist_ok=True)
    state = StateDatabase(str(project.project.root.state / STATE_NAME))
    yield SessionRecorder(state, precise_now)
    state.close()


@requirement("working:drafts:apart")
def test_a_draft_is_no_memory_until_it_is_kept(
    project: Recollect, drafts: DraftStore, recorder: SessionRecorder
) -> None:
    name = drafts.put("session-S1/..", summary_document(HISTORY))

    assert name == "session-s1"
    assert project.memories.scan().stored == ()

    done = keep_draft(drafts.get(name), drafts, project.memories, recorder, confirmed=True)

    assert isinstance(done, Saved)
    assert done.stored.memory.document["source"] == {"kind": "user", "session": "s1"}
    assert drafts.all() == []


def test_keeping_a_session_again_changes_the_memory_it_was_kept_as(
    project: Recollect, drafts: DraftStore, recorder: SessionRecorder
) -> None:
    recorder.begin("s1", "codex")
    for goal in ("Rename the login column.", "Rename the login column and its index."):
        drafts.put(
            "session-s1", summary_document(SessionHistory("s1", goal=goal, actions=HISTORY.actions))
        )
        keep_draft(drafts.get("session-s1"), drafts, project.memories, recorder, confirmed=True)

    [stored] = project.memories.scan().stored
    assert stored.memory.content["goal"] == "Rename the login column and its index."
    assert recorder.history("s1").summary_memory == stored.memory.id


def test_a_runbook_that_says_what_one_says_already_is_left_for_the_person_to_decide(
    project: Recollect, drafts: DraftStore, recorder: SessionRecorder
) -> None:
    for _ in range(2):
        drafts.put("runbook-x", runbook())
        done = keep_draft(drafts.get("runbook-x"), drafts, project.memories, recorder, confirmed=True)

    assert isinstance(done, Repeats)
    assert [draft.name for draft in drafts.all()] == ["runbook-x"]
    assert recorder.stores.history.fixes("ff0ed2bdb79723db") == [done.existing.memory.unified_id]
