"""A memory as something to be found."""

from typing import Any

from tests.samples import document

from recollect.records.categories import SHAPES, Category
from recollect.records.record import Memory
from recollect.records.store import Stored
from recollect.retrieval.documents import document_of
from recollect.retrieval.index import Document


def made(category: Category = Category.DECISION, **fields: Any) -> Document:
    memory = Memory.parse(document(category, **fields), "x")
    return document_of(Stored(memory, "decisions/x.json", "digest"))


def test_a_memory_is_found_by_its_title_its_tags_and_its_text() -> None:
    found = made(
        related_files=["src/auth.py"],
        anchors=[{"path": "src/jwt.py", "digest": "sha256:" + "0" * 64}],
        source={"kind": "tool", "session": "s1"},
    )

    assert (found.id, found.path) == ("mem:a-decision", "decisions/x.json")
    assert (found.title, found.tags) == ("A decision to test with", ("test",))
    assert "Sign a JWT at login." in found.body
    assert "accepted" not in found.body, "a choice is no text"
    assert found.files == ("src/auth.py", "src/jwt.py")
    assert (found.thread, found.source) == ("s1", "tool")
    assert found.created_at == "2026-11-15T10:00:00Z"


def test_every_category_has_text_and_its_own_priority() -> None:
    for category in Category:
        found = made(category)
        assert found.body
        assert found.priority == SHAPES[category].priority


def test_what_is_out_of_use_says_since_when() -> None:
    assert made().gone_at is None
    text = "2026-03-01T00:00:00Z"
    assert made(record_status="retired", retired_at=text).gone_at == text
    assert made(record_status="archived", archived_at=text).gone_at == text
    assert made(record_status="retired", updated_at=text, created_at=text).gone_at == text
