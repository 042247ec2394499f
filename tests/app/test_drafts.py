"""Drafts that wait, are kept or thrown away."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.app.drafts import Drafts, keep
from recollect.app.project import Recollect
from recollect.errors import NotFoundError
from recollect.records.json_format import Json
from recollect.records.memories import Repeats, Saved
from recollect.records.redaction_port import SecretFinding
from recollect.redaction.gate import gate
from recollect.redaction.redact import redact
from recollect.storage.sqlite.state import NAME, StateDatabase
from recollect.storage.sqlite.working import WorkingStore
from recollect.working.draft import runbook_document, summary_document
from recollect.working.history import Action, Failure, Record

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
RECORD = Record("s1", "codex", "Rename the login column.", deeds=(Action("edit", "src/login.py", 4),))


def runbook() -> dict[str, Any]:
    trouble = Failure("ff0ed2bdb79723db", "pytest -q", "ValueError: no column", 2, resolved=True)
    document = runbook_document(trouble, RECORD)
    assert document
    return document


@pytest.fixture
def drafts(project: Recollect) -> Drafts:
    return Drafts(project.project.root.state, gate)


@pytest.fixture
def store(project: Recollect) -> Iterator[WorkingStore]:
    project.project.root.state.mkdir(exist_ok=True)
    state = StateDatabase(str(project.project.root.state / NAME))
    yield WorkingStore(state, redact)
    state.close()


@requirement("working:drafts:apart")
def test_a_draft_is_no_memory_until_it_is_kept(
    project: Recollect, drafts: Drafts, store: WorkingStore
) -> None:
    name = drafts.put("session-S1/..", summary_document(RECORD))

    assert name == "session-s1"
    assert project.memories.scan().stored == ()

    done = keep(drafts.get(name), drafts, project.memories, store, confirmed=True)

    assert isinstance(done, Saved)
    assert done.stored.memory.document["source"] == {"kind": "user", "session": "s1"}
    assert drafts.all() == []


@requirement("working:drafts:updated")
def test_keeping_a_session_again_changes_the_memory_it_was_kept_as(
    project: Recollect, drafts: Drafts, store: WorkingStore
) -> None:
    store.begin("s1", "codex")
    for goal in ("Rename the login column.", "Rename the login column and its index."):
        drafts.put("session-s1", summary_document(Record("s1", goal=goal, deeds=RECORD.deeds)))
        keep(drafts.get("session-s1"), drafts, project.memories, store, confirmed=True)

    [stored] = project.memories.scan().stored
    assert stored.memory.content["goal"] == "Rename the login column and its index."
    assert store.record("s1").kept == stored.memory.id


@requirement("working:drafts:repeats")
def test_a_runbook_that_says_what_one_says_already_is_left_for_the_person_to_decide(
    project: Recollect, drafts: Drafts, store: WorkingStore
) -> None:
    for _ in range(2):
        drafts.put("runbook-x", runbook())
        done = keep(drafts.get("runbook-x"), drafts, project.memories, store, confirmed=True)

    assert isinstance(done, Repeats)
    assert [one.name for one in drafts.all()] == ["runbook-x"]
    assert store.past.fixes("ff0ed2bdb79723db") == [done.existing.memory.unified_id]


@requirement("working:drafts:gate")
def test_a_draft_passes_the_gate_before_it_is_written(drafts: Drafts, project: Recollect) -> None:
    document = summary_document(RECORD) | {"title": f"Deploy with {KEY}"}

    drafts.put("session-s1", document)

    [path] = (project.project.root.state / "drafts").iterdir()
    assert KEY not in path.read_text()
    assert "[REDACTED]" in path.read_text()


@requirement("working:drafts:gate")
def test_an_error_in_the_gate_leaves_no_draft(tmp_path: Path) -> None:
    def broken(value: Json, field: str = "") -> tuple[Json, list[SecretFinding]]:
        raise RuntimeError("the gate is broken")

    drafts = Drafts(tmp_path, broken)

    with pytest.raises(RuntimeError):
        drafts.put("session-s1", summary_document(RECORD))
    assert list(tmp_path.iterdir()) == []


@requirement("working:drafts:unknown")
@pytest.mark.parametrize("name", ["nothing", "../session-s1", "", "."])
def test_a_draft_that_is_not_there_is_an_error_that_names_those_that_are(
    drafts: Drafts, name: str
) -> None:
    drafts.put("session-s1", summary_document(RECORD))

    with pytest.raises(NotFoundError, match="session-s1") as raised:
        drafts.get(name)
    assert repr(name) in str(raised.value)


@requirement("working:drafts:broken")
def test_a_draft_that_cannot_be_read_is_passed_over(drafts: Drafts, project: Recollect) -> None:
    drafts.put("session-s1", summary_document(RECORD))
    folder = project.project.root.state / "drafts"
    (folder / "half.json").write_text("{")
    (folder / "list.json").write_text("[]")
    (folder / ".hidden.json").write_text("{}")

    assert [one.name for one in drafts.all()] == ["session-s1"]
