"""Projections: what was read becomes fields, fields become a proposal, and a preview shows them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.errors import RefusedError
from recollect.gateway.vault.content import JsonPart, StoredPart, StoredResult, TablePart, TextPart
from recollect.gateway.vault.projection import (
    MOST_FIELDS,
    FieldReads,
    Projection,
    field_of,
    projected,
    proposals,
    valid_fields,
)
from recollect.gateway.vault.reply import META_PROJECTION, cost, stored_reply
from recollect.records.json_format import Json, JsonObject

ISSUES: Json = {
    "total": 500,
    "items": [
        {
            "id": number,
            "title": f"Issue {number}",
            "body": "x" * 200,
            "owner": {"name": "Ada", "age": 36},
        }
        for number in range(500)
    ],
}
scalars = st.none() | st.booleans() | st.integers(-99, 99) | st.text("ab", max_size=30)
documents = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=30,
)


def reads(**results: int) -> list[FieldReads]:
    return [
        FieldReads("s", "t", field.replace("__", "[*]."), count) for field, count in results.items()
    ]


@requirement("gateway:vault:projections")
@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("items[17].title", "items[*].title"),
        ("$.items[-1].title", "items[*].title"),
        ("items[2:9].owner.name", "items[*].owner.name"),
        ("items[*]", "items"),
        ("items[3]", "items"),
        ("total", "total"),
        ("[0].id", "[*].id"),
        ('users["ada@example.com"].age', "users[*].age"),
        ('by_id["9f2c41aa77"].state', "by_id[*].state"),
        ("", ""),
        ("[3]", ""),
    ],
)
def test_a_field_is_a_path_without_positions_and_without_values(path: str, field: str) -> None:
    assert field_of(JsonPart(ISSUES), path) == field


def test_a_text_has_no_fields() -> None:
    assert field_of(TextPart("a.b"), "") == ""
    assert field_of(TablePart("id,name\n1,x\n", ","), "[0].name") == "[*].name"


@requirement("gateway:vault:projections")
def test_fields_that_were_read_in_three_results_are_proposed() -> None:
    read = reads(items__id=3, items__title=4, items__body=2)

    assert proposals(read, []) == [Projection("s", "t", ("items[*].id", "items[*].title"))]
    assert proposals(reads(items__id=2), []) == []


def test_a_field_within_another_is_not_named_twice() -> None:
    assert proposals(reads(owner=3, items__id=3, items=5), []) == [
        Projection("s", "t", ("items", "owner"))
    ]


def test_what_is_in_use_is_proposed_again_only_for_a_new_field() -> None:
    in_use = [Projection("s", "t", ("items[*].id", "owner"))]

    assert proposals(reads(items__id=3, owner=9), in_use) == []
    assert proposals([FieldReads("s", "t", "owner.name", 3)], in_use) == []
    assert proposals(reads(items__id=3, items__title=3), in_use) == [
        Projection("s", "t", ("items[*].id", "items[*].title"))
    ]


def test_a_proposal_has_few_fields_those_read_most() -> None:
    read = [FieldReads("s", "t", f"f{chr(97 + number)}", 3 + number) for number in range(20)]

    (projection,) = proposals(read, [])

    assert len(projection.fields) == MOST_FIELDS
    assert "ft" in projection.fields


def test_a_preview_has_the_fields_alone_and_counts_the_rows_that_do_not_fit() -> None:
    fields = ["items[*].id", "items[*].owner.name"]

    everything = json.loads(projected(JsonPart(ISSUES), fields, 100_000))
    some = projected(JsonPart(ISSUES), fields, 2_000)

    assert everything["items"][499] == {"id": 499, "owner": {"name": "Ada"}}
    assert list(everything) == ["items"]
    rows = json.loads(some)["items"]
    assert len(some) <= 2_000
    assert rows[-1] == f"… {500 - (len(rows) - 1)} more"
    assert len(rows) > 30


def test_a_preview_of_a_table_has_the_columns() -> None:
    table = TablePart("id,name,notes\n1,Ada,long\n2,Bob,longer\n3,Eve,longest\n", ",")

    assert json.loads(projected(table, ["[*].name"], 1_000)) == [
        {"name": "Ada"},
        {"name": "Bob"},
        {"name": "Eve"},
    ]


def test_a_null_is_a_value_and_a_result_without_the_fields_has_no_projection() -> None:
    assert projected(JsonPart({"error": None, "x": 1}), ["error"], 100) == '{"error": null}'
    assert projected(JsonPart(ISSUES), ["rows[*].id"], 100) == ""
    assert projected(TextPart("items"), ["items"], 100) == ""


@given(documents, st.sampled_from(["a", "a[*].b", "[*].c", "b.c", "[*][*].a"]), st.integers(40, 400))
def test_no_document_makes_a_preview_too_long(document: Json, field: str, most: int) -> None:
    assert len(projected(JsonPart(document), [field], most)) <= most


@requirement("gateway:vault:projections")
def test_the_reply_shows_the_fields_and_says_that_the_rest_is_stored() -> None:
    result: JsonObject = {"content": [], "structuredContent": ISSUES}
    stored = StoredResult("r-1", "s:t", (StoredPart(1, JsonPart(ISSUES), "f", 120_000),))

    reply = stored_reply(result, stored, fields=["items[*].title"])

    text = str(reply["content"])
    assert "Issue 120" in text
    assert "xxxx" not in text
    assert "only items[*].title; everything else is stored, and read_result reads it" in text
    assert "body: str" in text  # the shape still names what was left out
    assert reply["_meta"] == {"recollect/handle": "r-1", META_PROJECTION: ["items[*].title"]}
    assert cost(reply) < 2_500


def test_a_result_without_the_fields_gets_the_usual_preview() -> None:
    result: JsonObject = {"content": [], "structuredContent": ISSUES}
    stored = StoredResult("r-1", "s:t", (StoredPart(1, JsonPart(ISSUES), "f", 120_000),))

    assert stored_reply(result, stored, fields=["nothing"]) == stored_reply(result, stored)


@pytest.mark.parametrize("fields", [[], ["items["], ["[*]"], [f"f{'x' * n}" for n in range(13)]])
def test_wrong_fields_are_refused(fields: list[str]) -> None:
    with pytest.raises(RefusedError):
        valid_fields(fields)


def test_fields_that_a_person_writes_are_generalised_too() -> None:
    assert valid_fields(["items[0].id", "items[1].id"]) == ("items[*].id",)
