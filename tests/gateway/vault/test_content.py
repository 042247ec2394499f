"""The parts of a result."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.vault.documents import VALUES

from recollect.gateway.vault.content import (
    BinaryPart,
    JsonPart,
    Part,
    TablePart,
    TextPart,
    parts_of,
    records,
    text_part,
)
from recollect.gateway.vault.shape import compact
from recollect.records.json_format import Json, JsonObject


def of(result: JsonObject) -> list[Part]:
    return [part for _, part in parts_of(result)]


def text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def test_every_kind_of_content_is_a_part() -> None:
    data = base64.b64encode(b"\x89PNG").decode()
    result: JsonObject = {
        "content": [
            text("Found two."),
            {"type": "image", "data": data, "mimeType": "image/png"},
            {"type": "audio", "data": data, "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///x", "name": "x"},
            {"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/csv", "text": "x\n1"}},
            {"type": "resource", "resource": {"uri": "a:c", "blob": data}},
            {"type": "something new"},
        ],
        "structuredContent": {"rows": []},
    }

    assert parts_of(result) == [
        (None, JsonPart({"rows": []})),
        (0, TextPart("Found two.")),
        (1, BinaryPart(b"\x89PNG", "image/png")),
        (2, BinaryPart(b"\x89PNG", "audio/wav")),
        (4, TablePart("x\n1", ",", "a:b")),
        (5, BinaryPart(b"\x89PNG", "application/octet-stream", "a:c")),
    ]


def test_a_text_that_repeats_the_structured_content_is_left_out() -> None:
    value: Json = {"result": [1, 2]}

    assert of({"content": [text("[1, 2]"), text("[1, 2, 3]")], "structuredContent": value}) == [
        JsonPart(value),
        JsonPart([1, 2, 3]),
    ]
    rows: Json = {"result": [{"a": 1}, "b, c"]}
    assert of({"content": [text('{"a":1}'), text("b, c")], "structuredContent": rows}) == [
        JsonPart(rows)
    ]
    line: Json = {"result": "a line"}
    assert of({"content": [text("a line")], "structuredContent": line}) == [TextPart("a line")]
    assert of({"content": [text(compact(value))], "structuredContent": value}) == [JsonPart(value)]


@given(st.lists(VALUES, max_size=5) | st.dictionaries(st.text("abc"), VALUES, max_size=5))
def test_a_text_that_is_json_is_json(value: Json) -> None:
    assert text_part(compact(value)) == JsonPart(value)


def test_json_lines_are_a_list() -> None:
    assert text_part('{"a": 1}\n{"a": 2}\n') == JsonPart([{"a": 1}, {"a": 2}])
    assert text_part('{"a": 1}\nand then\n') == TextPart('{"a": 1}\nand then\n')


@pytest.mark.parametrize(
    ("table", "delimiter"),
    [
        ("id,name,size\n1,a,2\n2,b,3\n", ","),
        ('id,name,size\r\n1,"a, b",2\r\n2,"line\nbreak",3\r\n', ","),
        ("id\tname\n1\ta\n2\tb", "\t"),
    ],
)
def test_rows_of_equal_width_are_a_table(table: str, delimiter: str) -> None:
    part = text_part(table)

    assert isinstance(part, TablePart)
    assert part.delimiter == delimiter
    assert [row["id"] for row in records(part) if isinstance(row, dict)] == ["1", "2"]


@pytest.mark.parametrize(
    "prose",
    [
        "First, second, third.\nNo commas here.\nOne, two.",
        "Dear all,\nyes,\nno,",
        "1,2,3\n4,5,6\n7,8,9",
        "a,a,b\n1,2,3\n4,5,6",
        "[not json",
        "",
    ],
)
def test_prose_and_numbers_alone_are_no_table(prose: str) -> None:
    assert text_part(prose) == TextPart(prose)


def test_json_that_is_too_deep_to_walk_is_text() -> None:
    for levels in (200, 50_000):
        deep = "[" * levels + "]" * levels
        assert text_part(deep) == TextPart(deep)


def test_half_of_a_surrogate_pair_is_replaced() -> None:
    assert text_part("a\ud800b") == TextPart("a?b")


def test_data_that_is_no_base64_is_kept_as_text() -> None:
    assert of({"content": [{"type": "image", "data": "ab", "mimeType": "image/png"}]}) == [
        TextPart("ab")
    ]


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_no_result_of_a_hostile_server_breaks_it(result: JsonObject) -> None:
    parts_of(result)
    parts_of({"content": [result, None, 1], "structuredContent": result})
    parts_of({"content": [{**result, "type": "resource", "resource": result}]})


def test_very_many_texts_are_one_part() -> None:
    image: Json = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    rows: list[Json] = [text(compact({"id": number})) for number in range(500)]

    documents = of({"content": [*rows, image]})
    mixed = of({"content": [*rows, text("the end")]})

    assert documents == [JsonPart([{"id": n} for n in range(500)]), BinaryPart(b"\0\0\0", "image/png")]
    assert len(mixed) == 1
    assert "the end" in str(mixed)
