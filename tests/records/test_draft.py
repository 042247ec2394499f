import pytest
from tests.samples import CONTENT, NOW, draft

from recollect.errors import InvalidMemoryError
from recollect.ids import MemoryId
from recollect.records.categories import Category
from recollect.records.draft import Draft
from recollect.records.json_format import JsonObject
from recollect.records.record import FIELDS


def test_id_times_version_and_status_are_filled_in() -> None:
    document = draft().as_memory(MemoryId("sign-a-jwt"), NOW).document

    assert document["id"] == "sign-a-jwt"
    assert document["created_at"] == document["updated_at"] == "2026-11-15T10:00:00Z"
    assert document["schema_version"] == "1.0"
    assert document["record_status"] == "active"


def test_what_the_draft_gives_is_kept_and_what_it_gives_as_null_is_filled_in() -> None:
    given = draft(
        created_at="2026-01-01T00:00:00Z", updated_at=None, schema_version=None, custom="kept"
    )

    document = given.as_memory(MemoryId("x"), NOW).document

    assert document["created_at"] == document["updated_at"] == "2026-01-01T00:00:00Z"
    assert document["schema_version"] == "1.1"  # format 1.0 has no field `custom`
    assert document["custom"] == "kept"


def test_fields_come_in_the_order_of_the_format_unknown_ones_behind() -> None:
    turned: JsonObject = dict(reversed(draft(custom=1, confidence=1).document.items()))

    document = Draft(turned).as_memory(MemoryId("x"), NOW).document

    order = [field.name for field in FIELDS if field.name in document]
    assert list(document) == [*order, "custom"]
    assert list(document["content"]) == list(CONTENT[Category.DECISION])  # type: ignore[arg-type]


def test_a_tag_given_twice_is_kept_once_and_spaces_round_it_go() -> None:
    assert draft(tags=["auth", " auth ", "jwt"]).as_memory(MemoryId("x"), NOW).tags == ("auth", "jwt")


def test_the_draft_itself_is_not_changed() -> None:
    given = draft(tags=["a", "a"])

    given.as_memory(MemoryId("x"), NOW)

    assert given.document["tags"] == ["a", "a"]
    assert "id" not in given.document


@pytest.mark.parametrize(
    ("fields", "id"),
    [
        ({"title": "Sign a JWT, at login!"}, "sign-a-jwt-at-login"),
        ({"title": "Größe"}, "groe"),
        ({"title": "大小"}, "decision"),
        ({"title": "大小", "category": "tech_debt"}, "tech-debt"),
        ({"title": "x", "id": "my-own"}, "my-own"),
        ({"title": None}, "decision"),
        ({"title": None, "category": "../x"}, "x"),
        ({"title": None, "category": 5}, "memory"),
    ],
)
def test_an_id_is_proposed_for_any_draft(fields: JsonObject, id: str) -> None:
    assert Draft(draft().document | fields).proposed_id() == id


def test_everything_that_a_draft_lacks_is_reported_at_once() -> None:
    empty = Draft({"category": "decision"})

    with pytest.raises(InvalidMemoryError) as caught:
        empty.as_memory(empty.proposed_id(), NOW)

    assert [problem.field for problem in caught.value.problems] == ["title", "tags", "content"]


def test_an_id_with_a_path_in_it_is_refused() -> None:
    with pytest.raises(InvalidMemoryError, match=r"id: must be .* not '\.\./\.\./etc'"):
        draft(id="../../etc").as_memory(MemoryId("../../etc"), NOW)
