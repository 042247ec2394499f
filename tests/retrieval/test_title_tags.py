"""The keyword scorer that came before."""

from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.retrieval.index import Key
from recollect.retrieval.title_tags import by_title_and_tags

Entry = tuple[Key, str, list[str]]


def found(text: str, *entries: tuple[str, list[str]], limit: int = 10) -> list[tuple[int, float]]:
    rows: list[Entry] = [(Key(number), *entry) for number, entry in enumerate(entries)]
    return [(int(key), score) for key, score in by_title_and_tags(text, rows, limit)]


@requirement("retrieval:title-tags:scores")
def test_a_tag_counts_three_a_word_of_the_title_two_a_start_one() -> None:
    assert found("how is auth signed", ("Something", ["auth"])) == [(0, 3.0)]
    assert found("auth", ("Auth for all", [])) == [(0, 2.0)]
    assert found("auth", ("Authentication", [])) == [(0, 1.0)]
    assert found("aut", ("Authentication", [])) == []
    assert found("auth login", ("Login", ["auth"])) == [(0, 5.0)]
    assert found("the", ("The title", ["the"])) == []


@requirement("retrieval:title-tags:scores")
def test_a_compound_tag_is_found_in_every_spelling() -> None:
    assert found("auth_service", ("x", ["auth-service"])) == [(0, 3.0)]


def test_the_best_come_first_and_equals_as_they_came() -> None:
    entries = [("Queue", []), ("Queue again", []), ("x", ["queue"]), ("y", [])]

    assert found("queue", *entries) == [(2, 3.0), (0, 2.0), (1, 2.0)]
    assert found("queue", *entries, limit=1) == [(2, 3.0)]


@given(st.text(max_size=100))
def test_any_text_can_be_asked(text: str) -> None:
    for _, score in found(text, ("Queue the retry", ["auth"])):
        assert score > 0
