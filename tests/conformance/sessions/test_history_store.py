"""What every `HistoryStore` does."""

from recollect.ids import UnifiedId
from recollect.values import replaced
from recollect.working.history import Action, Failure
from recollect.working.ports import SessionDatabase

FAILURE = Failure("f1", "pytest -q", "1 failed", 3, 2, None, "s1", "2026-11-15T10:00:00Z")


def test_actions_come_in_the_order_of_events_and_a_repeated_one_moves(
    database: SessionDatabase,
) -> None:
    for action in (Action("edit", "a.py", 1), Action("commit", "Add a", 2), Action("edit", "a.py", 3)):
        database.history.save_action("s1", action)

    assert database.history.actions("s1") == (Action("commit", "Add a", 2), Action("edit", "a.py", 3))
    assert database.history.actions("s2") == ()


def test_a_failure_is_loaded_as_it_was_and_replaced_by_the_next(database: SessionDatabase) -> None:
    earlier = replaced(FAILURE, fingerprint="f0", event=1)
    for failure in (FAILURE, earlier, replaced(FAILURE, session="s2")):
        database.history.save_failure(failure)
    assert database.history.failures("s1") == (earlier, FAILURE)

    resolved = replaced(FAILURE, resolved_at="2026-11-15T11:00:00Z")
    database.history.save_failure(resolved)

    assert database.history.failures("s1") == (earlier, resolved)


def test_failures_are_looked_up_by_error_and_by_command_in_all_sessions(
    database: SessionDatabase,
) -> None:
    other = replaced(FAILURE, session="s2")
    resolved = replaced(FAILURE, session="s3", resolved_at="2026-11-15T11:00:00Z")
    unrelated = replaced(FAILURE, fingerprint="f2", command="make")
    for failure in (FAILURE, other, resolved, unrelated):
        database.history.save_failure(failure)

    assert database.history.failures_of("f1") == (FAILURE, other, resolved)
    assert database.history.unresolved("pytest -q") == (FAILURE, other)


def test_a_fix_is_added_once(database: SessionDatabase) -> None:
    for memory in ("mem:b", "mem:a", "mem:b"):
        database.history.add_fix("f1", UnifiedId(memory))

    assert database.history.fixes("f1") == ["mem:a", "mem:b"]
    assert database.history.fixes("f2") == []


def test_memories_wait_for_their_session_until_they_are_cleared(database: SessionDatabase) -> None:
    a, b = UnifiedId("mem:a"), UnifiedId("mem:b")
    database.injections.add_waiting("s1", [b, a])
    database.injections.add_waiting("s1", [a])
    database.injections.add_waiting("s2", [b])

    database.injections.clear_waiting("s2")

    assert database.injections.waiting("s1") == [a, b]
    assert database.injections.waiting("s2") == []


def test_actions_of_other_sessions_and_the_oldest_failures_are_deleted(
    database: SessionDatabase,
) -> None:
    for number, session in enumerate(("s1", "s2", "s3")):
        database.history.save_action(session, Action("edit", "a.py", 1))
        database.injections.add_waiting(session, [UnifiedId("mem:a")])
        database.history.save_failure(replaced(FAILURE, session=session, at=f"2026-0{number + 1}"))

    database.history.keep_only(["s1", "s3"], failures=2)
    database.injections.keep_only(["s1", "s3"])

    assert database.history.actions("s2") == ()
    assert database.injections.waiting("s2") == []
    assert len(database.history.actions("s3")) == len(database.injections.waiting("s3")) == 1
    assert [failure.session for failure in database.history.failures_of("f1")] == ["s2", "s3"]
