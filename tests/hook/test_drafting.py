"""Drafts that a session leaves: a runbook when a command works again, a summary when it stops."""

import json
from pathlib import Path

from tests.hook.sessions import FAILING, PASSING, PYTEST, Sessions
from tests.requirements import requirement

from recollect.working.recorder import SessionRecorder


@requirement("working:runbook:offered")
def test_when_the_same_command_succeeds_a_runbook_is_offered(sessions: Sessions) -> None:
    sessions.tool("Bash", PYTEST, FAILING)
    sessions.edit()
    assert sessions.drafts == {}

    sessions.tool("Bash", {"command": "pytest  -q"}, PASSING)

    [(name, document)] = sessions.drafts.items()
    assert name.startswith("runbook-")
    assert document["content"]["steps"] == ["Edit src/login.py"]
    assert document["source"] == {"kind": "tool", "session": "s1"}
    assert sessions.contents() == ["Edited src/login.py"]


def test_by_configuration_a_runbook_is_kept_and_found_by_its_error(sessions: Sessions) -> None:
    sessions.env["RECOLLECT_KEEP_DRAFTS"] = "auto"
    sessions.tool("Bash", PYTEST, FAILING)
    sessions.edit()
    sessions.tool("Bash", PYTEST, PASSING)

    [path] = (sessions.folder / ".claude/memory/runbooks").glob("*.json")
    assert json.loads(path.read_text())["source"]["kind"] == "tool"
    assert sessions.drafts == {}
    sessions.tool("Bash", PYTEST, FAILING, session="s2")
    assert sessions.prompt("what now?", session="s2") == [f"mem:{path.stem}"]


@requirement("working:summary:drafted")
def test_a_stop_a_compaction_and_an_end_update_one_draft_of_the_session(sessions: Sessions) -> None:
    sessions.prompt("Rename the login column. All of it.")
    sessions.edit()
    sessions.close("stop")
    first = sessions.drafts
    sessions.tool("Bash", PYTEST, FAILING)
    sessions.close("compact")
    sessions.close("session_end")

    assert list(first) == list(sessions.drafts) == ["session-s1"]
    content = sessions.drafts["session-s1"]["content"]
    assert content["goal"] == "Rename the login column."
    assert content["in_progress"] == ["Not committed: src/login.py"]
    assert content["next_actions"] == [
        "`pytest -q` fails: 1 failing test (pytest -q): tests/test_login.py::test_rename"
    ]


@requirement("working:summary:drafted")
def test_a_session_in_which_nothing_was_done_leaves_no_draft(sessions: Sessions) -> None:
    sessions.prompt("What does the login column hold?")
    sessions.tool("Read", {"file_path": "src/other.py"}, "x = 1")
    sessions.close()

    assert sessions.drafts == {}


def test_the_goal_is_taken_from_the_transcript_when_no_prompt_came_by(
    sessions: Sessions, tmp_path: Path
) -> None:
    path = tmp_path / "transcript.jsonl"
    turns = ["go", "Rename the login column. Then stop."]
    rows = [{"type": "user", "message": {"content": turn}} for turn in turns]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    sessions.edit()
    sessions.close(transcript=str(path))

    assert sessions.drafts["session-s1"]["content"]["goal"] == "Rename the login column."


def test_by_configuration_a_summary_is_kept_at_the_end_and_changed_when_the_session_goes_on(
    sessions: Sessions,
) -> None:
    sessions.env["RECOLLECT_KEEP_DRAFTS"] = "auto"
    sessions.prompt("Rename the login column. All of it.")
    sessions.edit()
    sessions.close("session_end")
    sessions.edit("src/cart.py")
    sessions.close("session_end")

    [path] = (sessions.folder / ".claude/memory/sessions").glob("*.json")
    assert json.loads(path.read_text())["content"]["key_changes"] == ["src/login.py", "src/cart.py"]
    assert sessions.drafts == {}


def test_a_session_that_ended_without_saying_so_is_kept_when_another_starts(
    sessions: Sessions,
) -> None:
    sessions.edit()
    sessions.close("stop")
    sessions.env["RECOLLECT_KEEP_DRAFTS"] = "auto"
    sessions.leave_over()
    assert list(sessions.drafts) == ["session-s1"]  # it may still be alive

    with sessions.recorder() as recorder:
        SessionRecorder(recorder.stores, lambda: "2020-01-01T00:00:00Z").begin("s1", "")
    sessions.leave_over()

    assert sessions.drafts == {}
    assert len(list((sessions.folder / ".claude/memory/sessions").glob("*.json"))) == 1
