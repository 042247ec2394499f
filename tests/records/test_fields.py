import pytest

from recollect.errors import Problem
from recollect.records.fields import (
    Anything,
    Choice,
    Count,
    Field,
    Flag,
    Kind,
    Listing,
    Moment,
    Object,
    Share,
    Slug,
    Text,
    Version,
    check,
    check_fields,
)
from recollect.records.json_format import Json

TABLE = Object((Field("name", Text(1), "a name", required=True), Field("age", Count(), "an age")))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Text(), ""),
        (Text(1, 3), "abc"),
        (Slug(), "a-1"),
        (Version(), "1.0"),
        (Version(), "1.12"),
        (Moment(), "2026-11-15"),
        (Moment(), "2026-11-15T10:00:00Z"),
        (Moment(), "2026-11-15T10:00:00.5+02:00"),
        (Choice(("a", "b")), "b"),
        (Flag(), False),
        (Share(), 0),
        (Share(), 1.0),
        (Count(), 0),
        (Anything(), {"x": [None]}),
        (Listing(Count(), 1, 2), [1, 2]),
        (TABLE, {"name": "x", "other": "kept"}),
    ],
)
def test_a_value_of_its_kind_has_no_problem(kind: Kind, value: Json) -> None:
    assert list(check(kind, value, "f", "1.1")) == []


@pytest.mark.parametrize(
    ("kind", "value", "complaint"),
    [
        (Text(), 5, "must be text, not 5"),
        (Text(1), " \t", "must not be empty"),
        (Text(1, 3), "abcd", "has 4 characters; the maximum is 3"),
        (Slug(), "A b", "must be 1 to 80 characters from a-z"),
        (Slug(), "../x", "must be 1 to 80 characters from a-z"),
        (Slug(), "x\n", "must be 1 to 80 characters from a-z"),
        (Version(), "1.", "must be a format version"),
        (Version(), "1.١", "must be a format version"),
        (Version(), 1.0, "must be a format version"),
        (Version(), "2.0", "Upgrade Recollect"),
        (Moment(), "2026-13-40", "must be an ISO 8601"),
        (Moment(), "20261115", "must be an ISO 8601"),
        (Moment(), "yesterday", "must be an ISO 8601"),
        (Choice(("a", "b")), "c", "must be a | b, not 'c'"),
        (Choice(("a", "b")), ["a"], "must be a | b"),
        (Flag(), 1, "must be true or false"),
        (Share(), True, "must be a number from 0 to 1"),
        (Share(), 1.01, "must be a number from 0 to 1"),
        (Count(), -1, "must be a whole number"),
        (Count(), False, "must be a whole number"),
        (Listing(Text()), "a", "must be a list"),
        (Listing(Text(), 1), [], "needs at least 1"),
        (Listing(Text(), 0, 1), ["a", "b"], "has 2 items; the maximum is 1"),
        (TABLE, [], "must be an object"),
    ],
)
def test_a_value_that_is_not_of_its_kind_is_told_what_it_must_be(
    kind: Kind, value: Json, complaint: str
) -> None:
    (problem,) = check(kind, value, "f", "1.1")

    assert problem.field == "f"
    assert complaint in problem.message


def test_a_problem_inside_a_list_of_objects_names_its_place() -> None:
    rows: Json = [{"name": "x"}, {"name": 5, "age": "old"}, {}]

    found = [problem.field for problem in check(Listing(TABLE), rows, "rows", "1.1")]

    assert found == ["rows[1].name", "rows[1].age", "rows[2].name"]


def test_null_counts_as_absent() -> None:
    assert list(check_fields(TABLE.fields, {"name": "x", "age": None}, "", "1.1")) == []
    assert [p.field for p in check_fields(TABLE.fields, {"name": None}, "", "1.1")] == ["name"]


def test_a_field_is_not_missed_in_files_older_than_its_requirement() -> None:
    fields = (Field("reason", Text(), "why", required=True, since="1.1"),)

    assert list(check_fields(fields, {}, "", "1.0")) == []
    assert [p.field for p in check_fields(fields, {}, "", "1.1")] == ["reason"]


def test_a_long_value_is_shortened_in_the_complaint() -> None:
    (problem,) = check(Count(), "x" * 1000, "f", "1.1")

    assert len(problem.message) < 120


def test_a_problem_reads_as_field_and_message() -> None:
    assert str(Problem("title", "is missing")) == "title: is missing"
    assert str(Problem("", "is missing")) == "is missing"
