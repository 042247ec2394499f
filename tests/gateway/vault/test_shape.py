"""Shapes and abridged copies of documents."""

from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.vault.documents import VALUES

from recollect.gateway.vault.shape import MAX_DEPTH, abridged, compact, is_deep, shape
from recollect.records.json_format import Json


def nested(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_shape_names_fields_types_and_sizes() -> None:
    rows: list[Json] = [{"id": number, "tags": ["x"] * number} for number in range(3)]
    rows.append({"id": None, "note": "n"})

    assert shape({"items": rows, "next": None, "2nd": 1.5}) == (
        '{items: [4 x {id: int | null, tags?: [0-2 x str], note?: str}], next: null, "2nd": float}'
    )


def test_a_shape_has_no_value_of_the_document() -> None:
    assert "swordfish" not in shape({"password": "swordfish", "list": ["swordfish"]})


@given(VALUES, st.integers(50, 400))
def test_a_shape_and_an_abridged_copy_fit(value: Json, most: int) -> None:
    assert len(shape(value, most)) <= most
    assert len(abridged(value, most)) <= most


def test_what_fits_is_not_abridged_and_the_rest_is_counted() -> None:
    value: Json = {"a": [1, 2, 3]}
    assert abridged(value, 100) == compact(value)

    assert "more" in abridged({"rows": list(range(10_000)), "text": "x" * 9_000}, 600)


def test_an_object_with_very_many_keys_has_a_short_shape() -> None:
    assert len(shape({f"key {number}": number for number in range(100_000)})) <= 1_200


def test_depth_is_measured_without_recursion() -> None:
    assert is_deep(nested(50_000))
    assert not is_deep(nested(MAX_DEPTH - 1))
