"""The end of a transcript: the files that were touched and how a call ended, or nothing."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.hook.transcripts import (
    HARNESSES,
    call_row,
    claude,
    claude_call,
    codex,
    codex_command,
    gemini_answer,
    gemini_call,
    written,
)
from tests.requirements import requirement

from recollect.hook.transcript import CALLS, STEP, has_failed, touched_files

PATCH = "*** Begin Patch\n*** Update File: d.py\n@@\n-a\n+b\n*** End Patch\n"


@requirement("hook:transcript:files")
def test_the_files_of_the_last_calls_come_newest_first_and_once(tmp_path: Path) -> None:
    rows = [claude_call(file_path=f"old{number}.py") for number in range(3)]
    rows += [
        claude_call(file_path="a.py"),
        claude_call(path="b.py"),
        claude_call(notebook_path="c.ipynb"),
    ]
    rows += [claude_call(file_path="a.py"), claude_call(command="ls")]

    assert touched_files(written(tmp_path / "t", *rows), "claude-code") == ["a.py", "c.ipynb", "b.py"]
    assert CALLS == 5


@requirement("hook:transcript:files")
def test_files_are_found_in_a_codex_rollout(tmp_path: Path) -> None:
    read = [{"type": "read", "cmd": "cat a.py", "name": "a.py", "path": "src/a.py"}]
    patch = {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH}
    path = written(
        tmp_path / "t",
        codex_command("call_1", 0, parsed_cmd=read),
        codex({"type": "FileChange", "id": "call_2", "changes": {"b.py": {"type": "update"}}}),
        codex({"type": "FileChange", "id": "call_3", "changes": [{"path": "c.py", "kind": "add"}]}),
        {"type": "response_item", "payload": patch},
        {"type": "event_msg", "payload": {"type": "token_count", "path": "no.py"}},
    )

    assert touched_files(path, "codex") == ["d.py", "c.py", "b.py", "src/a.py"]


@requirement("hook:transcript:files")
def test_files_are_found_in_a_gemini_session(tmp_path: Path) -> None:
    rows = [
        gemini_call(file_path="/shop/a.py"),
        gemini_answer("def a(): ..."),
        gemini_call(command="ls"),
    ]
    rows += [
        {**gemini_call(), "toolCalls": [{"args": {"absolute_path": "/shop/b.py"}}, {"args": 7}, 7]}
    ]

    assert touched_files(written(tmp_path / "t", *rows), "gemini") == ["/shop/b.py", "/shop/a.py"]


@requirement("hook:transcript:tail")
def test_for_files_only_one_step_of_the_end_is_read(tmp_path: Path) -> None:
    near, far = [claude("x" * (STEP // 2))], [claude("x" * STEP)]

    assert touched_files(written(tmp_path / "a", claude_call(path="a.py"), *near), "claude-code") == [
        "a.py"
    ]
    assert touched_files(written(tmp_path / "b", claude_call(path="a.py"), *far), "claude-code") == []


def test_how_a_call_ended_is_read_from_a_codex_rollout(tmp_path: Path) -> None:
    long = "line\n" * 13_000
    path = written(
        tmp_path / "t",
        codex_command("call_1", 3, "no key\n"),
        codex_command("call_2", 0, "it says call_1 failed"),
        codex_command("call_3", 1, long),
        codex({"type": "McpToolCall", "id": "call_4", "status": "failed", "error": "no such item"}),
        {"type": "response_item", "payload": {"type": "function_call", "call_id": "call_5"}},
    )

    failed = {number: has_failed(path, "codex", f"call_{number}") for number in range(1, 7)}

    assert failed == {1: True, 2: False, 3: True, 4: True, 5: False, 6: False}
    assert has_failed(path, "codex", "") is False
    assert has_failed("/nonexistent", "codex", "call_1") is False


@pytest.mark.parametrize("harness", HARNESSES)
def test_lines_that_are_not_understood_are_skipped(harness: str, tmp_path: Path) -> None:
    odd: list[Any] = [
        None,
        {"message": 3},
        {"payload": "CommandExecution"},
        {"payload": {"type": "FileChange", "item": {"changes": 7}}},
        {"toolCalls": 7},
        claude_call(file_path=4),
        codex_command("call_1", 0, parsed_cmd=[7, {"path": 7}]),
    ]
    path = tmp_path / "t"
    path.write_bytes(b"\xff\xfe{\n" + b'{"tool_use":' * 3000 + b"\n")
    with path.open("a") as file:
        file.write("\n".join(json.dumps(row) for row in (*odd, call_row(harness, "a.py"))))
        file.write('\n{"type": "assistant", "message": {"content": [{"type": "tool_use", "inp')

    assert touched_files(str(path), harness) == ["a.py"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "t"
    path.write_bytes(data)

    for harness in HARNESSES:
        assert touched_files(str(path), harness) == []
    assert has_failed(str(path), "codex", "call_1") is False


@pytest.mark.parametrize("path", ["", "/nonexistent", "/", "a\0b"])
def test_a_path_that_is_no_file_means_nothing(path: str) -> None:
    for harness in HARNESSES:
        assert touched_files(path, harness) == []
    assert has_failed(path, "codex", "call_1") is False


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert touched_files(str(tmp_path / "pipe"), "claude-code") == []


def test_a_harness_without_a_known_transcript_has_no_touched_files(tmp_path: Path) -> None:
    path = written(tmp_path / "t", claude_call(file_path="a.py"))

    assert touched_files(path, "opencode") == []
    assert touched_files(path, "emacs") == []
    assert has_failed(path, "claude-code", "toolu_1") is False
