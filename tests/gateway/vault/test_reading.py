"""Reading a stored result piece by piece."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.vault.documents import VALUES
from tests.requirements import requirement

from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.vault.content import BinaryPart, JsonPart, Part, TablePart, TextPart
from recollect.gateway.vault.reading import Excerpt, Range, ReadRequest, parse_range, read_part
from recollect.records.json_format import Json

LOG = "\n".join(f"line {number}" for number in range(1_000))
ISSUES: Json = {
    "total": 3,
    "issues": [
        {
            "id": number,
            "title": f"Issue {number}",
            "body": "long " * 800,
            "user": {"login": f"u{number}"},
        }
        for number in range(3)
    ],
}


def read(part: Part, **fields: str | int) -> Excerpt:
    return read_part(part, ReadRequest(**fields))  # type: ignore[arg-type]


def pages(part: Part, **fields: str | int) -> list[Excerpt]:
    """A reading and all that continue it."""
    readings = [read(part, **fields)]
    while (more := readings[-1].next_range) is not None:
        readings.append(read(part, **{**fields, "range": more}))
        assert len(readings) < 10_000
    return readings


@requirement("gateway:vault:handles")
@pytest.mark.parametrize(
    ("range", "where", "first", "last"),
    [
        ("10:20", "lines 10:20 of 1000", "line 10", "line 19"),
        ("-2:", "lines 998:1000 of 1000", "line 998", "line 999"),
        ("7", "lines 7:8 of 1000", "line 7", "line 7"),
        ("-1", "lines 999:1000 of 1000", "line 999", "line 999"),
    ],
)
def test_a_text_is_read_by_lines(range: str, where: str, first: str, last: str) -> None:
    reading = read(TextPart(LOG), range=range)

    assert (reading.where, reading.next_range) == (where, None)
    assert [reading.text.split("\n")[0], reading.text.split("\n")[-1]] == [first, last]


@given(st.text(st.sampled_from("ab \nü"), max_size=4_000), st.integers(1, 300))
def test_the_pages_of_a_text_are_the_text(text: str, tokens: int) -> None:
    """Also when a line is longer than a page."""
    text = text * 3
    readings = pages(TextPart(text), tokens=tokens)

    assert all(len(reading.text) <= ReadRequest(tokens=tokens).most for reading in readings)
    *first, last = readings
    ended = [reading.text + ("\n" if reading.where.startswith("lines") else "") for reading in first]
    assert "".join(ended) + last.text == text


def test_a_line_of_300_000_characters_is_read_by_characters() -> None:
    line = "".join(f"<{number:06}>" for number in range(300_000 // 8))

    readings = pages(TextPart(line), tokens=20_000)

    assert "".join(reading.text for reading in readings) == line
    assert read(TextPart(line), range="c16:24").text == "<000002>"
    assert read(TextPart(line), range="c-8:").text == "<037499>"


@requirement("gateway:vault:handles")
def test_a_document_is_read_by_path() -> None:
    part = JsonPart(ISSUES)

    assert read(part, path="issues[*].id").text == "0\n1\n2"
    assert read(part, path="issues[1].user").text == '"login": "u1"'
    assert read(part, path="issues[2].title").text == "Issue 2"
    assert read(part, path="total").text == "3"
    assert read(part, path="issues[0].body", range="c0:9").text == "long long"
    with pytest.raises(NotFoundError, match="its keys are title"):
        read(part, path="issues[0].titel")


def test_a_row_that_is_too_large_alone_is_abridged_and_names_its_path() -> None:
    reading = read(JsonPart(ISSUES), path="issues", tokens=300)

    assert reading.where == "rows 0:1 of 3"
    assert reading.next_range == "1:"
    assert "Issue 0" in reading.text
    assert "read the path issues[0]" in reading.text


@given(st.lists(VALUES, max_size=12), st.integers(200, 400))
def test_the_pages_of_a_list_are_its_rows(rows: list[Json], tokens: int) -> None:
    readings = pages(JsonPart(rows), tokens=tokens)

    assert all(len(reading.text) <= ReadRequest(tokens=tokens).most for reading in readings)
    lines = [line for reading in readings for line in reading.text.split("\n") if line]
    if not any("… abridged from" in line for line in lines):
        assert [json.loads(line) for line in lines] == rows


def test_a_table_is_read_by_rows_with_its_header_and_by_path() -> None:
    table = TablePart("id,name,n\n" + "\n".join(f"{n},name {n},x" for n in range(500)), ",")

    reading = read(table, range="100:102")

    assert reading.text == "id,name,n\n100,name 100,x\n101,name 101,x"
    assert reading.where == "rows 100:102 of 500"
    assert read(table, path="[3].name").text == "name 3"
    assert read(table, search="name 4").where.startswith("matches 0:")
    assert pages(table)[-1].text.endswith("499,name 499,x")


@requirement("gateway:vault:handles")
def test_search_finds_lines_with_context() -> None:
    assert read(TextPart(LOG), search="LINE 500").text == "499- line 499\n500: line 500\n501- line 501"
    assert read(TextPart(LOG), search="/e 99[89]$/").text.count(":") == 2
    assert read(TextPart(LOG), search="nowhere").where == "no matches"


def test_search_in_one_long_line_says_at_which_character() -> None:
    line = "x" * 150_000 + " needle in hay " + "y" * 150_000

    reading = read(TextPart(line), search="needle hay")

    assert reading.where == "matches 0:1 of 1"
    assert "needle in hay" in reading.text
    at = reading.text.partition("(c")[2].partition(")")[0]
    assert read(TextPart(line), range=f"c{at}:{int(at) + 6}").text == "needle"


@requirement("gateway:vault:handles")
def test_search_in_a_document_names_the_path_of_each_match() -> None:
    reading = read(JsonPart(ISSUES), search="issue 2")

    assert reading.text.startswith("issues[2].title: title = Issue 2")
    assert read(JsonPart(ISSUES), search="login").where == "matches 0:3 of 3"
    assert read(JsonPart(ISSUES), path="issues[1:]", search="/u\\d/").where == "matches 0:2 of 2"


def test_words_that_no_place_has_together_are_searched_apart() -> None:
    reading = read(JsonPart(ISSUES), search="u1 u2")

    assert "no passage has all the words" in reading.where
    assert [line.split(":")[0] for line in reading.text.split("\n")] == [
        "issues[1].user.login",
        "issues[2].user.login",
    ]


def test_many_matches_are_paged() -> None:
    readings = pages(TextPart(LOG), search="line", tokens=200)

    assert len(readings) > 10
    assert readings[-1].where.endswith(":1000 of 1000")


def test_a_pattern_that_would_explode_takes_linear_time() -> None:
    assert read(TextPart("a" * 300_000), search="/(a+)+$b/").where == "no matches"
    with pytest.raises(RefusedError, match="backreferences"):
        read(TextPart("x"), search=r"/(a)\1/")


@pytest.mark.parametrize("text", ["x", "1-2", "1:2:3", "c", "1 2", "١:٢x"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match="is not a range"):
        parse_range(text)


def test_a_range_beyond_the_end_is_empty_and_says_how_many_there_are() -> None:
    assert read(TextPart("a\nb"), range="9:20") == Excerpt("lines 2:2 of 2", "")
    assert parse_range("") == Range()


def test_binary_data_and_paths_into_text_are_refused_with_what_to_do() -> None:
    with pytest.raises(RefusedError, match="open its file"):
        read(BinaryPart(b"x", "image/png"))
    with pytest.raises(RefusedError, match="by range or by search"):
        read(TextPart("x"), path="a")
