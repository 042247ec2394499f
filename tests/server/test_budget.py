"""Answers that fit, and cursors that hold all it takes to go on."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import RefusedError
from recollect.server import budget

ARGUMENTS = st.dictionaries(st.text(), st.one_of(st.text(), st.integers(), st.booleans(), st.none()))


@given(ARGUMENTS, st.integers(0, 10**9))
def test_a_cursor_round_trips_its_arguments_and_offset(
    arguments: dict[str, object], offset: int
) -> None:
    made = budget.cursor("memory_search", json.loads(json.dumps(arguments)), offset)

    assert budget.parse_cursor("memory_search", made) == (arguments, offset)
    assert made.isascii()


@given(st.text())
def test_any_other_text_is_refused_as_a_cursor(text: str) -> None:
    with pytest.raises(RefusedError, match="is not a cursor of memory_search"):
        budget.parse_cursor("memory_search", text)


def test_a_cursor_of_another_tool_is_refused() -> None:
    with pytest.raises(RefusedError, match="is not a cursor of memory_get"):
        budget.parse_cursor("memory_get", budget.cursor("memory_search", {}, 1))


@given(st.lists(st.text(max_size=300), min_size=1), st.integers(1, 200))
def test_rows_fit_their_budget_but_one_is_always_returned(rows: list[str], most: int) -> None:
    kept = budget.fitting(rows, most)

    assert kept == rows[: len(kept)]
    assert len(kept) == 1 or sum(map(budget.tokens, kept)) <= most
    if len(kept) < len(rows):
        assert sum(map(budget.tokens, rows[: len(kept) + 1])) > most


def test_a_text_that_does_not_fit_is_cut_and_marked() -> None:
    assert budget.cut("short", 10) == "short"
    assert budget.cut("word " * 100, 10) == "word word word word word word word …"


def test_a_budget_is_clamped() -> None:
    asked = [budget.clamp(tokens, 2000) for tokens in (None, 0, 500, 10**9)]

    assert asked == [2000, 200, 500, 20_000]
