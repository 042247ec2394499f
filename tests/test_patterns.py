"""Patterns that users write: what is refused, what they match, and how their time grows."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.patterns import (
    MAX_SEARCHED,
    OVERLAP,
    PIECE,
    RefusedPatternError,
    contains,
    refusal,
    spans,
)

REFUSED = [
    (r"(?<=x)y", "look-behind is not supported"),
    (r"(?<!x)y", "look-behind is not supported"),
    (r"x(?=y)", "look-ahead is not supported"),
    (r"x(?!y)", "look-ahead is not supported"),
    (r"(a)\1", "backreferences are not supported"),
    (r"(?P<a>x)(?P=a)", "backreferences are not supported"),
    (r"(?>a+)b", "atomic groups are not supported"),
    (r"a++b", "possessive quantifiers are not supported"),
    (r"end\Z", r"write \z"),
    (r"\u0041", r"write \x{0041}"),
    (r"a{1001}", "at most 1000"),
    (r"(", "missing )"),
    ("a" * 1_001, "1001 characters"),
    (r"(?s).{1,1000}.{1,1000}", "too large"),
    ("\ud800", "surrogate"),
]
# Each hangs a backtracking engine.
EXPONENTIAL = [r"(a+)+b", r"(x*)*y", r"(a|aa)+c", r"(\w|\d\d)*!", r"(?:a?){40}a{40}b", r".*.*.*!"]


@requirement("rules:patterns:refused")
@pytest.mark.parametrize(("pattern", "advice"), REFUSED)
def test_what_re2_does_not_accept_is_refused_with_advice(pattern: str, advice: str) -> None:
    assert advice in (refusal(pattern) or "")
    with pytest.raises(RefusedPatternError):
        contains("text", pattern)


@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_a_pattern_that_hangs_a_backtracking_engine_is_accepted_and_searched(pattern: str) -> None:
    assert refusal(pattern) is None
    assert not contains("axé" * 10_000, pattern.replace("!", "#"))


def test_word_characters_are_those_of_ascii() -> None:
    text = "schlüssel-key"

    assert [text[start:end] for start, end in spans(text, r"\w+-key")] == ["ssel-key"]
    assert list(spans(text, r"[\pL]+-key")) == [(0, len(text))]


def test_case_is_ignored_where_the_pattern_says_so() -> None:
    assert contains("ERROR", "(?i)error")
    assert not contains("ERROR", "error")


def test_a_lone_surrogate_in_a_text_moves_no_offset() -> None:
    assert list(spans("é\ud800x", "x")) == [(2, 3)]


def test_text_after_the_searched_part_is_not_looked_at() -> None:
    assert contains("." * (MAX_SEARCHED - 6) + "needle", "ne+dle")
    assert not contains("." * MAX_SEARCHED + "needle", "ne+dle")


@given(st.integers(0, 3 * PIECE), st.integers(1, OVERLAP))
def test_a_match_is_found_whole_wherever_it_is(before: int, length: int) -> None:
    text = "." * before + "x" * length + "." * 20

    assert list(spans(text, "x+")) == [(before, before + length)]


def test_anchors_see_the_text_and_not_its_pieces() -> None:
    text = "word" * PIECE

    assert list(spans(text, "^word")) == [(0, 4)]
    assert list(spans(text, "word$")) == [(len(text) - 4, len(text))]
    assert list(spans(text, r"\bw")) == [(0, 1)]


def test_matches_that_touch_are_one_and_empty_matches_none() -> None:
    assert list(spans("aab\naa", ".")) == [(0, 3), (4, 6)]
    assert list(spans("aab", "x*")) == []


def _seconds(search: Callable[[str], object], text: str) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        search(text)
        times.append(time.process_time() - start)
    return min(times)


@requirement("rules:patterns:linear")
@pytest.mark.parametrize("pattern", [".", "x*", "", "a[^b]*b|a", *EXPONENTIAL])
def test_four_times_the_text_takes_about_four_times_as_long(pattern: str) -> None:
    """Quadratic time would be sixteen times as long."""
    short, long = (
        _seconds(lambda text: list(spans(text, pattern)), "a " * (size // 2))
        for size in (12_500, 50_000)
    )

    assert long < 9 * short + 0.05
