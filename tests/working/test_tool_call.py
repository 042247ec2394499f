"""What a tool call changes in a session, without a database."""

from tests.requirements import requirement
from tests.working.items import item, tool_call

from recollect.values import replaced
from recollect.working.history import EARLIER_SESSION, Action, Failure, is_step
from recollect.working.session import WorkingMemory
from recollect.working.tool_call import CallContext, apply_call

NOW = "2026-11-15T10:00:00Z"
FAILED = item("1 failed: test_login", kind="test", fingerprint="f1", command="pytest -q")
FAILING_CALL = tool_call("Bash", "pytest -q", failed=True, item=FAILED)
FAILURE = Failure("f1", "pytest -q", "1 failed: test_login", 3, session="s1", at="2026-11-14")
EMPTY = CallContext(WorkingMemory((), 6))


@requirement("working:store:counter")
def test_every_call_moves_the_counter_by_one_event() -> None:
    outcome = apply_call("s1", tool_call("Read"), EMPTY, NOW)

    assert outcome.memory == WorkingMemory((), 7)
    assert (outcome.actions, outcome.failures, outcome.left) == ((), (), ())


def test_a_new_item_comes_in_at_the_event_of_its_call() -> None:
    [new] = apply_call("s1", FAILING_CALL, EMPTY, NOW).memory.items

    assert (new.last, new.provenance.event) == (7, 7)


def test_an_edit_is_one_action_for_each_file_and_a_commit_is_one() -> None:
    edit = item("Edited a.py, b.py", kind="edit", paths=("a.py", "b.py"))
    commit = item("Committed [main 1a2b3c4] Add a", kind="commit")

    edited = apply_call("s1", tool_call("Edit", item=edit), EMPTY, NOW)
    committed = apply_call("s1", tool_call("Bash", "git commit", item=commit), EMPTY, NOW)

    assert edited.actions == (Action("edit", "a.py", 7), Action("edit", "b.py", 7))
    assert committed.actions == (Action("commit", "Committed [main 1a2b3c4] Add a", 7),)


def test_a_first_failure_is_recorded_and_not_known() -> None:
    outcome = apply_call("s1", FAILING_CALL, EMPTY, NOW)

    assert outcome.failures == (replaced(FAILURE, event=7, at=NOW),)
    assert not outcome.known


def test_a_failure_that_goes_on_is_counted_from_its_first_event() -> None:
    before = replaced(EMPTY, same_error=(FAILURE,), has_failures=True)

    outcome = apply_call("s1", FAILING_CALL, before, NOW)

    assert outcome.failures == (replaced(FAILURE, times=2, at=NOW),)
    assert not outcome.known


def test_a_failure_that_comes_back_is_known_and_begins_again() -> None:
    resolved = replaced(FAILURE, resolved_at="2026-11-14")
    before = replaced(EMPTY, same_error=(resolved,))

    outcome = apply_call("s1", FAILING_CALL, before, NOW)

    assert outcome.failures == (replaced(FAILURE, times=2, event=7, at=NOW),)
    assert outcome.known


def test_a_failure_of_another_session_is_known_and_stays_as_it_is() -> None:
    before = replaced(EMPTY, same_error=(replaced(FAILURE, session="s0"),))

    outcome = apply_call("s1", FAILING_CALL, before, NOW)

    assert outcome.failures == (replaced(FAILURE, event=7, at=NOW),)
    assert outcome.known


def test_a_success_resolves_the_failures_of_its_command_in_all_sessions() -> None:
    other = replaced(FAILURE, session="s0", event=90)
    memory = apply_call("s1", FAILING_CALL, EMPTY, NOW).memory
    before = CallContext(memory, same_command=(FAILURE, other), has_failures=True)

    outcome = apply_call("s1", tool_call("Bash", "pytest -q"), before, NOW)

    assert outcome.memory.items == ()
    assert [gone.reason for gone in outcome.left] == ["resolved"]
    assert {failure.session: failure.resolved_at for failure in outcome.failures} == {
        "s0": NOW,
        "s1": NOW,
    }
    assert {failure.session: failure.event for failure in outcome.fixed} == {
        "s0": EARLIER_SESSION,
        "s1": 3,
    }


def test_a_call_that_failed_or_reports_an_error_resolves_nothing() -> None:
    before = replaced(EMPTY, same_command=(FAILURE,), has_failures=True)

    failed = apply_call("s1", tool_call("Bash", "pytest -q", failed=True), before, NOW)
    reports = apply_call("s1", tool_call("Bash", "pytest -q", item=FAILED), before, NOW)

    assert failed.fixed == reports.fixed == ()


def test_a_command_is_a_step_only_while_something_fails() -> None:
    step = tool_call("Bash", "pip install cart")

    assert apply_call("s1", step, EMPTY, NOW).actions == ()
    broken = replaced(EMPTY, has_failures=True)
    assert apply_call("s1", step, broken, NOW).actions == (Action("command", "pip install cart", 7),)
    assert apply_call("s1", tool_call("Bash", "cat notes.txt"), broken, NOW).actions == ()


def test_a_command_line_is_a_step_when_any_part_of_it_may_change_something() -> None:
    assert is_step("cd src && /usr/bin/make")
    assert not is_step("cat a | grep b; ls")
