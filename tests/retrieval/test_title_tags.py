"""The keyword scorer that came before."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.retrieval.index import Key
from recollect.retrieval.title_tags import by_title_and_tags

Entry = tuple[Key, str, list[str]]


def found(
    text: str,
    *entries: tuple[str, list[str]],
    limit: int = 10,
    bodies: Mapping[int, str] | None = None,
) -> list[tuple[int, float]]:
    rows: list[Entry] = [(Key(number), *entry) for number, entry in enumerate(entries)]

    def read(keys: Sequence[Key]) -> dict[Key, str]:
        return {key: (bodies or {}).get(int(key), "") for key in keys}

    return [(int(key), score) for key, score in by_title_and_tags(text, rows, read, limit)]


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


@requirement("retrieval:title-tags:body")
def test_each_word_in_the_body_adds_one_and_all_of_them_three_at_most() -> None:
    queue: tuple[str, list[str]] = ("Queue", [])
    text = "how does the queue retry a refund of the ledger in this shard"

    def scored(body: str) -> float:
        [(_, score)] = found(text, queue, bodies={0: body})
        return score

    assert scored("nothing of it") == 2.0
    assert scored("Retry, then retry again.") == 3.0
    assert scored("the retry of a refund") == 4.0
    assert scored("retry refund ledger shard") == 5.0
    assert scored("retries of refunds") == 2.0  # whole words only
    assert scored("x" * 2_000 + " retry") == 2.0


@requirement("retrieval:title-tags:body")
def test_a_body_alone_finds_nothing_and_changes_the_order_of_what_titles_find() -> None:
    entries: list[tuple[str, list[str]]] = [("Queue", []), ("Queue again", []), ("Other", [])]

    hits = found("queue retry", *entries, bodies={1: "retry", 2: "retry"})

    assert hits == [(1, 3.0), (0, 2.0)]


@requirement("retrieval:title-tags:body")
def test_only_the_bodies_of_the_twenty_best_are_read() -> None:
    entries: list[tuple[str, list[str]]] = [("Queue", [])] * 25

    hits = found("queue retry", *entries, limit=25, bodies=dict.fromkeys(range(25), "retry"))

    assert [score for _, score in hits] == [3.0] * 20 + [2.0] * 5


def test_the_best_come_first_and_equals_as_they_came() -> None:
    entries = [("Queue", []), ("Queue again", []), ("x", ["queue"]), ("y", [])]

    assert found("queue", *entries) == [(2, 3.0), (0, 2.0), (1, 2.0)]
    assert found("queue", *entries, limit=1) == [(2, 3.0)]


@given(st.text(max_size=100))
def test_any_text_can_be_asked(text: str) -> None:
    for _, score in found(text, ("Queue the retry", ["auth"])):
        assert score > 0
