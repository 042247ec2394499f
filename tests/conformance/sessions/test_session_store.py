"""What every `SessionStore` does."""

import pytest
from tests.working.items import item

from recollect.working.ports import SessionDatabase
from recollect.working.session import FADED_KEPT, Faded, WorkingMemory
from recollect.working.session_state import SessionState
from recollect.working.view import Left, RuleCount

STATE = SessionState(
    "s1",
    "2026-11-15T10:00:00Z",
    "2026-11-15T11:00:00Z",
    "codex",
    "Rename the column.",
    7,
    2,
    pointed=True,
    summary_memory="rename-the-column",
)


def test_an_unknown_session_is_empty(database: SessionDatabase) -> None:
    assert database.sessions.state("s1") == SessionState("s1")
    assert database.sessions.memory("s1") == WorkingMemory()
    assert database.sessions.left("s1") == []
    assert database.sessions.latest(10) == []


def test_a_saved_state_is_loaded_as_it_was_and_replaced_by_the_next(database: SessionDatabase) -> None:
    database.sessions.save_state(STATE)
    assert database.sessions.state("s1") == STATE

    later = SessionState("s1", STATE.started_at, events=8)
    database.sessions.save_state(later)

    assert database.sessions.state("s1") == later


def test_saving_a_state_leaves_the_items_alone(database: SessionDatabase) -> None:
    memory = WorkingMemory((item("a", paths=("src/a.py", "b.py")), item("b", mentions=2)), 5)
    database.sessions.save_state(STATE)
    database.sessions.save_memory("s1", memory)

    database.sessions.save_state(STATE)

    assert database.sessions.memory("s1") == memory


def test_saved_items_replace_those_of_their_session_only(database: SessionDatabase) -> None:
    for name in ("s1", "s2"):
        database.sessions.save_state(SessionState(name, "2026", "2026"))
        database.sessions.save_memory(name, WorkingMemory((item("first"),), 1))

    database.sessions.save_memory("s1", WorkingMemory((item("second", fingerprint="f"),), 2))

    assert [found.content for found in database.sessions.memory("s1").items] == ["second"]
    assert [found.content for found in database.sessions.memory("s2").items] == ["first"]
    assert database.sessions.memory("s2").event == 1


def test_only_the_latest_of_what_left_is_kept_latest_first(database: SessionDatabase) -> None:
    database.sessions.save_state(STATE)
    for number in range(FADED_KEPT + 5):
        gone = Faded(item(f"item {number}", kind="test"), "faded", number)
        database.sessions.save_memory("s1", WorkingMemory((), number), [gone])

    left = database.sessions.left("s1")

    assert left[0] == Left(f"item {FADED_KEPT + 4}", "test", "faded", FADED_KEPT + 4)
    assert len(left) == FADED_KEPT


def test_sessions_are_listed_by_when_they_were_last_seen(database: SessionDatabase) -> None:
    for name, seen_at in (("old", "2026-01"), ("new", "2026-03"), ("mid", "2026-02"), ("none", "")):
        database.sessions.save_state(SessionState(name, "2026", seen_at, "codex", f"Goal of {name}."))
    database.sessions.save_memory("mid", WorkingMemory((item("a"), item("b")), 4))

    listed = database.sessions.latest(2)

    assert [session.id for session in listed] == ["new", "mid"]
    assert (listed[1].items, listed[1].goal) == (2, "Goal of mid.")


def test_matches_of_rules_are_counted(database: SessionDatabase) -> None:
    for rule, at in (("edit", "2026-01"), ("test", "2026-02"), ("test", "2026-03")):
        database.sessions.count_rule(rule, at)

    assert database.sessions.rule_counts() == [
        RuleCount("test", 2, "2026-03"),
        RuleCount("edit", 1, "2026-01"),
    ]


@pytest.mark.parametrize("kept", [["s2"], []])
def test_the_items_of_other_sessions_are_deleted_and_their_states_stay(
    database: SessionDatabase, kept: list[str]
) -> None:
    for name in ("s1", "s2"):
        database.sessions.save_state(SessionState(name, "2026", "2026"))
        gone = Faded(item("gone"), "faded", 1)
        database.sessions.save_memory(name, WorkingMemory((item("a"),), 1), [gone])

    database.sessions.keep_only(kept)

    assert database.sessions.memory("s1").items == ()
    assert database.sessions.left("s1") == []
    assert len(database.sessions.memory("s2").items) == len(kept)
    assert database.sessions.state("s1").seen_at == "2026"
