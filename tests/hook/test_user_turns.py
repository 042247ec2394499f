"""What the user typed, in every harness's transcript; how far a transcript is read for it."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.hook.transcripts import (
    HARNESSES,
    claude,
    claude_call,
    codex_prompt,
    gemini,
    output_row,
    prompt_row,
    written,
)
from tests.requirements import requirement

from recollect.hook.user_turns import HEAD, TAIL, first_turns, user_turns

BLOCK = (
    '<memory-context source=".claude/memory/">\n- [DECISION] Ours -> x.json #tags:\n</memory-context>'
)
IN_FRONT = f"<hook_context>{BLOCK.replace('<', '&lt;').replace('>', '&gt;')}</hook_context>\n\n"


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_last_three_turns_of_the_user_are_read_oldest_first(harness: str, tmp_path: Path) -> None:
    rows = [prompt_row(harness, f"turn {number}") for number in range(5)]
    path = written(tmp_path / "t", *rows)

    assert user_turns(path, harness) == ["turn 2", "turn 3", "turn 4"]
    assert list(first_turns(path, harness)) == [f"turn {number}" for number in range(5)]


@pytest.mark.parametrize("harness", HARNESSES)
@requirement("hook:transcript:tail")
def test_a_turn_behind_much_work_is_found(harness: str, tmp_path: Path) -> None:
    work = [output_row(harness, "x" * 30_000) for _ in range(20)]
    path = written(tmp_path / "t", prompt_row(harness, "the login loops"), *work)

    assert user_turns(path, harness) == ["the login loops"]


@requirement("hook:transcript:tail")
def test_a_turn_further_back_than_a_megabyte_is_not_looked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "t", claude("long ago " + "x" * TAIL), claude("just now"))

    assert user_turns(path, "claude-code") == ["just now"]


@requirement("hook:transcript:tail")
def test_nothing_is_read_that_lies_before_enough_turns(tmp_path: Path) -> None:
    path = tmp_path / "t"
    rows = Path(written(path, *[claude(f"turn {number}") for number in range(3)])).read_bytes()
    with path.open("wb") as file:  # two gigabytes that take no room on the disk
        file.seek(2 * 1024**3)
        file.write(b"\n" + rows)

    began = time.process_time()
    turns = user_turns(str(path), "claude-code")

    assert turns == ["turn 0", "turn 1", "turn 2"]
    assert time.process_time() - began < 0.1


def test_what_the_user_did_not_type_is_no_turn(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t",
        claude("typed"),
        claude([{"type": "tool_result", "content": "a file"}]),
        claude("Go on from there.", isMeta=True),
        claude("What was said so far.", isCompactSummary=True),
        claude("Look into it.", isSidechain=True),
        claude([{"type": "text", "text": "typed too"}, {"type": "image"}]),
        claude("<command-name>/clear</command-name>"),
        claude("This session is being continued from another."),
        claude([{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
        claude_call(file_path="user.py"),
        {"type": "assistant", "message": {"content": 'said by the agent to the "user"'}},
    )

    assert user_turns(path, "claude-code") == ["typed", "typed too"]


def test_codex_reports_a_turn_as_an_event_and_not_as_a_message(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t",
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "told"}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "typed"}},
    )

    assert user_turns(path, "codex") == ["typed"]


def test_what_hooks_put_around_a_prompt_is_no_part_of_a_turn(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t",
        {"$set": {"messages": [gemini("<session_context>where we are</session_context>")]}},
        gemini(IN_FRONT + "greet Anna", IN_FRONT, displayContent=[{"text": IN_FRONT + "greet Anna"}]),
        gemini("then greet Ben", IN_FRONT),
    )
    ours = written(tmp_path / "ours", claude(f"{BLOCK}\nand Cleo"))

    assert user_turns(path, "gemini") == ["greet Anna", "then greet Ben"]
    assert user_turns(ours, "claude-code") == ["and Cleo"]


def test_a_turn_that_is_written_down_twice_counts_once(tmp_path: Path) -> None:
    older = {"type": "event_msg", "payload": {"type": "user_message", "message": "the loop"}}
    path = written(tmp_path / "t", codex_prompt("first"), older, codex_prompt("the loop"))

    assert user_turns(path, "codex") == ["first", "the loop"]


def test_the_first_turn_is_found_behind_long_instructions(tmp_path: Path) -> None:
    rules = {"type": "session_meta", "payload": {"base_instructions": {"text": "x" * 100_000}}}
    late = {"type": "session_meta", "payload": {"base_instructions": {"text": "x" * HEAD}}}

    assert list(first_turns(written(tmp_path / "a", rules, codex_prompt("begin")), "codex")) == [
        "begin"
    ]
    assert list(first_turns(written(tmp_path / "b", late, late, codex_prompt("begin")), "codex")) == []


def test_half_a_character_is_read_as_something_that_can_be_stored(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text('{"type": "user", "message": {"content": "half \\ud83d of it"}}\n')

    assert [turn.encode() for turn in user_turns(str(path), "claude-code")] == [b"half ? of it"]


@pytest.mark.parametrize("harness", HARNESSES)
def test_lines_that_are_not_understood_are_skipped(harness: str, tmp_path: Path) -> None:
    odd: list[Any] = [
        None,
        7,
        [],
        {},
        {"message": 3},
        {"type": "user", "payload": 3},
        {"type": "user", "payload": {"item": ["UserMessage"]}},
        {"type": "user", "content": {"text": 7}, "displayContent": 7},
        claude(7),
        claude([7, {"type": "text"}, {"type": "text", "text": 7}]),
        codex_prompt(""),
    ]
    path = tmp_path / "t"
    path.write_bytes(b"\xff\xfe{\n")
    with path.open("a") as file:
        file.write('{"user":' * 3000 + "\n")
        file.write("\n".join(json.dumps(row) for row in (*odd, prompt_row(harness, "still here"))))
        file.write('\n{"type": "user", "message": {"content": "half a li')

    assert user_turns(str(path), harness) == ["still here"]
    assert list(first_turns(str(path), harness)) == ["still here"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "t"
    path.write_bytes(data)

    for harness in HARNESSES:
        assert user_turns(str(path), harness) == []
        assert list(first_turns(str(path), harness)) == []


@pytest.mark.parametrize("path", ["", "/nonexistent", "/", "a\0b"])
def test_a_path_that_is_no_file_means_nothing(path: str) -> None:
    for harness in HARNESSES:
        assert user_turns(path, harness) == []
        assert list(first_turns(path, harness)) == []


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert user_turns(str(tmp_path / "pipe"), "claude-code") == []
    assert list(first_turns(str(tmp_path / "pipe"), "claude-code")) == []
