import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.documents import DOCUMENTS
from tests.requirements import requirement

from recollect.errors import InvalidJsonError
from recollect.records.json_format import (
    MAX_BYTES,
    MAX_DEPTH,
    Json,
    JsonObject,
    copied,
    line_of,
    lines,
    parse,
    render,
    same,
)


def refusal(data: bytes) -> InvalidJsonError:
    with pytest.raises(InvalidJsonError) as caught:
        parse(data, "some/file.json")
    assert "some/file.json" in str(caught.value)
    return caught.value


@requirement("records:format:round-trip")
@given(DOCUMENTS)
def test_parsing_what_was_rendered_gives_the_same_document(document: JsonObject) -> None:
    assert same(parse(render(document), "x"), document)


@requirement("records:format:stable")
@given(DOCUMENTS)
def test_rendering_twice_gives_the_same_bytes_and_rendering_what_was_read_changes_none(
    document: JsonObject,
) -> None:
    data = render(document)

    assert render(document) == data
    assert render(parse(data, "x")) == data


@given(DOCUMENTS)
def test_keys_keep_their_order(document: JsonObject) -> None:
    assert list(parse(render(document), "x")) == list(document)


@given(DOCUMENTS)
def test_no_character_of_a_file_hides_or_reorders_its_text(document: JsonObject) -> None:
    text = render(document).decode()

    hidden = set("\x00\x07\x7f\x85\xad\u200b\u200d\u202e\u2028\u2066\ufeff\U000e0041")
    assert not hidden & set(text)


def test_the_tag_characters_that_hide_a_prompt_are_escaped_and_read_back() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")

    data = render({"title": f"Innocent{hidden}"})

    assert data.isascii()
    assert parse(data, "x") == {"title": f"Innocent{hidden}"}


def test_letters_of_other_scripts_and_emoji_stay_readable() -> None:
    assert render({"title": "Größe 大小 🎉"}).decode() == '{\n  "title": "Größe 大小 🎉"\n}\n'


def test_a_lone_surrogate_is_written_as_an_escape_and_read_back() -> None:
    data = render({"title": "half \ud83d of a pair"})

    assert b"\\ud83d" in data
    assert parse(data, "x") == {"title": "half \ud83d of a pair"}


def test_a_duplicate_key_is_refused_with_the_line_of_the_second() -> None:
    error = refusal(b'{\n  "a": 1,\n  "b": {"a": 2},\n  "a": 3\n}')

    assert error.line == 4
    assert "'a' appears twice" in error.reason


def test_a_duplicate_key_inside_a_list_is_found_where_it_stands() -> None:
    error = refusal(b'{"a.b": 1, "a": {"b": 1},\n "rows": [\n{"k": 1},\n{"k": 1,\n"k": 2}]}')

    assert error.line == 5


def test_two_spellings_of_a_key_are_one_key() -> None:
    assert refusal(b'{"a": 1,\n"\\u0061": 2}').line == 2


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 301])
def test_a_number_that_readers_disagree_about_is_refused_with_its_line(number: str) -> None:
    error = refusal(f'{{"a": "{number}",\n"b":\n{number}}}'.encode())

    assert error.line == 3
    assert number[:40] in error.reason


def test_a_number_too_long_to_convert_is_refused_and_no_interpreter_setting_is_advised() -> None:
    assert "sys." not in refusal(b'{"a": ' + b"9" * 10_000 + b"}").reason


@pytest.mark.parametrize("number", [0, -0.0, 1.5, 2**63, -(2**64), 1e300, 5e-324])
def test_other_numbers_are_read_as_they_stand(number: float) -> None:
    assert same(parse(f'{{"a": {number!r}}}'.encode(), "x"), {"a": number})


@requirement("records:format:bounded")
def test_a_document_nested_too_deep_is_refused_with_its_line() -> None:
    inside = MAX_DEPTH - 1
    assert parse(b'{"a":' + b"[" * inside + b"]" * inside + b"}", "x")

    error = refusal(b'{\n"a":\n' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}")

    assert error.line == 3
    assert str(MAX_DEPTH) in error.reason


def test_a_hundred_thousand_brackets_are_refused_and_crash_nothing() -> None:
    assert "nested deeper" in refusal(b'{"a":' + b"[" * 100_000).reason


def test_brackets_inside_a_string_are_no_nesting() -> None:
    text = "[" * 100 + '"' + "{" * 100 + "\\"

    assert parse(render({"a": text}), "x") == {"a": text}


def test_a_document_that_is_too_large_is_refused_before_it_is_read() -> None:
    error = refusal(b'{"a": "' + b"x" * MAX_BYTES + b'"}')

    assert f"{MAX_BYTES:,} bytes" in error.reason


@pytest.mark.parametrize("unit", ['\\"', '"', '"\\', "{", '{"a":', "[1,", "\\u"])
def test_a_megabyte_of_anything_is_refused_in_seconds(unit: str) -> None:
    """An unfinished string must not be looked for again from each of its quotes."""
    text = '{"a": "' + unit * ((MAX_BYTES - 10) // len(unit))

    refusal(text.encode())


@requirement("records:format:encoding")
def test_bytes_that_are_not_utf_8_are_refused_with_line_and_byte() -> None:
    error = refusal(b'{\n  "a": 1,\n  "b": "caf\xe9"\n}')

    assert error.line == 3
    assert "0xe9" in error.reason
    assert "UTF-8" in error.reason


def test_a_byte_order_mark_is_ignored() -> None:
    assert parse(b'\xef\xbb\xbf{"a": 1}', "x") == {"a": 1}


def test_windows_line_ends_are_read_and_counted_as_one_line_each() -> None:
    assert parse(b'{\r\n"a": 1\r\n}\r\n', "x") == {"a": 1}
    assert refusal(b'{\r\n"a": 1,\r\n"a": 2}\r\n').line == 3


def test_an_unresolved_merge_conflict_is_called_one_with_its_line() -> None:
    error = refusal(b'{\n  "a": 1,\n<<<<<<< ours\n  "b": 1\n=======\n  "b": 2\n>>>>>>> theirs\n}')

    assert error.line == 3
    assert "merge conflict" in error.reason


def test_conflict_markers_inside_a_string_are_text() -> None:
    text = "<<<<<<< HEAD\n=======\n>>>>>>> x"

    assert parse(render({"a": text}), "x") == {"a": text}


@pytest.mark.parametrize("data", [b"[]", b"1", b'"text"', b"null", b"true"])
def test_a_top_level_that_is_no_object_is_refused(data: bytes) -> None:
    assert "must be an object" in refusal(data).reason


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", 1),
        (b"{", 1),
        (b'{\n"a" 1}', 2),
        (b'{"a": 1}\n{}', 2),
        (b"{'a': 1}", 1),
        (b'{"a": "\t"}', 1),
    ],
)
def test_what_is_no_json_is_refused_with_line_and_column(data: bytes, line: int) -> None:
    error = refusal(data)

    assert error.line == line
    assert "column" in error.reason


def places(value: Json, path: str) -> dict[str, str]:
    """Every field and list item of a value, by path, with the JSON it starts with."""
    found: dict[str, str] = {}
    if isinstance(value, dict):
        for key, item in value.items():
            inner = f"{path}.{key}" if path else key
            found[inner] = f'"{key}":'
            found |= places(item, inner)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if not isinstance(item, dict | list):
                found[f"{path}[{index}]"] = json.dumps(item)
            found |= places(item, f"{path}[{index}]")
    return found


SIMPLE: st.SearchStrategy[Json] = st.recursive(
    st.integers(0, 9) | st.sampled_from(["a:b", "{", "x,y", '"', ""]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from("pqrs"), SIMPLE, min_size=1, max_size=4))
def test_the_line_of_every_field_of_a_rendered_document_is_known(document: JsonObject) -> None:
    text = render(document).decode()
    rows = text.split("\n")

    for path, start in places(document, "").items():
        line = line_of(text, path)
        assert line is not None, path
        assert rows[line - 1].strip().startswith(start), path


@given(st.dictionaries(st.sampled_from("pqrs"), SIMPLE, min_size=1, max_size=4))
def test_lines_come_in_the_order_of_the_text(document: JsonObject) -> None:
    numbers = [line for _, line in lines(render(document).decode())]

    assert numbers == sorted(numbers)


def test_the_line_of_a_missing_field_is_that_of_the_field_it_should_be_in() -> None:
    text = render({"title": "x", "content": {"links": [{"type": "caused"}]}}).decode()

    assert line_of(text, "content.links[0].target") == 4
    assert line_of(text, "content.decision") == 3
    assert line_of(text, "tags") is None


def test_key_order_does_not_make_two_documents_differ_but_the_kind_of_a_number_does() -> None:
    assert same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same({"a": 1}, {"a": 1.0})
    assert not same(cast("JsonObject", {"a": 1}), {"a": True})


def test_a_copy_is_equal_and_shares_no_list_or_object() -> None:
    original: JsonObject = {"a": [{"b": [1, None, "x"]}], "c": {"d": True}}

    copy = copied(original)

    assert copy == original
    assert isinstance(copy, dict)
    copy["a"][0]["b"].append(2)  # type: ignore[index, call-overload, union-attr]
    copy["c"]["d"] = False  # type: ignore[index, call-overload]
    assert original == {"a": [{"b": [1, None, "x"]}], "c": {"d": True}}
