"""Files without 1.1 fields keep the rules of format 1.0, which another program checks strictly.

The rules are stated here a second time, apart from the declarations that the code uses.
"""

import re
from datetime import datetime
from typing import Any

import pytest
from tests.requirements import requirement
from tests.samples import NOW, draft

from recollect.errors import InvalidMemoryError
from recollect.ids import MemoryId, parse_unified
from recollect.records.categories import Category
from recollect.records.json_format import JsonObject
from recollect.records.lifecycle import restore, retire
from recollect.records.links import add_link, remove_link
from recollect.records.record import Link, LinkType

REQUIRED = {
    "schema_version",
    "category",
    "id",
    "title",
    "created_at",
    "updated_at",
    "tags",
    "content",
}
OPTIONAL = {
    "related_files",
    "confidence",
    "record_status",
    "changes",
    "times_updated",
    "retired_at",
    "retired_reason",
    "archived_at",
    "archived_reason",
}
CONTENT_FIELDS = {
    "decision": "status context decision rationale alternatives consequences",
    "constraint": "kind rule impact workarounds severity active expires",
    "preference": "topic value reason strength examples",
    "runbook": "trigger symptoms steps verification root_cause environment",
    "tech_debt": "status priority description reason_deferred impact suggested_fix acceptance_criteria",
    "session_summary": "goal outcome completed in_progress blockers next_actions key_changes",
}


def broken_rules(document: JsonObject) -> list[str]:
    """The rules of format 1.0 that a document breaks. Format 1.0 allows no field beside its own."""
    content = document["content"]
    assert isinstance(content, dict)
    rules = {
        "the version is 1.0": document["schema_version"] == "1.0",
        "every required field is there": set(document) >= REQUIRED,
        "there is no other field": set(document) <= REQUIRED | OPTIONAL,
        "no field is null": all(value is not None for value in document.values()),
        "the id is a slug of at most 80 characters": bool(
            re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,78}[a-z0-9])?", str(document["id"]))
        ),
        "the title has at most 120 characters": len(str(document["title"])) <= 120,
        "times are ISO 8601": all(
            datetime.fromisoformat(str(document[name])) for name in ("created_at", "updated_at")
        ),
        "there is a tag": bool(document["tags"]),
        "content has its category's fields only": set(content)
        <= set(CONTENT_FIELDS[str(document["category"])].split()),
    }
    return [rule for rule, holds in rules.items() if not holds]


@requirement("records:record:lowest-version")
@pytest.mark.parametrize("category", list(Category))
def test_a_new_memory_without_1_1_fields_keeps_the_rules_of_1_0(category: Category) -> None:
    whole = draft("x" * 120, category, related_files=["src/a.py"], confidence=0.5)

    document = whole.as_memory(whole.proposed_id(), NOW).document

    assert broken_rules(document) == []


@pytest.mark.parametrize("category", list(Category))
def test_a_new_memory_that_is_retired_and_restored_keeps_the_rules_of_1_0(category: Category) -> None:
    memory = draft(category=category).as_memory(MemoryId("x"), NOW)

    retired = retire(memory, "no longer needed", NOW)

    assert broken_rules(retired.document) == []
    assert broken_rules(restore(retired, NOW).document) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("links", [{"type": "caused", "target": "mem:other"}]),
        ("anchors", [{"path": "a.py", "digest": "sha256:00"}]),
        ("source", {"kind": "agent"}),
        ("valid_from", "2026-11-15T10:00:00Z"),
        ("valid_to", "2027-11-15T10:00:00Z"),
    ],
)
def test_a_new_memory_with_a_1_1_field_says_1_1(field: str, value: Any) -> None:
    document = draft(**{field: value}).as_memory(MemoryId("x"), NOW).document

    assert document["schema_version"] == "1.1"


def test_removing_the_last_1_1_field_lowers_the_version_again() -> None:
    memory = draft().as_memory(MemoryId("x"), NOW)
    link = Link(LinkType.CAUSED, parse_unified("mem:y"))

    linked = add_link(memory, link, NOW)
    unlinked = remove_link(linked, link.type, link.target, NOW)

    assert linked.document["schema_version"] == "1.1"
    assert broken_rules(unlinked.document) == []


def test_a_new_preference_still_needs_its_reason() -> None:
    """Format 1.0 does not require it; what is written now meets the requirements of 1.1."""
    without_reason = draft(category=Category.PREFERENCE, content={"reason": None})

    with pytest.raises(InvalidMemoryError, match="reason"):
        without_reason.as_memory(MemoryId("x"), NOW)


def test_a_draft_that_names_its_version_keeps_it() -> None:
    document = draft(schema_version="1.1").as_memory(MemoryId("x"), NOW).document

    assert document["schema_version"] == "1.1"
