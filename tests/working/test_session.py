"""What comes into working memory, what stays, and what leaves it for which reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.working.items import item

from recollect.working.session import (
    CAPACITY,
    CROWDED_OUT,
    EVENTS,
    FADED,
    REPLACED,
    RESOLVED,
    WorkingMemory,
    add,
    advance,
    mention,
    resolve,
)


def filled(*bases: float, event: int = 5) -> WorkingMemory:
    """A working memory with an item of each base, all seen just now."""
    items = tuple(item(f"item {number}", base, event) for number, base in enumerate(bases))
    return WorkingMemory(items, event)


def contents(memory: WorkingMemory) -> list[str]:
    return [found.content for found, _ in memory.ranked()]


@requirement("working:session:capacity")
def test_an_eighth_item_takes_the_place_of_the_least() -> None:
    memory = filled(0.9, 0.8, 0.3, 0.7, 0.6, 0.5, 0.4)

    change = add(memory, item("new", 0.35, 5))

    assert len(change.memory.items) == CAPACITY
    assert "new" in contents(change.memory)
    assert [(one.item.content, one.reason) for one in change.faded] == [("item 2", CROWDED_OUT)]


@requirement("working:session:capacity")
def test_a_new_item_gets_in_even_when_all_others_matter_more() -> None:
    change = add(filled(*[0.9] * 7), item("new", 0.1, 5))

    assert "new" in contents(change.memory)
    assert len(change.memory.items) == CAPACITY


def test_of_equals_the_one_seen_longest_ago_leaves_and_then_the_last_by_name() -> None:
    same = [item(f"item {number}", 0.5, 5) for number in range(7)]
    memory = WorkingMemory(tuple(same), 5)
    assert add(memory, item("new", 0.5, 5)).faded[0].item.content == "item 6"

    floored = [item(f"old {number}", 0.5, 5 - number, mentions=1) for number in range(7)]
    change = add(WorkingMemory(tuple(floored), 60), item("new", 0.5, 60))
    assert change.faded[0].item.content == "old 6"


def test_the_same_content_seen_again_is_refreshed_and_not_doubled() -> None:
    before = WorkingMemory((item("edited a.py", 0.6, 2, mentions=3),), 9)

    change = add(before, item("edited a.py", 0.5, 9))

    [found] = change.memory.items
    assert (found.base, found.last, found.mentions) == (0.6, 9, 3)
    assert change.faded == ()


def test_the_newest_word_on_an_error_or_a_command_takes_the_place_of_the_older() -> None:
    error = item("3 failed", 0.8, 1, kind="test", fingerprint="f1", command="pytest")
    other = item("2 failed", 0.8, 2, kind="test", fingerprint="f2", command="pytest")
    moved = item("2 failed elsewhere", 0.8, 3, kind="test", fingerprint="f2", command="pytest -x")

    first = add(WorkingMemory((error,), 2), other)
    second = add(first.memory, moved)

    assert contents(second.memory) == ["2 failed elsewhere"]
    assert [one.reason for one in (*first.faded, *second.faded)] == [REPLACED, REPLACED]


def test_an_item_that_nobody_speaks_of_fades_after_enough_events_and_not_before() -> None:
    memory = WorkingMemory((item("spec", 0.9, 0),), 0)

    for _ in range(27):
        change = advance(memory)
        assert change.faded == ()
        memory = change.memory
    change = advance(memory)

    assert change.memory.items == ()
    assert [(one.reason, one.event) for one in change.faded] == [(FADED, 28)]


def test_a_mention_raises_attention_by_a_twentieth_and_does_not_touch_the_clock() -> None:
    memory = filled(0.5, 0.5)

    after = mention(memory, ["item 1"])

    assert after.event == memory.event
    assert [(found.content, round(level, 3)) for found, level in after.ranked()] == [
        ("item 1", 0.55),
        ("item 0", 0.5),
    ]


def test_a_command_that_succeeds_takes_its_errors_along_and_nothing_else() -> None:
    error = item("1 failed", kind="test", fingerprint="f1", command="pytest")
    commit = item("committed", kind="commit", command="pytest")

    change = resolve(WorkingMemory((error, commit), 0), "pytest")

    assert change.memory.items == (commit,)
    assert [one.reason for one in change.faded] == [RESOLVED]


def test_working_memory_goes_on_when_the_counter_begins_anew() -> None:
    memory = WorkingMemory((item("spec", 0.9, EVENTS - 2),), EVENTS - 2)

    for _ in range(3):
        memory = advance(memory).memory

    assert memory.event == 1
    [(_, level)] = memory.ranked()
    assert level == pytest.approx(0.9 * 0.85**3)


_steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 12), st.floats(0.05, 1.0)),
        st.tuples(st.just("mention"), st.integers(0, 12), st.just(0.0)),
        st.tuples(st.just("advance"), st.just(0), st.just(0.0)),
    ),
    max_size=60,
)


@given(_steps, st.integers(0, EVENTS - 1))
def test_whatever_happens_there_are_at_most_seven_items_and_every_attention_is_in_bounds(
    steps: list[tuple[str, int, float]], start: int
) -> None:
    memory = WorkingMemory((), start)
    for what, number, base in steps:
        match what:
            case "add":
                memory = add(memory, item(f"item {number}", base, memory.event)).memory
            case "mention":
                memory = mention(memory, [f"item {number}"])
            case _:
                memory = advance(memory).memory
        assert len(memory.items) <= CAPACITY
        assert len({found.content for found in memory.items}) == len(memory.items)
        assert all(0.05 <= level <= 1.0 for _, level in memory.ranked())
