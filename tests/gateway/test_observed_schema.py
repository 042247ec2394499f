"""Schemas of results: every result that was seen fulfils them, and no value is in them."""

import json
from functools import reduce
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.requirements import requirement

from recollect.gateway.observed_schema import (
    MOST_FIELDS,
    MOST_PARTS,
    Observed,
    from_json,
    json_schema,
    merged,
    observed,
    to_json,
)

NAMES = st.sampled_from(["id", "name", "items", "next_page", "alice@example.com", "17", "v2"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)
RESULTS = st.lists(VALUES, min_size=1, max_size=5)


def seen(*results: Any) -> Observed:
    return reduce(merged, [part for part in map(observed, results) if part is not None])


def schema(*results: Any) -> dict[str, Any]:
    return json_schema(seen(*results))


@requirement("gateway:catalogue:observed")
@given(RESULTS)
def test_every_result_that_was_seen_fulfils_the_schema(results: list[Any]) -> None:
    validator = Draft202012Validator(schema(*results))

    for result in results:
        validator.validate(result)


@given(RESULTS, st.randoms())
def test_the_order_and_repetition_of_results_do_not_matter(results: list[Any], random: Any) -> None:
    shuffled = results * 2
    random.shuffle(shuffled)

    assert seen(*shuffled) == seen(*results)


@given(VALUES, VALUES, VALUES)
def test_merging_is_associative(one: Any, two: Any, three: Any) -> None:
    first, second, third = seen(one), seen(two), seen(three)

    assert merged(merged(first, second), third) == merged(first, merged(second, third))


@given(RESULTS)
def test_what_is_stored_is_read_back_the_same(results: list[Any]) -> None:
    assert from_json(json.loads(json.dumps(to_json(seen(*results))))) == seen(*results)


def test_fields_that_are_always_there_are_required() -> None:
    assert schema({"id": 1, "name": "a"}, {"id": 2.5}) == {
        "type": "object",
        "properties": {"id": {"type": "number"}, "name": {"type": "string"}},
        "required": ["id"],
    }


def test_lists_and_mixed_types_are_described() -> None:
    assert schema([{"a": 1}, {"a": None}], "text") == {
        "type": ["array", "string"],
        "items": {
            "type": "object",
            "properties": {"a": {"type": ["integer", "null"]}},
            "required": ["a"],
        },
    }


def test_no_value_and_no_key_that_looks_like_data_is_stored() -> None:
    secrets = [
        "s3cr3tvalue",
        "alice@example.com",
        "550e8400-e29b-41d4-a716-446655440000",
        "+4917012345",
    ]
    result = {
        "rows": [{"note": secret} for secret in secrets],
        **{f"by_{n}": {key: {"n": 1}} for n, key in enumerate(secrets[1:])},
    }

    stored = json.dumps(to_json(seen(result)))

    assert [secret for secret in secrets if secret in stored] == []
    assert schema(result)["properties"]["by_0"]["additionalProperties"]["required"] == ["n"]


def test_an_object_with_many_keys_is_a_map() -> None:
    many = {f"key_{a}{b}": 1 for a in "abcdefghi" for b in "abcdefghi"}
    assert len(many) > MOST_FIELDS

    result = schema(many)

    assert result == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_depth_and_size_are_bounded() -> None:
    deep: Any = 1
    for _ in range(200):
        deep = {"a": [deep]}
    names = [f"{a}{b}" for a in "abcdefgh" for b in "abcd"]
    wide = {a: {b: dict.fromkeys(names, 1) for b in names} for a in names}

    def size(part: Any) -> int:
        return 1 + sum(map(size, part.values())) if isinstance(part, dict) else 1

    assert len(json.dumps(schema(deep))) < 2_000
    assert size(schema(wide)) < 4 * MOST_PARTS
    for result in (deep, wide):
        Draft202012Validator(schema(result)).validate(result)


def test_a_result_that_is_too_large_to_read_teaches_nothing() -> None:
    assert observed([{"a": 1}] * 30_000) is None
