"""Working memory at the hook: what tools returned, what prompts speak of, what is in attention."""

import json
from pathlib import Path

import pytest
from tests.hook.sessions import FAILING, PYTEST, Sessions
from tests.requirements import requirement
from tests.samples import draft

from recollect.agents.event import Event
from recollect.app.project import Recollect
from recollect.errors import InvalidConfigError
from recollect.hook.usage import on_pause, on_tool, on_unanswered_prompt
from recollect.ids import UnifiedId
from recollect.records.categories import Category
from recollect.records.memories import Saved

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@requirement("working:hook:captures")
def test_a_tool_output_becomes_an_item_with_paths_inside_the_project(sessions: Sessions) -> None:
    sessions.tool("Bash", PYTEST, FAILING)
    sessions.edit()
    sessions.tool("Read", {"file_path": "src/other.py"}, "x = 1")

    failing, edited = sessions.contents()
    assert failing.startswith("1 failing test (pytest -q):\n- tests/test_login.py::test_rename")
    assert edited == "Edited src/login.py"
    memory = sessions.asked(lambda found: found.stores.sessions.memory("s1"))
    assert memory.event == 3
    assert {item.paths for item in memory.items} == {(), ("src/login.py",)}


@requirement("working:hook:switched-off")
def test_with_extraction_off_events_are_counted_and_nothing_is_kept(sessions: Sessions) -> None:
    sessions.env["RECOLLECT_EXTRACTION"] = "0"

    sessions.tool("Bash", PYTEST, FAILING)

    assert sessions.contents() == []
    assert sessions.asked(lambda found: found.stores.sessions.memory("s1").event) == 1


def test_a_secret_in_a_tool_output_reaches_no_file(sessions: Sessions) -> None:
    output = f"Traceback (most recent call last):\n  File 'a.py', line 1\nValueError: bad key {KEY}"
    sessions.prompt(f"Deploy with the key {KEY} please.")
    sessions.tool("Bash", {"command": f"KEY={KEY} python a.py"}, f"{output}\nExit code 1")
    sessions.edit()
    sessions.tool("Bash", {"command": f"KEY={KEY} python a.py"}, "done")
    sessions.close()

    written = [path.read_bytes() for path in sessions.folder.rglob("*") if path.is_file()]
    assert sessions.drafts
    assert not any(KEY.encode() in data for data in written)


def test_a_pattern_of_the_users_own_is_taken_out_and_a_refused_one_stops_the_write(
    sessions: Sessions,
) -> None:
    config = sessions.folder / ".claude/memory/memory-config.json"
    config.write_text(
        json.dumps({"redaction": {"patterns": [{"id": "acme", "pattern": "acme-[0-9]+"}]}})
    )
    sessions.tool("Edit", {"file_path": "keys/acme-123.txt"}, "ok")
    assert sessions.contents() == ["Edited keys/[REDACTED].txt"]

    config.write_text(json.dumps({"redaction": {"patterns": [{"id": "ahead", "pattern": "(?=a)b"}]}}))
    with pytest.raises(InvalidConfigError, match="ahead"):
        sessions.edit()
    assert sessions.contents() == ["Edited keys/[REDACTED].txt"]


def test_a_prompt_that_names_an_item_raises_it_and_says_what_the_session_is_for(
    sessions: Sessions,
) -> None:
    sessions.edit("src/login.py")
    sessions.edit("src/cart.py")
    assert sessions.contents() == ["Edited src/cart.py", "Edited src/login.py"]

    for _ in range(3):
        sessions.prompt("Why does login.py import the cart?")

    assert sessions.contents() == ["Edited src/login.py", "Edited src/cart.py"]
    record = sessions.asked(lambda found: found.history("s1"))
    assert record.goal == "Why does login.py import the cart?"


@requirement("working:echo:rounds")
def test_a_hundred_rounds_of_telling_and_capturing_make_nothing_new(
    sessions: Sessions, project: Recollect
) -> None:
    """One recalled sentence captured again and again is how other memories filled with junk."""
    sessions.tool("Bash", PYTEST, FAILING)
    before = sessions.contents()

    for turn in range(100):
        lines = sessions.start("resume")
        block = "\n".join(['<memory-context source=".claude/memory/">', *lines, "</memory-context>"])
        sessions.tool("Bash", {"command": f"cat transcript-{turn}.jsonl"}, f"{block}\nExit code 1")
        sessions.tool("Bash", {"command": f"recollect session show s{turn}"}, f"{FAILING} {turn}")
        sessions.tool("mcp__recollect__working_memory", {}, f"{FAILING} {turn}")
        sessions.tool("Read", {"file_path": ".claude/memory/specs/spec.md"}, f"round {turn}")
        sessions.prompt("go on")
        now = sessions.contents()
        assert now in (before, [])  # it may fade, and nothing may come

    assert sessions.asked(
        lambda found: [count.matched for count in found.stores.sessions.rule_counts()]
    ) == [1]


@requirement("working:fingerprint:runbook")
def test_an_error_seen_before_brings_back_the_runbook_that_names_it(
    sessions: Sessions, project: Recollect
) -> None:
    sessions.tool("Bash", PYTEST, FAILING)
    [failure] = sessions.asked(lambda found: found.history("s1").failures)
    known = draft(
        "Rename the column first",
        Category.RUNBOOK,
        content={"symptoms": ["the rename test fails", f"fingerprint {failure.fingerprint}"]},
    )
    assert isinstance(project.memories.save(known), Saved)
    project.finder.index.update()
    assert sessions.prompt("what now?") == []

    sessions.tool("Bash", PYTEST, FAILING.replace("0.1s", "0.3s"), session="s2")

    assert sessions.prompt("what now?", session="s2") == ["mem:rename-the-column-first"]
    assert sessions.prompt("what now?", session="s2") == []


def test_memories_about_the_files_in_mind_are_in_attention(
    sessions: Sessions, project: Recollect
) -> None:
    project.memories.save(draft("Hash the login", related_files=["src/login.py"]))
    project.memories.save(draft("Sort the cart by price", related_files=["src/cart.py"]))
    sessions.edit()

    found = sessions.attention()

    assert found is not None
    assert found.levels == {"mem:hash-the-login": 0.5}
    assert found.hops == {}
    sessions.env["RECOLLECT_SESSION_BOOST"] = "0"
    assert sessions.attention() is None
    sessions.env["RECOLLECT_CAUSAL_BOOST"] = "1"
    linked = sessions.attention()
    assert linked is not None
    assert linked.levels == {}


def test_an_event_without_a_session_is_not_recorded(sessions: Sessions) -> None:
    sessions.tool("Bash", PYTEST, FAILING, session="")
    sessions.close(session="")

    assert sessions.prompt("what now?", session="") == []
    assert sessions.contents("") == []


def test_an_event_before_anything_is_set_up_is_harmless(folder: Path, sessions: Sessions) -> None:
    state = folder / ".claude/memory/.recollect"
    state.rmdir()

    on_tool(Event("tool_after", "PostToolUse", "s1", str(folder), tool="Bash"), sessions.place)
    on_pause(Event("stop", "Stop", "s1", str(folder)), sessions.place)
    on_unanswered_prompt(Event("prompt", "Prompt", "s1", prompt="what now?"), sessions.place)

    assert not state.exists()


@requirement("working:hook:refused-rule")
def test_a_refused_rule_is_left_out_and_told_when_all_else_is_done(sessions: Sessions) -> None:
    bad = {"id": "ahead", "tool_pattern": "Bash", "content_pattern": "(?=a)b"}
    rule = {"attention": 0.5, "summarizer": "stdout"}
    own = {"id": "deploys", "tool_pattern": "Bash", "content_pattern": "deployed", **rule}
    config = sessions.folder / ".claude/memory/memory-config.json"
    config.write_text(json.dumps({"rules": [bad | rule, own]}))

    with pytest.raises(InvalidConfigError, match="ahead"):
        sessions.tool("Bash", {"command": "make deploy"}, "deployed to staging")

    assert sessions.contents() == ["make deploy\ndeployed to staging"]


def test_a_memory_that_was_only_given_is_not_in_attention(sessions: Sessions) -> None:
    with sessions.recorder() as recorder:
        recorder.give("s1", [UnifiedId("mem:read"), UnifiedId("mem:given")], 0.7)
        recorder.use("s1", ["mem:read"], "read")
        recorder.count_event("s1")

    found = sessions.asked(lambda found: found.used("s1"))

    assert found == {"mem:read": pytest.approx(0.7 * 0.85)}
