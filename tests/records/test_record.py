import difflib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.documents import VALUES
from tests.requirements import requirement
from tests.samples import CONTENT, document

from recollect.errors import InvalidMemoryError
from recollect.records.categories import Category
from recollect.records.json_format import Json, JsonObject, parse, render
from recollect.records.record import (
    FIELDS,
    Anchor,
    Link,
    LinkType,
    Memory,
    Status,
    parse_span,
    problems,
)

# As the claude-memory plugin wrote it: format 1.0, its order of keys, nulls where it knew nothing.
OLD_DECISION = b"""{
  "schema_version": "1.0",
  "category": "decision",
  "id": "jwt-over-session-cookies",
  "title": "Chose JWT over session cookies",
  "record_status": "active",
  "created_at": "2026-01-10T09:00:00Z",
  "updated_at": "2026-01-12T09:00:00Z",
  "tags": [
    "auth",
    "jwt"
  ],
  "related_files": null,
  "confidence": 0.9,
  "content": {
    "status": "accepted",
    "context": "The API must scale out.",
    "decision": "Sign a JWT at login.",
    "alternatives": [
      {
        "option": "Session cookies",
        "rejected_reason": "They need a store."
      }
    ],
    "rationale": [
      "No session store."
    ],
    "consequences": null
  },
  "changes": [
    {
      "date": "2026-01-12T09:00:00Z",
      "summary": "Raised confidence",
      "field": "confidence",
      "old_value": 0.5,
      "new_value": 0.9
    }
  ],
  "times_updated": 1,
  "retired_at": null,
  "retired_reason": null,
  "archived_at": null,
  "archived_reason": null,
  "x-plugin": {
    "hash": "abc"
  }
}
"""
OLD_PREFERENCE = b"""{
  "schema_version": "1.0",
  "category": "preference",
  "id": "use-pytest",
  "title": "Use pytest",
  "created_at": "2026-01-10T09:00:00Z",
  "updated_at": "2026-01-10T09:00:00Z",
  "tags": [
    "testing"
  ],
  "content": {
    "topic": "testing",
    "value": "Use pytest.",
    "strength": "strong"
  }
}
"""


def read(data: bytes) -> Memory:
    return Memory.parse(parse(data, "x"))


def written(memory: Memory) -> bytes:
    return render(memory.document)


def difference(old: bytes, new: bytes) -> list[str]:
    """The lines that a review would show, without the headers."""
    rows = difflib.unified_diff(old.decode().split("\n"), new.decode().split("\n"), n=0, lineterm="")
    return [row for row in rows if not row.startswith(("---", "+++", "@@"))]


def complaints(found: JsonObject) -> list[str]:
    with pytest.raises(InvalidMemoryError) as caught:
        Memory.parse(found, "some/file.json")
    assert "some/file.json" in str(caught.value)
    return [problem.field for problem in caught.value.problems]


@requirement("records:record:old-format")
@pytest.mark.parametrize("data", [OLD_DECISION, OLD_PREFERENCE])
def test_a_file_of_format_1_0_is_read_and_written_back_byte_for_byte(data: bytes) -> None:
    memory = read(data)

    assert written(memory) == data
    assert written(memory.with_fields({})) == data


def test_nulls_of_an_old_file_read_as_absent() -> None:
    memory = read(OLD_DECISION)

    assert memory.related_files == ()
    assert memory.retired_at is None
    assert memory.status is Status.ACTIVE
    assert memory.links == ()
    assert memory.source == {}


def test_a_file_without_a_status_is_active() -> None:
    assert read(OLD_PREFERENCE).status is Status.ACTIVE


def test_a_change_of_one_field_changes_the_lines_of_that_field_only() -> None:
    changed = read(OLD_DECISION).with_fields({"confidence": 0.95})

    assert difference(OLD_DECISION, written(changed)) == [
        '-  "confidence": 0.9,',
        '+  "confidence": 0.95,',
    ]


def test_a_new_field_takes_the_place_the_format_gives_it_and_moves_nothing_else() -> None:
    changed = read(OLD_PREFERENCE).with_fields({"confidence": 1, "record_status": "active"})

    assert difference(OLD_PREFERENCE, written(changed)) == [
        '+  "confidence": 1,',
        '+  "record_status": "active",',
    ]


def test_a_removed_field_takes_only_its_own_lines_away() -> None:
    changed = read(OLD_DECISION).with_fields({"times_updated": None})

    assert difference(OLD_DECISION, written(changed)) == ['-  "times_updated": 1,']


def test_removing_what_is_null_already_changes_nothing() -> None:
    changed = read(OLD_DECISION).with_fields({"retired_at": None, "archived_reason": None})

    assert written(changed) == OLD_DECISION


def test_an_old_file_that_gains_a_new_field_says_the_newer_version() -> None:
    changed = read(OLD_DECISION).with_fields({"valid_to": "2026-11-15T10:00:00Z"})

    assert changed.document["schema_version"] == "1.1"
    assert changed.valid_to == datetime(2026, 11, 15, 10, tzinfo=UTC)


def test_an_old_file_that_changes_an_old_field_stays_of_its_version() -> None:
    assert read(OLD_DECISION).with_fields({"confidence": 1}).document["schema_version"] == "1.0"


def test_an_old_preference_without_a_reason_can_still_be_superseded() -> None:
    """Format 1.1 requires the reason; a version that it does not satisfy is not claimed."""
    changed = read(OLD_PREFERENCE).with_fields({"valid_to": "2026-11-15T10:00:00Z"})

    assert changed.document["schema_version"] == "1.0"
    assert changed.valid_to is not None


@requirement("records:record:unknown-fields")
@given(st.dictionaries(st.text(min_size=1).map("x-".__add__), VALUES, max_size=3), VALUES)
def test_fields_we_do_not_know_survive_a_change_wherever_they_stand(
    unknown: JsonObject, value: object
) -> None:
    rows = [{"date": "2026-01-01", "summary": "s", **unknown}]
    links = [{"type": "caused", "target": "mem:x", **unknown}]
    content = CONTENT[Category.DECISION] | unknown
    whole = document(content=content, changes=rows, links=links, source={"kind": "user", **unknown})
    memory = Memory.parse(whole | unknown)

    changed = memory.with_fields({"title": "Another"}).document

    assert {**changed, "title": memory.title} == memory.document
    assert all(changed["content"][name] == unknown[name] for name in unknown)  # type: ignore[index,call-overload]


@requirement("records:record:later-major-refused")
def test_a_later_major_version_is_refused_with_advice() -> None:
    with pytest.raises(InvalidMemoryError, match=r"'2.0' is a format.*Upgrade Recollect"):
        Memory.parse(document(schema_version="2.0"))


def test_a_later_minor_version_is_read() -> None:
    assert Memory.parse(document(schema_version="1.7", novelty=[1])).document["novelty"] == [1]


@requirement("records:record:all-problems")
def test_everything_that_is_wrong_is_reported_at_once() -> None:
    broken = document(
        title="x" * 121,
        tags=[],
        confidence=2,
        created_at="soon",
        record_status="gone",
        changes=[{"date": "2026"}] * 51,
        links=[{"type": "hates", "target": "elsewhere:x"}],
        anchors=[{"path": "a.py", "digest": "d", "lines": "9-1"}],
        content={"status": "maybe"},
    )
    del broken["updated_at"]

    assert set(complaints(broken)) >= {
        "title",
        "tags",
        "confidence",
        "created_at",
        "updated_at",
        "record_status",
        "changes",
        "changes[0].summary",
        "links[0].type",
        "links[0].target",
        "anchors[0].lines",
        "content.status",
        "content.context",
        "content.decision",
        "content.rationale",
    }


@pytest.mark.parametrize(
    "name", ["schema_version", "category", "id", "title", "created_at", "updated_at", "tags", "content"]
)
def test_each_required_field_is_missed(name: str) -> None:
    found = document()
    del found[name]

    assert complaints(found) == [name]


@pytest.mark.parametrize("lines", [12, True, [1], {"a": 1}, "x", "1-", "-3", "٣", "0-4", "5-4"])
def test_a_span_that_is_none_is_a_problem_and_no_crash(lines: object) -> None:
    found = document(anchors=[{"path": "a.py", "digest": "d", "lines": lines}])

    assert complaints(found) == ["anchors[0].lines"]


@pytest.mark.parametrize("target", [5, None, {}, "", "nowhere:x", "mem:../x", "skill: "])
def test_a_target_that_is_none_is_a_problem_and_no_crash(target: object) -> None:
    found = document(links=[{"type": "caused", "target": target}])

    assert set(complaints(found)) == {"links[0].target"}


@pytest.mark.parametrize("target", ["old-one", "mem:old-one"])
@requirement("skills:cross:direction")
def test_a_memory_implements_a_skill_and_no_memory(target: str) -> None:
    wrong = document(links=[{"type": "implements", "target": target}])
    right = document(links=[{"type": "implements", "target": "skill:deploy"}])

    assert complaints(wrong) == ["links[0].target"]
    assert str(Memory.parse(right).links[0].target) == "skill:deploy"


@pytest.mark.parametrize("type", ["describes", "governs"])
@requirement("skills:cross:direction")
def test_what_a_skill_says_of_a_memory_is_no_link_of_the_memory(type: str) -> None:
    found = document(links=[{"type": type, "target": "skill:deploy"}])

    assert complaints(found) == ["links[0].type"]


@given(VALUES)
def test_no_value_in_any_field_makes_the_check_crash(value: Json) -> None:
    for name in FIELDS:
        problems(document() | {name.name: value})
        problems(document() | {name.name: [{"type": value, "target": value, "lines": value}]})


def test_the_parts_of_a_memory_are_typed() -> None:
    memory = Memory.parse(
        document(
            links=[{"type": "supersedes", "target": "old-one", "evidence": "said so"}],
            anchors=[{"path": "a.py", "digest": "sha256:x", "lines": "3-9", "commit": "abc"}],
            source={"kind": "agent", "session": "s1"},
            valid_from="2026-11-01",
            related_files=["src/*.py"],
            confidence=1,
            times_updated=3,
        )
    )

    assert memory.links == (Link(LinkType.SUPERSEDES, memory.links[0].target, "said so"),)
    assert memory.links[0].target == "mem:old-one"
    assert memory.anchors == (Anchor("a.py", "sha256:x", (3, 9), "abc"),)
    assert memory.source["kind"] == "agent"
    assert memory.valid_from == datetime(2026, 11, 1, tzinfo=UTC)
    assert memory.related_files == ("src/*.py",)
    assert memory.confidence == 1.0
    assert memory.times_updated == 3
    assert memory.unified_id == "mem:a-decision"


def test_a_memory_holds_from_its_creation_until_told_otherwise() -> None:
    memory = Memory.parse(document())

    assert memory.valid_from == memory.created_at
    assert memory.valid_to is None


def test_what_is_handed_out_is_a_copy() -> None:
    memory = Memory.parse(document(links=[{"type": "caused", "target": "mem:x"}]))

    memory.document["title"] = "changed"
    memory.content["decision"] = "changed"
    memory.rows("links")[0]["type"] = "changed"

    assert memory == Memory.parse(document(links=[{"type": "caused", "target": "mem:x"}]))


def test_what_was_handed_in_can_be_changed_afterwards() -> None:
    given_in = document()
    memory = Memory.parse(given_in)

    given_in["title"] = "changed"

    assert memory.title != "changed"


def test_two_memories_are_equal_whatever_the_order_of_their_keys() -> None:
    turned: JsonObject = dict(reversed(document().items()))

    assert Memory.parse(turned) == Memory.parse(document())
    assert Memory.parse(document(title="Other")) != Memory.parse(document())


@pytest.mark.parametrize(
    ("text", "span"), [("10-40", (10, 40)), ("7", (7, 7)), (None, None), ("", None)]
)
def test_a_span_is_two_lines_one_or_none(text: str | None, span: tuple[int, int] | None) -> None:
    assert parse_span(text) == span


def test_the_sample_of_the_old_format_is_plain_json() -> None:
    assert json.loads(OLD_DECISION)["schema_version"] == "1.0"
