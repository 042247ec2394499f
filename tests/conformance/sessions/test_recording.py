"""What is recorded of sessions survives, whichever engine stores it."""

from tests.conformance.sessions.conftest import Reopen
from tests.requirements import requirement
from tests.working.items import item, tool_call

from recollect.ids import UnifiedId
from recollect.working.recorder import SESSIONS_KEPT, SessionRecorder
from recollect.working.redacted import RedactedText
from recollect.working.session import FADED_KEPT
from recollect.working.session_state import Impact
from recollect.working.view import Left

FAILED = item("1 failed: test_login", kind="test", fingerprint="f1", command="pytest -q")
EDITED = item("edited a.py", 0.6, kind="edit", paths=("src/a.py",))
FAILING_CALL = tool_call("Bash", "pytest -q", failed=True, item=FAILED)
PASSING_CALL = tool_call("Bash", "pytest -q")
A, B, C = UnifiedId("mem:a"), UnifiedId("mem:b"), UnifiedId("mem:c")


@requirement("working:store:counter")
def test_the_counter_moves_with_tool_calls_only(recorder: SessionRecorder) -> None:
    for _ in range(3):
        recorder.call("s1", "codex", tool_call("Read"))

    recorder.begin("s1", "codex", RedactedText("Rename the login column."))
    recorder.mention("s1", "a.py")
    recorder.count_event("s1")

    assert recorder.stores.sessions.memory("s1").event == 3


def test_items_are_still_there_when_the_database_is_opened_again(reopen: Reopen) -> None:
    recorder = reopen()
    recorder.call("s1", "claude-code", FAILING_CALL)
    recorder.call("s1", "claude-code", tool_call("Edit", item=EDITED))
    recorder.mention("s1", "is a.py done?")

    again = reopen().stores.sessions.memory("s1")

    assert again == recorder.stores.sessions.memory("s1")
    by_content = {found.content: found for found in again.items}
    assert by_content["edited a.py"].mentions == 1
    assert by_content["edited a.py"].provenance.event == 2
    assert by_content["edited a.py"].paths == ("src/a.py",)
    assert by_content["1 failed: test_login"].last == 1


@requirement("working:store:pause")
def test_a_pause_of_a_day_changes_nothing(reopen: Reopen) -> None:
    before = reopen("2026-11-15T10:00:00Z")
    before.call("s1", "claude-code", FAILING_CALL)
    before.call("s1", "claude-code", tool_call("Edit", item=EDITED))
    ranked = before.stores.sessions.memory("s1").ranked()

    after = reopen("2026-11-16T10:00:00Z")
    after.begin("s1", "claude-code")

    assert after.stores.sessions.memory("s1").ranked() == ranked


def test_sessions_of_one_project_have_working_memories_of_their_own(recorder: SessionRecorder) -> None:
    recorder.call("s1", "claude-code", FAILING_CALL)
    recorder.call("s2", "codex", tool_call("Edit", item=EDITED))
    recorder.call("s2", "codex", tool_call("Read"))

    store = recorder.stores.sessions
    assert [found.content for found in store.memory("s1").items] == ["1 failed: test_login"]
    assert [found.content for found in store.memory("s2").items] == ["edited a.py"]
    assert {session.id: session.harness for session in store.latest(9)} == {
        "s1": "claude-code",
        "s2": "codex",
    }
    assert [store.memory(id).event for id in ("s1", "s2")] == [1, 2]


def test_what_left_is_stored_with_the_reason_and_only_the_latest_of_it(
    recorder: SessionRecorder,
) -> None:
    recorder.call("s1", "claude-code", FAILING_CALL)
    recorder.call("s1", "claude-code", PASSING_CALL)
    store = recorder.stores.sessions
    assert store.left("s1") == [Left("1 failed: test_login", "test", "resolved", 2)]

    for number in range(FADED_KEPT + 20):
        recorder.call("s1", "claude-code", tool_call("Read", item=item(f"item {number}", 0.5)))

    assert len(store.left("s1")) == FADED_KEPT
    assert store.left("s1")[0].reason == "crowded out"


def test_an_error_seen_before_is_known_in_any_session(recorder: SessionRecorder) -> None:
    assert not recorder.call("s1", "", FAILING_CALL).known
    assert not recorder.call("s1", "", FAILING_CALL).known  # still the same occurrence
    assert recorder.call("s2", "", FAILING_CALL).known
    recorder.call("s2", "", PASSING_CALL)
    assert recorder.call("s2", "", FAILING_CALL).known


def test_a_command_that_succeeds_again_resolves_its_failures(recorder: SessionRecorder) -> None:
    recorder.call("s1", "", FAILING_CALL)
    recorder.call("s1", "", tool_call("Edit", item=EDITED))
    recorder.call("s1", "", tool_call("Bash", "cat notes.txt"))
    recorder.call("s1", "", tool_call("Bash", "pip install cart"))

    [fixed] = recorder.call("s1", "", PASSING_CALL).fixed

    assert (fixed.fingerprint, fixed.event, fixed.resolved) == ("f1", 1, True)
    assert [(action.kind, action.text) for action in recorder.history("s1").actions] == [
        ("edit", "src/a.py"),
        ("command", "pip install cart"),
    ]
    assert recorder.call("s1", "", PASSING_CALL).fixed == ()


def test_a_command_that_fails_again_fixes_nothing(recorder: SessionRecorder) -> None:
    recorder.call("s1", "", FAILING_CALL)

    assert recorder.call("s1", "", tool_call("Bash", "pytest -q", failed=True)).fixed == ()
    assert [failure.resolved for failure in recorder.history("s1").failures] == [False]


def test_a_prompt_is_shown_a_runbook_once(recorder: SessionRecorder) -> None:
    recorder.fixed_by("f1", A)
    recorder.show_next("s1", recorder.stores.history.fixes("f1"))

    assert recorder.take_waiting("s2") == []
    assert recorder.take_waiting("s1") == [A]
    assert recorder.take_waiting("s1") == []


def test_every_match_of_a_rule_is_counted(recorder: SessionRecorder) -> None:
    recorder.call("s1", "", FAILING_CALL)
    recorder.call("s1", "", FAILING_CALL)

    counts = recorder.stores.sessions.rule_counts()
    assert [(count.rule, count.matched) for count in counts] == [("failing-tests", 2)]


def test_tidying_deletes_what_the_oldest_sessions_had_in_mind(reopen: Reopen) -> None:
    for number in range(SESSIONS_KEPT + 3):
        recorder = reopen(f"2026-11-15T10:{number:02}:00Z")
        recorder.call(f"s{number}", "", FAILING_CALL)
        recorder.keep_turn(f"s{number}", RedactedText("rename the column"))
    recorder = reopen("2026-11-15T12:00:00Z")

    recorder.tidy()

    assert recorder.stores.sessions.memory("s2").items == ()
    assert recorder.stores.turns.turns("s2") == []
    assert len(recorder.stores.sessions.memory("s3").items) == 1
    assert recorder.stores.turns.turns("s3") == ["rename the column"]
    assert len(recorder.history("s2").failures) == 1  # failures are kept for longer


@requirement("working:store:counter")
def test_the_first_goal_of_a_session_stays(recorder: SessionRecorder) -> None:
    recorder.begin("s1", "claude-code")
    recorder.begin("s1", "codex", RedactedText("Rename the login column."))
    recorder.begin("s1", "", RedactedText("Something else by now."))

    history = recorder.history("s1")
    assert (history.goal, history.harness) == ("Rename the login column.", "codex")


def test_a_memory_is_new_to_a_session_once_until_a_compaction(recorder: SessionRecorder) -> None:
    assert recorder.give("s", [A, B], 0.9) == [A, B]
    assert recorder.give("s", [B, C], 0.8) == [C]
    assert recorder.give("other", [A], 0.9) == [A]
    assert recorder.in_context("s") == {A, B, C}

    recorder.compact("s")

    assert recorder.in_context("s") == set()
    assert recorder.in_context("other") == {A}
    assert recorder.give("s", [A], 0.9) == [A]
    assert recorder.in_context("s") == {A}


def test_a_compaction_may_be_the_first_event_of_a_session(recorder: SessionRecorder) -> None:
    recorder.compact("s")

    assert recorder.give("s", [A], 0.9) == [A]


def test_a_follow_up_to_memories_is_not_pointed_to_search(recorder: SessionRecorder) -> None:
    recorder.give("s", [A], 0.5)

    assert not recorder.point_to_search("s", is_follow_up=True)
    assert recorder.point_to_search("t", is_follow_up=True)
    assert recorder.point_to_search("s")
    assert not recorder.point_to_search("s")
    assert recorder.count_event("s") == 5


def test_the_first_use_of_a_memory_counts(recorder: SessionRecorder) -> None:
    recorder.give("one", [A, B], 0.9)
    recorder.give("two", [A], 0.7)
    assert recorder.unused("one") == [A, B]

    recorder.use("one", [A], "read")
    recorder.use("one", [A], "cited")
    recorder.use("one", ["mem:unknown"], "read")

    assert recorder.unused("one") == [B]
    assert recorder.stores.injections.impact() == [Impact(A, 2, 1), Impact(B, 1, 0)]
    assert [found.used for found in recorder.stores.injections.of_session("one")] == ["read", None]


def test_a_session_is_busy_with_items_waiting_runbooks_or_used_memories(
    recorder: SessionRecorder,
) -> None:
    recorder.call("items", "", FAILING_CALL)
    recorder.show_next("waiting", [A])
    for session in ("given", "used"):
        recorder.give(session, [A], 0.9)
    recorder.use("used", [A], "read")

    busy = [name for name in ("items", "waiting", "used", "given", "new") if recorder.is_busy(name)]

    assert busy == ["items", "waiting", "used"]


def test_a_summary_of_an_unknown_session_does_not_create_it(recorder: SessionRecorder) -> None:
    recorder.begin("s1", "codex")
    for session in ("s1", "s2"):
        recorder.summarised(session, "rename-the-column")

    assert recorder.history("s1").summary_memory == "rename-the-column"
    assert recorder.history("s2").summary_memory == ""
