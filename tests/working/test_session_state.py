"""How a session moves on, event by event."""

from recollect.values import replaced
from recollect.working.session_state import (
    SessionState,
    compact,
    count_event,
    point_to_search,
    see,
)

NEW = SessionState("s1")
NOW, LATER = "2026-11-15T10:00:00Z", "2026-11-15T11:00:00Z"


def test_a_session_starts_with_its_first_event() -> None:
    first = count_event(NEW, NOW)

    assert (first.events, first.started_at) == (1, NOW)
    assert count_event(first, LATER) == replaced(first, events=2)


def test_the_first_goal_stays_and_an_unknown_harness_replaces_none() -> None:
    seen = see(see(NEW, "codex", NOW, "Rename the column."), "", LATER, "Something else.")

    assert (seen.goal, seen.harness) == ("Rename the column.", "codex")
    assert (seen.started_at, seen.seen_at, seen.events) == (NOW, LATER, 0)


def test_a_session_that_moves_to_another_harness_is_in_that_one() -> None:
    assert see(see(NEW, "codex", NOW), "claude-code", LATER).harness == "claude-code"


def test_a_compaction_is_an_event() -> None:
    compacted = compact(count_event(NEW, NOW), LATER)

    assert (compacted.events, compacted.compactions, compacted.started_at) == (2, 1, NOW)


def test_a_session_is_pointed_to_search_once() -> None:
    first, points = point_to_search(NEW, NOW, is_follow_up=False, has_memories=False)
    second, points_again = point_to_search(first, NOW, is_follow_up=False, has_memories=False)

    assert (points, points_again) == (True, False)
    assert (first.pointed, second.events) == (True, 2)


def test_a_follow_up_is_pointed_to_search_only_without_memories() -> None:
    silent, points = point_to_search(NEW, NOW, is_follow_up=True, has_memories=True)

    assert not points
    assert not silent.pointed
    assert point_to_search(NEW, NOW, is_follow_up=True, has_memories=False)[1]
    assert point_to_search(NEW, NOW, is_follow_up=False, has_memories=True)[1]
