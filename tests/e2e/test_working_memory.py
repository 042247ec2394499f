"""Working memory through the real hook: many processes at once, processes that are killed, days that pass."""

import random
import subprocess
from pathlib import Path

import pytest
from tests.hook.conversation import FAILING, PASSING, PYTEST, Conversation, begun, undated
from tests.requirements import requirement
from tests.soak import times

from recollect.app.opening import hook_command

PROCESSES = 10
ROUNDS = times(4)
KILLED = times(40)


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return begun(tmp_path / "project", tmp_path / "home")


def test_these_are_the_processes_that_a_harness_starts(conversation: Conversation) -> None:
    told = conversation.command("hook-command", "PostToolUse", "--harness", "codex")

    assert told["command"] == hook_command("codex", "PostToolUse")


@requirement("working:store:concurrent")
def test_ten_hooks_that_write_one_session_lose_no_event_and_meet_no_lock(
    conversation: Conversation,
) -> None:
    for turn in range(ROUNDS):
        names = [f"{conversation.folder}/src/{turn}-{number}.py" for number in range(PROCESSES)]
        conversation.at_once([("Edit", {"file_path": name}) for name in names])

    deeds = conversation.asked("SELECT event FROM deed ORDER BY event")
    assert conversation.event == PROCESSES * ROUNDS
    assert deeds == [(event,) for event in range(1, PROCESSES * ROUNDS + 1)]
    assert conversation.asked("SELECT count(*) FROM item") == [(7,)]
    assert conversation.log == ""


@requirement("working:store:killed")
def test_a_session_goes_on_after_kill_9_in_the_middle_of_its_writes(conversation: Conversation) -> None:
    chance = random.Random(5)
    finished = 0
    for number in range(KILLED):
        given = {"file_path": f"{conversation.folder}/src/{number}.py"}
        process = conversation.start("PostToolUse", tool_name="Edit", tool_input=given)
        try:
            process.communicate(timeout=chance.uniform(0.005, 0.04))
            finished += 1
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate(timeout=60)
    counted = conversation.event

    conversation.edit("src/last.py")

    assert finished <= counted <= KILLED
    assert conversation.event == counted + 1
    assert conversation.asked("SELECT count(*) FROM deed") == [(counted + 1,)]  # whole or not at all
    assert conversation.asked("PRAGMA integrity_check") == [("ok",)]
    assert "Edited src/last.py" in conversation.resumed()


@requirement("working:store:pause")
def test_a_day_later_a_session_has_the_same_in_mind_byte_for_byte(conversation: Conversation) -> None:
    """Every time that was kept is set back by a day, which is a clock moved on by one."""
    conversation.prompt("Rename the login column. All of it.")
    conversation.bash(PYTEST, FAILING)
    conversation.edit("src/login.py")
    conversation.prompt("what is wrong with login.py?")
    conversation.send("Stop")
    before = conversation.resumed()
    items = conversation.asked("SELECT * FROM item")

    set_back = "strftime('%Y-%m-%dT%H:%M:%S', {0}, '-1 day') || substr({0}, 20)"
    for table, column in (("session", "started_at"), ("session", "seen_at"), ("trouble", "at")):
        moved = f"UPDATE {table} SET {column} = {set_back.format(column)} RETURNING {column}"
        assert conversation.asked(moved)

    assert before.count("\n- ") == 3
    assert conversation.resumed() == before
    assert conversation.asked("SELECT * FROM item") == items
    conversation.edit("src/login.py")
    assert conversation.event == 3


@pytest.mark.parametrize(
    ("harness", "event"),
    [
        ("codex", "SessionStart"),
        ("cursor", "sessionStart"),
        ("gemini", "SessionStart"),
        ("opencode", "session.created"),
    ],
)
@requirement("working:resume:next")
def test_work_begun_in_one_harness_goes_on_in_another(
    harness: str, event: str, conversation: Conversation
) -> None:
    conversation.prompt("Rename the login column. All of it.")
    conversation.edit("src/login.py")
    conversation.bash(PYTEST, FAILING)

    told = conversation.other("elsewhere", harness).send(event, source="startup").context

    assert undated(told).splitlines()[1:-1] == [
        "Last session (DAY, claude-code): Rename the login column.",
        "- still open: `pytest -q` fails: 1 failing test (pytest -q): tests/test_login.py::test_rename",
        "- still open: Not committed: src/login.py",
    ]


def test_sessions_of_one_project_at_once_do_not_mix(conversation: Conversation) -> None:
    sessions = [conversation.other(f"s{number}") for number in range(3)]
    started = [
        one.start(
            "PostToolUse",
            tool_name="Edit",
            tool_input={"file_path": f"{one.folder}/src/{one.session}-{turn}.py"},
        )
        for turn in range(2)
        for one in sessions
    ]
    for process in started:
        process.communicate(timeout=60)

    for one in sessions:
        told = one.resumed()
        others = {other.session for other in sessions} - {one.session}
        assert f"Edited src/{one.session}-" in told
        assert not any(f"src/{other}-" in told for other in others)


def conversed(place: Path) -> tuple[list[str], dict[str, bytes], list[dict[str, bytes]]]:
    """A whole conversation in a fresh project: its answers, its drafts, and the drafts after each close."""
    one = begun(place / "shop", place / "home")
    transcript = place / "transcript.jsonl"
    transcript.write_text('{"type": "user", "message": {"content": "Rename the login column."}}\n')
    path = {"transcript_path": str(transcript)}
    answers = [
        one.send("UserPromptSubmit", prompt="Rename the login column. All of it.", **path),
        one.bash(PYTEST, FAILING),
        one.edit("src/login.py"),
        one.send("UserPromptSubmit", prompt="does test_rename pass now?", **path),
        one.bash("npm ci", "added 3 packages"),
        one.bash(PYTEST, PASSING),
        one.edit("src/cart.py"),
        one.bash("make", "main.c:3: error: expected ';'\nExit code 2"),
    ]
    closed = []
    for event in ("Stop", "PreCompact", "SessionEnd"):
        answers.append(one.send(event, last_assistant_message="All done.", **path))
        closed.append(one.drafts)
    answers += [one.send("SessionStart", source=how) for how in ("compact", "resume", "clear")]
    answers.append(one.other("s2").send("SessionStart", source="startup"))
    return [undated(answer.out) for answer in answers], one.drafts, closed


@requirement("working:summary:deterministic")
def test_the_same_conversation_gives_the_same_bytes_in_another_project(tmp_path: Path) -> None:
    first, second = conversed(tmp_path / "first"), conversed(tmp_path / "elsewhere" / "second")

    assert first == second
    answers, drafts, closed = first
    assert closed[0] == closed[1] == closed[2] == drafts
    assert [name.split("-")[0] for name in drafts] == ["runbook", "session"]
    compacted, resumed, cleared, other = answers[-4:]
    assert "Working memory of this session" in compacted
    assert (resumed, "Edited src/cart.py" in resumed) == (compacted, True)
    assert cleared == ""
    assert "Last session (DAY, claude-code): Rename the login column." in other
