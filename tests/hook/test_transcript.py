"""The end of a transcript: the user's turns and the files that were touched, or nothing."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.hook.transcript import CALLS, TAIL, touched_files, user_turns


def user(content: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}


def tool(**given: Any) -> dict[str, Any]:
    call = {"type": "tool_use", "name": "Read", "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [call]}}


def written(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@requirement("hook:transcript:turns")
def test_the_last_three_turns_of_the_user_are_read_oldest_first(tmp_path: Path) -> None:
    rows = [user(f"turn {number}") for number in range(5)]

    assert user_turns(written(tmp_path / "t", *rows)) == ["turn 2", "turn 3", "turn 4"]


@requirement("hook:transcript:turns")
def test_what_the_user_did_not_type_is_no_turn(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t",
        user("typed"),
        user([{"type": "tool_result", "content": "a file"}]),
        user([{"type": "text", "text": "typed too"}, {"type": "image"}]),
        user("<command-name>/clear</command-name>"),
        user("This session is being continued from another."),
        {"type": "assistant", "message": {"content": "said by the agent"}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "typed elsewhere"}},
    )

    assert user_turns(path) == ["typed", "typed too", "typed elsewhere"]


@requirement("hook:transcript:tail")
def test_only_the_end_is_read_and_a_line_cut_in_two_is_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path / "t", user("long ago " + "x" * TAIL), user("just now"))

    assert user_turns(path) == ["just now"]


@requirement("hook:transcript:files")
def test_the_files_of_the_last_calls_come_newest_first_and_once(tmp_path: Path) -> None:
    rows = [tool(file_path=f"old{number}.py") for number in range(3)]
    rows += [tool(file_path="a.py"), tool(path="b.py"), tool(notebook_path="c.ipynb")]
    rows += [tool(file_path="a.py"), tool(command="ls")]

    assert touched_files(written(tmp_path / "t", *rows)) == ["a.py", "c.ipynb", "b.py"]
    assert CALLS == 5


@requirement("hook:transcript:surprise")
def test_lines_that_are_not_understood_are_passed_over(tmp_path: Path) -> None:
    odd: list[Any] = [
        None,
        7,
        [],
        {},
        {"message": 3},
        user(7),
        user([7, {"type": "text"}]),
        tool(file_path=4),
    ]
    path = tmp_path / "t"
    lines = [json.dumps(row) for row in (*odd, user("still here"))]
    path.write_bytes(b"\xff\xfe{\n")
    with path.open("a") as file:
        file.write("[" * 3000 + "\n" + "\n".join(lines))

    assert user_turns(str(path)) == ["still here"]
    assert touched_files(str(path)) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
@requirement("hook:transcript:surprise")
def test_any_bytes_are_read_without_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "t"
    path.write_bytes(data)

    assert user_turns(str(path)) == []
    assert touched_files(str(path)) == []


@pytest.mark.parametrize("path", ["", "/nonexistent", "/", "a\0b"])
@requirement("hook:transcript:surprise")
def test_a_path_that_is_no_file_means_nothing(path: str) -> None:
    assert user_turns(path) == []
    assert touched_files(path) == []


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert user_turns(str(tmp_path / "pipe")) == []
