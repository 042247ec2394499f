"""Fewer hits that say the same thing."""

from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.retrieval.corpora import texts

from recollect.retrieval.diversity import diversified

Row = tuple[str, float, str]


def chosen(rows: list[Row], count: int) -> list[str]:
    return [name for name, _, _ in diversified(rows, lambda row: row[1], lambda row: row[2], count)]


@requirement("retrieval:diversity:repeats-less")
def test_a_repetition_falls_behind_something_new() -> None:
    rows = [
        ("first", 0.9, "retry the queue"),
        ("again", 0.88, "retry the queue"),
        ("other", 0.8, "shard the ledger"),
    ]

    assert chosen(rows, 3) == ["first", "other", "again"]
    assert chosen(rows, 2) == ["first", "other"]


def test_what_is_much_better_stays_before_something_new() -> None:
    rows = [
        ("first", 1.0, "retry the queue"),
        ("again", 0.9, "retry the queue"),
        ("other", 0.1, "shard"),
    ]

    assert chosen(rows, 3) == ["first", "again", "other"]


def test_equals_keep_the_order_of_the_ranking_and_empty_texts_are_unlike() -> None:
    assert chosen([("a", 0.5, ""), ("b", 0.5, ""), ("c", 0.5, "")], 3) == ["a", "b", "c"]


@given(st.lists(st.tuples(st.floats(0, 1), texts), max_size=8), st.integers(0, 10))
def test_every_hit_is_chosen_once_and_the_best_first(
    given_: list[tuple[float, str]], count: int
) -> None:
    given_.sort(key=lambda row: -row[0])
    rows = [(str(number), score, text) for number, (score, text) in enumerate(given_)]

    names = chosen(rows, count)

    assert len(names) == len(set(names)) == min(count, len(rows))
    assert names[:1] == ["0"][: len(names)]
    assert names == chosen(rows, 10)[:count], "a longer page starts as the shorter"
