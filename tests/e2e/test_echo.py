"""What Recollect says comes back in every way an agent can bring it back, and nothing is made of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.hook.conversation import FAILING, Conversation, begun
from tests.requirements import requirement
from tests.samples import draft
from tests.soak import times

from recollect.app.opening import open_project
from recollect.records.categories import Category
from recollect.records.memories import Saved

ROUNDS = times(30)
AT_ONCE = 2  # hooks of one round that run at the same time
PROMPT = "test_rename fails with assert 1 == 2 after the oauth2 login change"
FILE = ".claude/memory/runbooks/fix-test-rename.json"


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    """A project with a memory that reads like the output of a failing test."""
    one = begun(tmp_path / "project", tmp_path / "home")
    project = open_project(one.folder, env=one.env)
    told = draft(
        f"After the oauth2 login change: {FAILING.splitlines()[0]}",
        Category.RUNBOOK,
        tags=["oauth2", "login", "test_rename"],
        content={
            "trigger": FAILING,
            "steps": ["Rename the login column."],
            "verification": "It passes.",
        },
    )
    assert isinstance(project.memories.save(told), Saved)
    project.finder.index.update()
    return one


def echoes(block: str) -> list[tuple[str, dict[str, Any], object]]:
    """Ways in which an agent reads what we said, or what we keep, and gets it as a tool's output."""
    line = FAILING.splitlines()[0]
    row = json.dumps({"type": "attachment", "text": block})
    shell = {"stdout": f"{block}\nExit code 1", "stderr": ""}
    return [
        ("Read", {"file_path": "notes/spec.md"}, block),
        ("Bash", {"command": "cat transcript.jsonl"}, shell),
        ("Bash", {"command": "tail -1 transcript.jsonl"}, {"stdout": row}),
        ("Bash", {"command": "recollect search test_rename"}, {"stdout": FAILING}),
        ("Bash", {"command": "cd src\nrecollect show fix-test-rename --json"}, {"stdout": FAILING}),
        ("Bash", {"command": "bash -lc 'recollect session'"}, {"stdout": FAILING}),
        ("mcp__recollect__memory_search", {"query": "rename"}, [{"type": "text", "text": FAILING}]),
        ("mcp__plugin_recollect_recollect__working_memory", {}, {"content": [{"text": FAILING}]}),
        ("Bash", {"command": "grep -rn FAILED .claude/memory"}, {"stdout": f"{FILE}:3: {line}"}),
        ("Bash", {"command": "grep -rn FAILED ."}, {"stdout": f"./{FILE}:3: {line}"}),
        ("Grep", {"pattern": "error", "path": "."}, f"{FILE}:3: error {line}"),
        ("Grep", {"pattern": "error"}, f"Found 1 file\n{FILE}"),
        ("Read", {"file_path": f"specs/../{FILE}"}, FAILING),
        ("shell", {"command": ["bash", "-lc", f"cat {FILE}"]}, FAILING),
    ]


def everything(one: Conversation) -> list[object]:
    """All that could be new: items, what was noted of errors and deeds, drafts, memories."""
    tables = [one.asked(f"SELECT * FROM {name}") for name in ("item", "faded", "trouble", "deed")]
    memory = one.folder / ".claude/memory"
    return [*tables, one.drafts, sorted(path.name for path in memory.rglob("*.json"))]


@requirement("working:echo:rounds")
def test_rounds_of_inject_then_capture_create_nothing_new(
    conversation: Conversation, tmp_path: Path
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    before = everything(conversation)

    for turn in range(ROUNDS):
        one = conversation.other(f"round-{turn}")
        block = one.prompt(PROMPT)
        assert "FAILED tests/test_login.py" in block
        ways = echoes(block)
        some = [ways[(turn * AT_ONCE + number) % len(ways)] for number in range(AT_ONCE)]
        answered = {"type": "assistant", "message": {"content": [{"type": "text", "text": block}]}}
        transcript.write_text(json.dumps(answered) + "\n")
        started = [
            one.start("PostToolUse", tool_name=tool, tool_input=given, tool_response=output)
            for tool, given, output in some
        ]
        started.append(one.start("Stop", last_assistant_message=block, transcript_path=str(transcript)))
        assert [process.communicate(timeout=60)[0] for process in started] == [b""] * len(started)

    assert everything(conversation) == before
    assert conversation.log == ""


def test_without_us_in_it_the_same_output_is_taken(conversation: Conversation) -> None:
    """So that the rounds above are silent for the reason that they test."""
    conversation.bash("pytest -q", FAILING)

    assert conversation.asked("SELECT kind FROM item") == [("failing_tests",)]
