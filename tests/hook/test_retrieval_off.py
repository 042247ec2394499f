"""`retrieval.enabled` false: a conversation gets nothing of us, and what a session does is still recorded."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.hook.conftest import Harness
from tests.hook.test_prompt import LOOP, keep
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.project import Recollect
from recollect.records.categories import Category
from recollect.records.json_format import Json
from recollect.retrieval.request import Request

PROMPT = "the oauth2 login is stuck in a redirect loop again"
EDIT = {"tool_name": "Edit", "tool_response": {"success": True}}


@pytest.fixture
def harness(project: Recollect, harness: Harness) -> Harness:
    """A project with a memory, a summary with open ends, and a session with working memory."""
    keep(project)
    summary: dict[str, Json] = {
        "goal": "x",
        "outcome": "partial",
        "completed": [],
        "next_actions": ["ship it"],
    }
    project.memories.save(draft("Half done", Category.SESSION_SUMMARY, content=summary))
    edited = str(harness.folder / "src/login.py")
    harness.send("PostToolUse", "known", tool_input={"file_path": edited}, **EDIT)
    return harness


def switch_off(harness: Harness, value: object) -> None:
    file = harness.folder / ".claude/memory/memory-config.json"
    file.write_text(json.dumps({"retrieval": {"enabled": value}}))


EVENTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "prompt": ("UserPromptSubmit", "new", {"prompt": PROMPT}),
    "prompt that matches nothing": ("UserPromptSubmit", "new", {"prompt": "paint the shed on Sunday"}),
    "start": ("SessionStart", "new", {"source": "startup"}),
    "resume": ("SessionStart", "known", {"source": "resume"}),
    "compaction": ("SessionStart", "known", {"source": "compact"}),
}


@requirement("retrieval:enabled:nothing-injected")
@pytest.mark.parametrize("event", EVENTS)
def test_nothing_is_injected_on_any_path(event: str, harness: Harness) -> None:
    name, session, fields = EVENTS[event]
    before = harness.send(name, f"{session}", **fields).context
    switch_off(harness, value=False)
    after = harness.send(name, f"{session}-2" if session == "new" else session, **fields)

    assert before
    assert (after.exit_code, after.context, after.err) == (0, "", "")


@requirement("retrieval:enabled:nothing-injected")
def test_searches_still_answer_and_the_session_is_still_recorded(
    project: Recollect, harness: Harness
) -> None:
    switch_off(harness, value=False)
    harness.prompt(PROMPT, "s9")
    edited = str(harness.folder / "src/cart.py")
    harness.send("PostToolUse", "s9", tool_input={"file_path": edited}, **EDIT)

    assert project.sessions.injections(10) == []
    view = project.sessions.view("s9")
    assert view is not None
    assert [item.paths for item in view.memory.items] == [("src/cart.py",)]
    assert LOOP in [hit.document.title for hit in project.find(Request(PROMPT)).answer.hits]


@requirement("retrieval:enabled:nothing-injected")
def test_every_way_to_write_false_switches_it_off(harness: Harness, folder: Path) -> None:
    for number, value in enumerate((False, 0, "off", "false")):
        switch_off(harness, value)
        assert harness.prompt(PROMPT, f"s{number}") == ""
    (folder / ".claude/memory/memory-config.json").unlink()
    assert (
        harness.raw(
            "UserPromptSubmit",
            json.dumps({"session_id": "e", "cwd": str(folder), "prompt": PROMPT}).encode(),
            RECOLLECT_RETRIEVAL="0",
        ).context
        == ""
    )
    assert LOOP in harness.prompt(PROMPT, "on")
