"""Whether a text can make a pattern slow, told from the pattern alone."""

import itertools
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.patterns.matcher import MOST_TEXT, OVERLAP, RefusedPatternError, compiled
from recollect.patterns.regex_safety import WINDOW, attacks, check, examine
from recollect.redaction.built_in import PATTERNS

EXPONENTIAL = [
    (r"(a+)+b", "repeat within a repeat"),
    (r"(x*)*y", "repeat within a repeat"),
    (r"(?:\d+\s?)+$", "repeat within a repeat"),
    (r"(a|aa)+c", "overlap"),
    (r"(\w|\d\d)*!", "overlap"),
    (r"(?:\s|\n\n)+;", "overlap"),
    (r"(a?b?)*$", "double"),
    (r"(ok|o?k)*!", "overlap"),
    (r"^((ab)*)+c", "repeat within a repeat"),
    (r"(?=(a+)+b)a", "repeat within a repeat"),
    (r"(?i)(k|Kk)*!", "overlap"),
    (r"#(\"(?:\\.|[^\"])*\")?", "overlap"),
]
OTHERWISE = [
    (r"(a)\1+b", "backreference"),
    (r"(?:a?){40}a{40}b", "optional"),
    (r"a?" * 25 + "a" * 25, "optional"),
    (r"(?:a?){200}b", "may be empty"),
    (r".*.*.*!", "power of"),
    (r"\s*\w*\s*\w*\s*=!", "power of"),
    (r"(", "does not compile"),
    (r"a{2,1}", "does not compile"),
    ("a" * 1_001, "1001 characters"),
]
SAFE = [
    r"error|failed",
    r"^\s*at .+:\d+$",
    r"[A-Z]{2}\d{6}",
    r"(\w+)=(\w+)",
    r"(?:\d{1,3}\.){3}\d{1,3}",
    r"(?:foo|bar)+baz",
    r"\"(?:\\.|[^\"\\])*\"",
    r"\w+Error: [^\n]{0,200}",
    r"(?m)^FAILED (\S+)",
    r"(?<!\w)token(?!\w)",
    r"(['\"])[^'\"]*\1",
    r"Error.{0,80}at.{0,80}line",
    r"(a+)+",  # whatever it is given, it matches at once or not at all
    r"(\w|\d)*!",  # the standard library makes one set of such alternatives
    r"(a+)+aa",  # what it repeats, it can end with
    r"([\s\S]+|(a+)*$)",  # the first way always matches, the second is never tried
]


@requirement("rules:safety:exponential")
@pytest.mark.parametrize(("pattern", "word"), EXPONENTIAL)
def test_a_pattern_whose_ways_double_is_refused_with_the_reason(pattern: str, word: str) -> None:
    reason = check(pattern)

    assert reason is not None
    assert word in reason


@pytest.mark.parametrize(("pattern", "word"), EXPONENTIAL)
def test_the_patterns_that_are_called_exponential_really_are(pattern: str, word: str) -> None:
    """A text of twice the length costs many times as much, for some attack."""
    search = re.compile(pattern).search
    slowdowns = []
    for before, repeated in attacks(pattern):
        few, many = (
            _seconds(search, before + repeated * (length // len(repeated)) + "\0")
            for length in (10, 20)
        )
        slowdowns.append(many / max(few, 1e-7))

    assert max(slowdowns) > 6


def _seconds(search: object, text: str) -> float:
    assert callable(search)
    start = time.perf_counter()
    search(text)
    return time.perf_counter() - start


@requirement("rules:safety:otherwise")
@pytest.mark.parametrize(("pattern", "word"), OTHERWISE)
def test_other_patterns_that_cost_too_much_are_refused_with_the_reason(pattern: str, word: str) -> None:
    reason = check(pattern)

    assert reason is not None
    assert word in reason


@requirement("rules:safety:accepted")
@pytest.mark.parametrize("pattern", SAFE)
def test_a_pattern_that_no_text_can_slow_down_is_accepted(pattern: str) -> None:
    assert check(pattern) is None


@requirement("rules:safety:built-in")
def test_every_built_in_pattern_passes_the_check() -> None:
    assert len(PATTERNS) > 10
    assert [pattern for pattern in PATTERNS if check(pattern)] == []


def test_the_degree_says_how_time_grows() -> None:
    assert examine("error|failed").degree == 1
    assert examine(r"\w+Error").degree == 2


def test_a_refusal_for_length_says_how_to_mend_the_pattern() -> None:
    assert "{0,80}" in (check(r"Error.*at.*line") or "")
    assert check(r"Error.{0,80}at.{0,80}line") is None


def test_a_typical_pattern_is_checked_in_about_a_millisecond() -> None:
    check("warm")
    times = []
    for number in range(20):
        start = time.perf_counter()
        check(rf"(?m)^(\w+)Error: could not open \S+ {number}$")
        times.append(time.perf_counter() - start)

    assert sorted(times)[10] < 0.005


PIECES = st.sampled_from(["a", "b", "[ab]", ".", r"\w", "(?:a|b)", "x", "ab"])
COUNTED = st.tuples(PIECES, st.sampled_from(["", "*", "+", "?", "{2}", "{1,3}"])).map("".join)
GROUPED = st.tuples(
    st.lists(COUNTED, min_size=1, max_size=3), st.sampled_from(["", "*", "+", "?"])
).map(lambda told: f"(?:{''.join(told[0])}){told[1]}")
PATTERN = st.lists(GROUPED | COUNTED, min_size=1, max_size=4).map(lambda parts: "".join(parts) + "!")


@requirement("rules:safety:linear")
@settings(max_examples=60, deadline=None)
@given(PATTERN)
def test_what_is_accepted_stays_quick_on_texts_made_to_slow_it_down(pattern: str) -> None:
    """Thirty repetitions are enough for anything exponential to take far longer than this."""
    if check(pattern):
        return
    search = re.compile(pattern).search
    words = ["".join(word) for size in (1, 2) for word in itertools.product("abx", repeat=size)]

    assert max(_seconds(search, word * 30) for word in words) < 0.5


@requirement("rules:matcher:both-engines")
@pytest.mark.parametrize("text", ["no error here", "ein Fehler: für error", "error", ""])
def test_both_engines_find_the_same(text: str) -> None:
    fast, plain = compiled("error|Fehler"), compiled("error|Fehler", linear=False)

    assert list(fast.spans(text)) == list(plain.spans(text))
    assert plain.engine(text) == "re"


def test_a_refused_pattern_is_never_compiled() -> None:
    with pytest.raises(RefusedPatternError, match="repeat within a repeat"):
        compiled("(a+)+b")


def test_what_the_linear_engine_reads_its_own_way_is_left_to_the_other() -> None:
    word = compiled(r"\w+-key")

    assert (word.engine("plain"), word.engine("schlüssel-key")) == ("re2", "re")
    assert list(word.spans("schlüssel-key")) == [(0, 13)]
    assert list(compiled(r"end$").spans("end\n")) == [(0, 3)]


def test_what_the_linear_engine_cannot_say_is_searched_by_the_other() -> None:
    assert compiled(r"(?<=x)y").engine("xy") == "re"


@requirement("rules:matcher:bounded")
def test_a_pattern_of_more_than_linear_time_gets_a_long_text_in_windows() -> None:
    matcher = compiled(r"\w+Error", linear=False)
    text = "word " * WINDOW + "TypeError" + " word" * WINDOW

    assert matcher.windowed
    assert [text[start:end] for start, end in matcher.spans(text)] == ["TypeError"]


@pytest.mark.parametrize("shift", range(0, WINDOW, 97))
def test_a_match_on_the_edge_of_a_window_is_found_once_and_whole(shift: int) -> None:
    matcher = compiled(r"\w+Error", linear=False)
    name = "x" * (OVERLAP // 2) + "Error"
    text = "." * shift + name + "." * WINDOW

    assert [text[start:end] for start, end in matcher.spans(text)] == [name]


def test_a_text_past_the_bound_is_not_looked_at() -> None:
    assert not compiled("needle").found("." * MOST_TEXT + "needle")
