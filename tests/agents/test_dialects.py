"""What every dialect promises, whatever it is sent."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.agents.event import NOTHING, Event, HookReply
from recollect.agents.harnesses import NAMES, all_harnesses, get_harness
from recollect.agents.payload import OUTPUT_LIMIT, plain_text

FIELDS = [
    "session_id",
    "conversation_id",
    "cwd",
    "workspace_roots",
    "prompt",
    "user_prompt",
    "source",
    "trigger",
    "transcript_path",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_result",
    "tool_output",
    "output",
    "error",
    "result_json",
    "command",
    "file_path",
    "edits",
    "last_assistant_message",
    "prompt_response",
    "hook_event_name",
    "type",
    "text",
    "content",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), inner, max_size=6)
    ),
    max_leaves=12,
)
PAYLOADS = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=12)
EVENTS = st.sampled_from(
    [(harness.name, event) for harness in all_harnesses() for event in harness.kinds]
)
harnesses = pytest.mark.parametrize("harness", NAMES)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EVENTS, PAYLOADS | JSON)
def test_any_json_is_read_without_an_error_and_every_field_has_its_type(
    asked: tuple[str, str], payload: Any
) -> None:
    harness, name = asked

    event = get_harness(harness).event(name, payload)

    for field in ("name", "session", "folder", "prompt", "transcript", "tool", "tool_output"):
        assert isinstance(getattr(event, field), str), field
    assert event.kind in {*get_harness(harness).kinds.values(), "unknown"}
    assert event.start in ("startup", "resume", "clear", "compact")
    assert hasattr(event.tool_input, "keys")
    assert len(event.tool_output) <= OUTPUT_LIMIT


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EVENTS, st.text(), st.text())
def test_any_reply_is_printed_as_ascii_json_or_not_at_all(
    asked: tuple[str, str], context: str, deny: str
) -> None:
    harness, name = asked
    dialect = get_harness(harness)

    output = dialect.write(dialect.event(name, {}), HookReply(context, deny))

    assert output.isascii()
    assert "\n" not in output
    assert output == "" or isinstance(json.loads(output), dict)


@harnesses
def test_an_event_that_we_do_not_know_is_unknown_and_answered_with_nothing(harness: str) -> None:
    event = get_harness(harness).event(
        "NewInNextYear", {"hook_event_name": "NewInNextYear", "prompt": "x"}
    )

    assert (event.kind, event.name) == ("unknown", "NewInNextYear")
    assert get_harness(harness).write(event, HookReply("text", "no")) == ""


@harnesses
def test_nothing_to_say_prints_nothing_that_could_decide_anything(harness: str) -> None:
    for name, kind in get_harness(harness).kinds.items():
        output = get_harness(harness).write(Event(kind, name), NOTHING)
        assert output in ("", '{"continue":true}'), name
        assert not output or harness == "cursor"


@harnesses
def test_context_is_written_exactly_for_the_events_that_take_it(harness: str) -> None:
    dialect = get_harness(harness)
    for name, kind in dialect.kinds.items():
        output = dialect.write(Event(kind, name), HookReply(context="KEEP THIS"))
        assert ("KEEP THIS" in output) == (kind in dialect.context_kinds), name


@harnesses
def test_context_is_taken_only_where_the_hook_ever_gives_any(harness: str) -> None:
    assert get_harness(harness).context_kinds <= {"prompt", "session_start"}


@harnesses
def test_a_denial_is_written_before_a_tool_and_nowhere_else(harness: str) -> None:
    dialect = get_harness(harness)
    for name, kind in dialect.kinds.items():
        output = dialect.write(Event(kind, name), HookReply(deny="NOT THIS WAY"))
        assert ("NOT THIS WAY" in output) == (kind == "tool_before"), name


@harnesses
def test_both_spellings_of_a_prompt_and_of_a_tool_output_are_read(harness: str) -> None:
    name = next(iter(get_harness(harness).kinds))

    for prompt, output in (("prompt", "tool_response"), ("user_prompt", "tool_result")):
        event = get_harness(harness).event(name, {prompt: "asked", output: "answered"})
        assert (event.prompt, event.tool_output) == ("asked", "answered")


@requirement("agents:unknown-keys:codex-rejects-none")
def test_codex_is_answered_with_documented_keys_only() -> None:
    dialect = get_harness("codex")
    documented = {
        "UserPromptSubmit": {"hookEventName", "additionalContext"},
        "SessionStart": {"hookEventName", "additionalContext"},
        "PreToolUse": {"hookEventName", "permissionDecision", "permissionDecisionReason"},
    }
    for name, kind in dialect.kinds.items():
        output = dialect.write(Event(kind, name), HookReply("text", "no"))
        if name not in documented:
            assert output == "", name
            continue
        answer = json.loads(output)
        assert set(answer) == {"hookSpecificOutput"}
        assert set(answer["hookSpecificOutput"]) == documented[name]
        assert answer["hookSpecificOutput"]["hookEventName"] == name


def test_the_registered_name_wins_over_the_payloads_and_an_unknown_one_gives_way() -> None:
    read = get_harness("claude-code").event

    assert read("Stop", {"hook_event_name": "PreCompact"}).kind == "stop"
    assert read("", {"hook_event_name": "PreCompact"}).kind == "compact"
    assert read("mystery", {"hook_event_name": "PreCompact"}).kind == "compact"


def test_a_huge_tool_output_keeps_its_beginning_and_its_end() -> None:
    event = get_harness("claude-code").event(
        "PostToolUse", {"tool_response": {"stdout": "first " + "x" * 10_000_000 + " last"}}
    )

    assert len(event.tool_output) <= OUTPUT_LIMIT
    assert event.tool_output.startswith("first ")
    assert event.tool_output.endswith(" last")


def test_an_answer_nested_deeper_than_the_stack_is_still_read() -> None:
    nested: Any = "at the bottom"
    for _ in range(5_000):
        nested = [nested]

    assert plain_text({"content": nested}) == "at the bottom"


def test_text_is_taken_from_where_tools_keep_it_and_pictures_are_not_text() -> None:
    answer = {
        "isImage": False,
        "interrupted": "no",
        "content": [
            {"type": "text", "text": "read me"},
            {"type": "image", "data": "iVBORw0KGgo="},
            "and me",
        ],
    }

    assert plain_text(answer) == "read me\nand me"


@harnesses
@requirement("agents:import:one-adapter")
def test_looking_up_a_dialect_imports_its_adapter_and_no_other(harness: str) -> None:
    script = (
        "import sys, json\n"
        "from recollect.agents.harnesses import find_harness\n"
        f"find_harness({harness!r}).event('x', {{}})\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    loaded = set(json.loads(done.stdout))
    modules = {name: f"recollect.agents.{name.replace('-', '_')}" for name in NAMES}
    assert loaded & set(modules.values()) == {modules[harness]}
    assert "recollect.agents.install" not in loaded
    assert not loaded & {"shlex", "tomllib", "tomlkit", "recollect.records", "recollect.storage"}
