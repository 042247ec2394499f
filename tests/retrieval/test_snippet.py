"""The piece of a text that shows why it was found."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval.snippet import LENGTH, snippet, spans


def any_of(*words: str) -> Callable[[str], bool]:
    return lambda word: word.lower() in words


def bare(text: str) -> str:
    return text.removeprefix("… ").removesuffix(" …")


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("  Retry\n the   queue. ", any_of("queue")) == "Retry the queue."


def test_a_long_text_is_cut_where_most_words_match() -> None:
    text = f"{'lorem ipsum ' * 40} queue {'dolor sit ' * 40} queue of the worker {'amet ' * 60}"

    shown = snippet(text, any_of("queue", "worker"))

    assert "queue of the worker" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_a_match_longer_than_the_window_is_shown_as_far_as_it_goes() -> None:
    shown = snippet("a " * 100 + "m" * 300, lambda word: word.startswith("m"))

    assert shown.endswith("mmm …")


def test_without_a_match_the_start_is_shown() -> None:
    assert snippet("one two three four", any_of("x"), 10) == "one two …"


@pytest.mark.parametrize(
    "text",
    [
        f"{'b' * 400} match {'c' * 400}",
        f"{'b' * 400} {'d ' * 9}match{' e' * 300}",
        f"{'word ' * 100}match",
        f"match {'word ' * 100}",
    ],
)
def test_a_match_beside_a_blob_is_shown(text: str) -> None:
    shown = snippet(text, any_of("match"))

    assert "match" in shown
    assert len(bare(shown)) <= LENGTH


def test_a_match_in_text_without_spaces_is_shown_and_only_it_is_marked() -> None:
    text = "我们的系统" * 100 + "数据库锁" + "超时处理方" * 100

    shown = snippet(text, any_of("数据", "据库"))

    assert "数据库" in shown
    assert len(bare(shown)) <= LENGTH
    assert [shown[start:end] for start, end in spans(shown, any_of("数据", "据库"))] == ["数据库"]


def test_spans_are_the_places_of_matching_words() -> None:
    text = "Retry_it: retry the queue, re-try"

    assert [text[start:end] for start, end in spans(text, any_of("retry", "queue"))] == [
        "retry",
        "queue",
    ]
    assert [*spans("锁", any_of("锁"))] == [(0, 1)]


@given(st.lists(st.text("ab锁x", min_size=1, max_size=30), max_size=60), st.integers(30, 200))
def test_a_snippet_is_a_window_of_the_text_with_a_match_if_there_is_one(
    words: list[str], length: int
) -> None:
    text = " ".join(words)
    matches = any_of("x", "锁锁")

    shown = snippet(text, matches, length)

    assert bare(shown) in text
    assert len(bare(shown)) <= length
    assert bool(spans(text, matches)) == bool(spans(bare(shown), matches))


def test_a_text_of_nothing_but_matches_is_cut_quickly() -> None:
    assert len(snippet("lock " * 100_000, any_of("lock"))) < LENGTH + 5
