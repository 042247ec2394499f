"""Paths into JSON."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.vault.documents import NAMES, VALUES

from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.vault.json_path import Every, Slice, Step, parse_path, select, show_path
from recollect.records.json_format import Json

DOCUMENT: Json = {
    "items": [{"id": 1, "user": {"login": "a"}}, {"id": 2}, {"id": 3, "user": {"login": "c"}}],
    "a key": {"x.y": [True]},
    "größe": 7,
}
NUMBERS = st.integers(-99, 99)
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    NAMES | NUMBERS | st.just(Every()) | st.builds(Slice, st.none() | NUMBERS, st.none() | NUMBERS),
    max_size=6,
)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("", [DOCUMENT]),
        ("$", [DOCUMENT]),
        ("items[0].id", [1]),
        ("$.items[-1].id", [3]),
        ("items[*].id", [1, 2, 3]),
        ("items.*.id", [1, 2, 3]),
        ("items[*].user.login", ["a", "c"]),
        ("items[1:].id", [2, 3]),
        ("items[:-1].id", [1, 2]),
        ('["a key"]["x.y"][0]', [True]),
        ("['a key']['x.y'][0]", [True]),
        ("größe", [7]),
        ("items[ 0 ].id", [1]),
    ],
)
def test_a_path_leads_to_values(path: str, values: list[Json]) -> None:
    assert [value for _, value in select(DOCUMENT, parse_path(path))] == values


@given(STEPS)
def test_a_shown_path_is_read_back(steps: list[Step]) -> None:
    assert parse_path(show_path(steps)) == tuple(steps)


@given(VALUES)
def test_what_was_selected_is_reached_by_its_own_path(document: Json) -> None:
    for path in ("[*]", "[*][*]", "[1:]"):
        try:
            selected = select(document, parse_path(path))
        except NotFoundError:
            continue
        for steps, value in selected:
            ((own, again),) = select(document, parse_path(show_path(steps)))
            assert (own, again) == (steps, value)


@given(st.text(max_size=60))
def test_any_text_is_a_path_or_is_refused(text: str) -> None:
    with suppress(RefusedError):
        assert parse_path(show_path(parse_path(text))) == parse_path(text)


@pytest.mark.parametrize(
    "path",
    [
        "items[",
        "items[x]",
        "items[0",
        "a..b",
        "items[0]id",
        "[?(@.id)]",
        "..id",
        "a b",
        "[1:2:3]",
        "x[",
    ],
)
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(RefusedError):
        parse_path(path)


@pytest.mark.parametrize("path", ["a" * 2_000, "[0]" * 100, '["' + "\\" * 900])
def test_a_hostile_path_is_refused_at_once(path: str) -> None:
    with pytest.raises(RefusedError):
        parse_path(path)


def test_a_path_that_leads_nowhere_names_the_nearest_keys() -> None:
    with pytest.raises(NotFoundError, match=r"no itms at the top; its keys are items, "):
        select(DOCUMENT, parse_path("itms[0]"))
    with pytest.raises(NotFoundError, match=r"no \[9\] at 'items', which is a list of 3"):
        select(DOCUMENT, parse_path("items[9]"))
    with pytest.raises(NotFoundError, match="nothing below 'größe'"):
        select(DOCUMENT, parse_path("größe.x"))
