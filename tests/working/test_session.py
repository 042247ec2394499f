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


def advanced(memory: WorkingMemory, events: int) -> WorkingMemory:
    """The working memory so many events later."""
    for _ in range(events):
        memory = advance(memory).memory
    return memory


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

    floored = [item(f"old {number}", 0.5, 7 - number) for number in range(7)]
    change = add(WorkingMemory(tuple(floored), 24), item("new", 0.5, 24))
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


@pytest.mark.parametrize(
    ("base", "ago", "expected"), [(0.7, 1, 0.645), (0.5, 4, 0.311003125), (1.0, 0, 1.0)]
)
@requirement("working:attention:mention")
def test_a_mention_adds_a_twentieth_to_what_is_left_and_no_more_than_one_in_all(
    base: float, ago: int, expected: float
) -> None:
    after = mention(WorkingMemory((item("edited a.py", base, 9 - ago),), 9), ["edited a.py"])

    [(found, level)] = after.ranked()
    assert level == pytest.approx(expected)
    assert found.mentions == 1


@pytest.mark.parametrize("times", [1, 2, 20, 1000])
@requirement("working:attention:mention")
def test_a_mentioned_item_is_gone_29_events_after_the_last_mention_at_the_latest(times: int) -> None:
    memory = WorkingMemory((item("edited a.py", 0.9, 0),), 0)
    for _ in range(times):
        memory = mention(memory, ["edited a.py"])

    assert advanced(memory, 29).items == ()


@requirement("working:attention:mention")
def test_one_mention_of_an_item_that_is_almost_gone_keeps_it_for_ten_events_more() -> None:
    memory = WorkingMemory((item("edited a.py", 0.9, 0),), 27)
    mentioned = mention(memory, ["edited a.py"])

    alone_after = [advanced(memory, events).items for events in (0, 1)]
    mentioned_after = [advanced(mentioned, events).items for events in (11, 12)]

    assert [len(items) for items in alone_after] == [1, 0]  # 0.0112 is left
    assert [len(items) for items in mentioned_after] == [1, 0]  # 0.0612


@requirement("working:attention:mention")
def test_an_item_that_prompts_go_on_mentioning_stays() -> None:
    memory = WorkingMemory((item("edited a.py", 0.5, 0),), 0)
    for _ in range(20):
        memory = mention(advanced(memory, 9), ["edited a.py"])

    assert [found.mentions for found in memory.items] == [20]


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
