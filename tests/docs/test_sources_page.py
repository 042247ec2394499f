"""Every requirement of the source documents has a line that says how it stands, and the line is true."""

from collections import Counter
from pathlib import Path

import pytest
from tests.requirements import manifest, requirement
from tests.requirements.sources import SourceDocument, documents

DECISIONS = Path(__file__).parent.parent.parent / "docs" / "decisions"
# The parts of each document that ask for something.
PARTS = {
    "000": ("ADR-001", "ADR-002", "ADR-003", "ADR-004", "ADR-005", "ADR-006"),
    "001": ("1", "2", "3", "4", "5", "6", "7", "8", "9", "B"),
    "002": ("ADR-001", "ADR-002", "ADR-003", "ADR-004", "ADR-005"),
    "004": ("1", "2", "3", "4", "5", "6", "7", "Phase 1", "Phase 2", "Phase 3", "Configuration", "No"),
}
each = pytest.mark.parametrize("document", documents(), ids=lambda document: document.name)


@requirement("docs:sources:every-requirement")
def test_every_part_of_the_four_documents_has_requirements() -> None:
    assert [document.name for document in documents()] == list(PARTS)
    for document in documents():
        for part in PARTS[document.name]:
            ids = [row.id for row in document.requirements]
            assert any(id == part or id.startswith(f"{part} ") for id in ids), (document.name, part)
        assert all(row.id.startswith(PARTS[document.name]) for row in document.requirements)


@each
def test_no_requirement_is_listed_twice(document: SourceDocument) -> None:
    counts = Counter(row.id for row in document.requirements)

    assert [id for id, count in counts.items() if count > 1] == []


@each
def test_what_works_or_differs_is_held_by_promises_that_are_tested(document: SourceDocument) -> None:
    tested = {promise.id for promise in manifest() if promise.is_tested}

    for row in document.requirements:
        assert row.held_by or row.deferred, row.id
        assert set(row.held_by) <= tested, row.id


@each
def test_what_differs_names_a_decision_and_nothing_is_both(document: SourceDocument) -> None:
    for row in document.requirements:
        assert not (row.differs and row.deferred), row.id
        assert bool(row.differs) == bool(row.decision), row.id
        if row.decision:
            assert list(DECISIONS.glob(f"{row.decision}-*.md")), row.id


@each
def test_every_line_is_a_sentence(document: SourceDocument) -> None:
    for row in document.requirements:
        for text in (row.asks, row.differs, row.deferred):
            assert not text or text.endswith("."), row.id


def test_what_a_promise_calls_divergent_the_page_calls_so_too() -> None:
    divergent = {promise.id for promise in manifest() if promise.divergent}

    for document in documents():
        for row in document.requirements:
            if row.status == "works":
                assert not divergent & set(row.held_by), row.id
