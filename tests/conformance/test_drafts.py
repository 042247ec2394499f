"""What every `DraftStore` does."""

from pathlib import Path

import pytest
from tests.conformance.engines import Engine

from recollect.errors import NotFoundError
from recollect.records.json_format import Json
from recollect.records.redaction_port import SecretFinding
from recollect.redaction.gate import gate
from recollect.storage import retention
from recollect.working.draft import summary_document
from recollect.working.history import Action, SessionHistory
from recollect.working.ports import DraftStore

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HISTORY = SessionHistory(
    "s1", "codex", "Rename the login column.", actions=(Action("edit", "src/login.py", 4),)
)
SUMMARY = summary_document(HISTORY)


@pytest.fixture
def drafts(engine: Engine, tmp_path: Path) -> DraftStore:
    return engine.drafts(tmp_path, gate)


def test_a_draft_is_read_as_it_was_put_and_replaced_by_the_next_of_its_name(
    drafts: DraftStore,
) -> None:
    drafts.put("session-s1", SUMMARY | {"title": "An older title"})

    assert drafts.put("session-S1/..", SUMMARY) == "session-s1"

    [draft] = drafts.all()
    assert (draft.name, draft.document, draft.session) == ("session-s1", SUMMARY, "s1")
    assert drafts.get("session-s1") == draft


def test_a_dropped_draft_is_gone(drafts: DraftStore) -> None:
    drafts.put("session-s1", SUMMARY)

    drafts.drop("session-s1")

    assert drafts.all() == []
    with pytest.raises(NotFoundError):
        drafts.drop("session-s1")


def test_the_oldest_drafts_make_room(drafts: DraftStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "MAX_DRAFTS", 2)
    for name in ("first", "second", "third"):
        drafts.put(name, SUMMARY)

    assert [draft.name for draft in drafts.all()] == ["second", "third"]


def test_a_draft_passes_the_gate_before_it_is_stored(drafts: DraftStore, tmp_path: Path) -> None:
    drafts.put("session-s1", SUMMARY | {"title": f"Deploy with {KEY}"})

    assert drafts.get("session-s1").document["title"] == "Deploy with [REDACTED]"
    assert not any(KEY in path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_an_error_in_the_gate_leaves_no_draft(engine: Engine, tmp_path: Path) -> None:
    def broken(value: Json, field: str = "") -> tuple[Json, list[SecretFinding]]:
        raise RuntimeError("the gate is broken")

    drafts = engine.drafts(tmp_path, broken)

    with pytest.raises(RuntimeError):
        drafts.put("session-s1", SUMMARY)
    assert drafts.all() == []


@pytest.mark.parametrize("name", ["nothing", "../session-s1", "", "."])
def test_an_unknown_draft_is_an_error_that_names_those_there_are(drafts: DraftStore, name: str) -> None:
    drafts.put("session-s1", SUMMARY)

    with pytest.raises(NotFoundError, match="session-s1") as raised:
        drafts.get(name)
    assert repr(name) in str(raised.value)
