"""The tool that tells what a session has in mind."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client
from tests.requirements import requirement
from tests.server.running import structured, text_of
from tests.working.items import item, tool_call

from recollect.paths import STATE_NAME
from recollect.storage.sqlite.state import StateDatabase, precise_now
from recollect.working.recorder import SessionRecorder

pytestmark = pytest.mark.anyio
Connect = Callable[..., Client]


@pytest.fixture
def busy(folder: Path) -> str:
    """A session with two items in mind; its id."""
    state_folder = folder / ".claude/memory/.recollect"
    state_folder.mkdir(exist_ok=True)
    state = StateDatabase(str(state_folder / STATE_NAME))
    recorder = SessionRecorder(state, precise_now)
    recorder.call(
        "5f2c-1", "codex", tool_call("Bash", "pytest", failed=True, item=item(kind="failing_tests"))
    )
    recorder.call(
        "5f2c-1", "codex", tool_call("Edit", item=item("edited", 0.5, kind="edit", paths=("a.py",)))
    )
    state.close()
    return "5f2c-1"


@requirement("working:server:in-mind")
async def test_the_last_session_is_shown_with_the_highest_attention_first(
    connect: Connect, busy: str
) -> None:
    async with connect() as client:
        result = await client.call_tool("working_memory", {})

    assert structured(result) == {
        "session": busy,
        "event": 2,
        "items": [
            {
                "content": "1 failed: test_login",
                "attention": 0.68,
                "kind": "failing_tests",
                "age": 1,
                "paths": [],
            },
            {"content": "edited", "attention": 0.5, "kind": "edit", "age": 0, "paths": ["a.py"]},
        ],
    }
    assert text_of(result) == "0.68 failing_tests: 1 failed: test_login\n0.50 edit: edited"


@requirement("working:server:in-mind")
async def test_a_project_without_sessions_has_an_empty_working_memory(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("working_memory", {})

    assert structured(result) == {"items": []}


@requirement("working:server:in-mind")
async def test_an_unknown_session_is_an_error_that_says_how_to_find_one(
    connect: Connect, busy: str
) -> None:
    async with connect() as client:
        result = await client.call_tool("working_memory", {"session": "nobody"})

    assert result.is_error
    assert "'nobody'" in text_of(result)
    assert "session list" in text_of(result)
