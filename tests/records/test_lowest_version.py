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
from recollect.records.json_format import Json, JsonObject
from recollect.records.lifecycle import changed, restore, retire
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

CHANGE_FIELDS = {"date", "summary", "field", "old_value", "new_value"}
INNER_FIELDS = {  # of the rows and objects in a content
    "alternatives": {"option", "rejected_reason"},
    "examples": {"prefer", "avoid"},
}
CHOICES = {
    ("decision", "status"): "proposed accepted deprecated superseded",
    ("constraint", "kind"): "limitation gap policy technical",
    ("constraint", "severity"): "high medium low",
    ("preference", "strength"): "strong default soft",
    ("tech_debt", "status"): "open in_progress resolved wont_fix",
    ("tech_debt", "priority"): "critical high medium low",
    ("session_summary", "outcome"): "success partial blocked abandoned",
}


def as_rows(value: Json) -> list[JsonObject]:
    """The objects of a list, or the object itself."""
    rows = value if isinstance(value, list) else [value]
    return [row for row in rows if isinstance(row, dict)]


def foreign_fields(content: JsonObject) -> set[str]:
    """Fields inside of a content's rows and objects that format 1.0 does not have."""
    return {
        inner
        for name, own in INNER_FIELDS.items()
        for row in as_rows(content.get(name))
        for inner in row.keys() - own
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
        "rows and objects have their own fields only": not foreign_fields(content),
        "every choice is one of 1.0": all(
            content[name] in choices.split()
            for (category, name), choices in CHOICES.items()
            if category == document["category"]
        ),
        "changes have their own fields only and short summaries": all(
            row.keys() <= CHANGE_FIELDS and len(str(row["summary"])) <= 300
            for row in as_rows(document.get("changes"))
        ),
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


@requirement("records:record:lowest-version")
def test_a_status_that_only_1_1_has_makes_a_memory_1_1_and_another_makes_it_1_0_again() -> None:
    memory = draft().as_memory(MemoryId("x"), NOW)
    content = memory.document["content"]
    assert isinstance(content, dict)

    new = draft(content={"status": "rejected"}).as_memory(MemoryId("y"), NOW)
    rejected = changed(memory, {"content": content | {"status": "rejected"}}, "Rejected", NOW)
    accepted = changed(rejected, {"content": content}, "x" * 400, NOW)

    assert new.document["schema_version"] == rejected.document["schema_version"] == "1.1"
    assert broken_rules(accepted.document) == []


@requirement("records:record:lowest-version")
@pytest.mark.parametrize(
    "fields",
    [
        {"owner": "me"},
        {"content": {"cost": "two days"}},
        {"content": {"alternatives": [{"option": "a", "rejected_reason": "b", "votes": 3}]}},
    ],
)
def test_a_new_memory_with_a_field_that_no_format_has_does_not_say_1_0(fields: Any) -> None:
    document = draft(**fields).as_memory(MemoryId("x"), NOW).document

    assert document["schema_version"] == "1.1"


def test_a_1_0_memory_with_a_field_that_no_format_has_keeps_its_version() -> None:
    memory = draft(schema_version="1.0", owner="me").as_memory(MemoryId("x"), NOW)

    assert retire(memory, "no longer needed", NOW).document["schema_version"] == "1.0"


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
