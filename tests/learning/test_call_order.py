"""The order of calls: only one that began after another had ended follows it."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.learning.call_order import CallOrder

MOMENTS = st.integers(0, 20)


def places(*calls: tuple[str, int, int]) -> list[tuple[str | None, str]]:
    """Where each call of one session stands, in the order in which they end."""
    order = CallOrder()
    added = [order.add("s", tool, began, ended) for tool, began, ended in calls]
    return [(place.before, place.chain) for place in added]


def test_calls_one_after_the_other_are_a_chain() -> None:
    assert places(("a", 0, 1), ("b", 1, 2), ("c", 5, 6)) == [
        (None, "s/1"),
        ("a", "s/1"),
        ("b", "s/1"),
    ]


@requirement("learning:graph:parallel")
def test_calls_at_the_same_time_follow_what_came_before_and_not_each_other() -> None:
    start, left, right, end = places(("start", 0, 1), ("left", 2, 4), ("right", 2, 5), ("end", 6, 7))

    assert left == ("start", start[1])
    assert right[0] == "start"
    assert right[1] != left[1]
    assert end == ("right", right[1])


@requirement("learning:graph:parallel")
def test_a_long_call_follows_nothing_that_ended_while_it_ran() -> None:
    assert places(("a", 1, 2), ("b", 3, 4), ("long", 0, 9))[2] == (None, "s/2")


def test_sessions_do_not_mix() -> None:
    order = CallOrder()
    order.add("one", "a", 0, 1)

    assert order.add("two", "b", 2, 3).before is None
    assert (order.last("one"), order.last("two"), order.last("three")) == ("a", "b", None)


@given(st.lists(st.tuples(MOMENTS, MOMENTS), max_size=12))
def test_the_calls_of_a_chain_never_overlap(moments: list[tuple[int, int]]) -> None:
    calls = sorted(((min(pair), max(pair)) for pair in moments), key=lambda call: call[1])
    order, chains = CallOrder(), dict[str, list[tuple[int, int]]]()
    for began, ended in calls:
        chains.setdefault(order.add("s", "t", began, ended).chain, []).append((began, ended))

    for chain in chains.values():
        assert all(earlier[1] <= later[0] for earlier, later in pairwise(chain))
