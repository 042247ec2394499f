"""Arguments are checked before a call leaves, and the error says what to write instead."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.gateway.arguments import argument_problems, example

CONVERT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "source_timezone": {"type": "string"},
        "time": {"type": "string"},
        "mode": {"enum": ["fast", "exact"]},
        "place": {"type": "object", "properties": {"zip": {"type": "integer"}}, "required": ["zip"]},
    },
    "required": ["source_timezone", "time"],
}


def test_right_arguments_have_no_problems() -> None:
    assert argument_problems(CONVERT, {"source_timezone": "UTC", "time": "10:00"}) == ()


def test_a_missing_argument_is_named_and_a_misspelt_one_is_matched_to_it() -> None:
    assert argument_problems(CONVERT, {"time": "10:00", "timezone": "UTC"}) == (
        "'source_timezone' is missing",
        "unknown argument 'timezone'; did you mean 'source_timezone'?",
    )


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"time": 10}, "'time' must be string, not 10"),
        ({"mode": "slow"}, "'mode' must be one of 'fast', 'exact', not 'slow'"),
        ({"place": {"zip": "x"}}, "'place.zip' must be integer, not 'x'"),
        ({"place": {}}, "'place.zip' is missing"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_accepted(wrong: dict[str, Any], problem: str) -> None:
    assert argument_problems(CONVERT, {"source_timezone": "UTC", "time": "10:00"} | wrong) == (problem,)


def test_a_strict_schema_names_what_it_does_not_know() -> None:
    strict = {"type": "object", "properties": {"path": {}}, "additionalProperties": False}

    assert argument_problems(strict, {"pth": "x"}) == ("unknown argument 'pth'; did you mean 'path'?",)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "no such type"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "#/definitions/missing"},
        {"properties": {"a": {"$ref": "#"}}, "allOf": [{"$ref": "#"}]},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
    ],
)
def test_a_schema_that_cannot_be_used_leaves_the_decision_to_the_server(schema: dict[str, Any]) -> None:
    assert argument_problems(schema, {"a": "b"}) == ()


def test_a_pattern_that_backtracks_without_end_is_searched_in_linear_time() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}

    assert argument_problems(schema, {"a": "a" * 5_000 + "!"}) == (
        "'a' is not accepted: it does not match ^(a+)+$",
    )
    named = {"type": "object", "patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}
    assert argument_problems(named, {"a" * 5_000 + "!": 1}) == ()


def test_a_long_wrong_value_is_quoted_in_part() -> None:
    [problem] = argument_problems({"properties": {"a": {"type": "integer"}}}, {"a": "x" * 10_000})

    assert len(problem) < 150


def test_an_example_has_what_is_required() -> None:
    schema = CONVERT | {"required": ["source_timezone", "mode", "place"]}

    assert example(schema) == {"source_timezone": "...", "mode": "fast", "place": {"zip": 1}}


_LEAVES = st.sampled_from(
    [{"type": kind} for kind in ("string", "integer", "number", "boolean", "array", "null", "object")]
    + [{"enum": ["a", "b"]}, {"const": 3}, {"type": ["integer", "null"]}]
)


@given(st.dictionaries(st.text(min_size=1, max_size=5), _LEAVES, max_size=5))
def test_an_example_satisfies_its_schema(properties: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": properties, "required": list(properties)}

    assert argument_problems(schema, example(schema)) == ()
