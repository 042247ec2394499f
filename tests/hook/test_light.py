"""What a hook loads: `json`, `sqlite3` and what they load, our own modules, and little else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.hook.conftest import Harness
from tests.hook.test_prompt import keep
from tests.requirements import requirement

import recollect
from recollect.app.project import Recollect

# Modules of the standard library that a hook may load beyond those of the budget's own baseline. Each costs
# well under 0.3 ms. What is not here was measured and costs more: typing 5 ms, pathlib 5, dataclasses 12,
# socket 4, traceback 5, contextlib 2.
ALLOWED = {
    "__future__",
    "_bisect",
    "binascii",
    "bisect",
    "gc",
    "unicodedata",
    "zlib",
}
BASELINE = "import json, os, sqlite3, sys; print(*sorted(sys.modules))"
MOST_OF_OURS = 70  # modules; each costs some 0.2 ms
PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(recollect.__file__).parent.parent)!r})
import os
from recollect.hook.answer import answer
print(answer('claude-code', sys.argv[1], sys.stdin.buffer.read(), os.environ))
print(*sorted(sys.modules))
"""
PROMPTS = (
    "the oauth2 login is stuck in a redirect loop",
    "why does src/auth/login.py redirect in a loop?",
    "nothing that any memory would answer, I am afraid",
    "fix that please",
)
FAILING = """
tests/test_login.py::test_token_is_kept FAILED
E   AssertionError: the token of the password form was lost; its key is 'csrf'
FAILED tests/test_login.py::test_token_is_kept - AssertionError: the token was lost
"""
CALLS: tuple[tuple[str, dict[str, str], dict[str, str]], ...] = (
    ("Read", {"file_path": "src/auth/login.py"}, {"text": "def login(): ...\n" * 50}),
    ("Edit", {"file_path": "src/auth/login.py"}, {"success": "yes"}),
    ("Bash", {"command": "pytest -q"}, {"stdout": FAILING}),
)


def answered(harness: Harness, event: str, **fields: Any) -> tuple[str, set[str]]:
    """What a hook answers, and the modules it had loaded by then."""
    told = {"session_id": "s", "cwd": str(harness.folder), **fields}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM, event],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        check=True,
        env=harness.env,
    )
    said, loaded = done.stdout.rstrip("\n").rsplit("\n", 1)
    return said, set(loaded.split())


@pytest.fixture(scope="module")
def baseline() -> set[str]:
    """The modules that `json` and `sqlite3` load."""
    command = [sys.executable, "-I", "-S", "-c", BASELINE]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def check(loaded: set[str], baseline: set[str]) -> None:
    """Fail for a module of the standard library that is not allowed, or for too many of our own."""
    ours = {name for name in loaded if name.partition(".")[0] == "recollect"}
    others = {name.partition(".")[0] for name in loaded - ours - baseline}
    assert others - ALLOWED == set()
    assert len(ours) <= MOST_OF_OURS


@pytest.mark.parametrize("prompt", PROMPTS)
@requirement("hook:imports:light")
def test_a_prompt_loads_json_sqlite_and_little_else(
    prompt: str, project: Recollect, harness: Harness, baseline: set[str]
) -> None:
    keep(project)
    harness.prompt("so that the index is in step with the files")
    transcript = harness.folder / "transcript.jsonl"
    turn = {"type": "user", "message": {"content": "what did we say about the login?"}}
    transcript.write_text((json.dumps(turn) + "\n") * 300)

    said, loaded = answered(harness, "UserPromptSubmit", prompt=prompt, transcript_path=str(transcript))

    assert "hookSpecificOutput" in said
    check(loaded, baseline)


@pytest.mark.parametrize("prompt", PROMPTS)
@requirement("hook:imports:light")
def test_a_prompt_without_a_transcript_loads_as_little(
    prompt: str, project: Recollect, harness: Harness, baseline: set[str]
) -> None:
    keep(project)
    harness.prompt("the oauth2 login is stuck, and the index is in step with the files", session="s")

    _, loaded = answered(harness, "UserPromptSubmit", prompt=prompt)

    assert "recollect.working.turns" in loaded
    check(loaded, baseline)


@pytest.mark.parametrize(("tool", "tool_input", "response"), CALLS)
@requirement("hook:imports:light")
def test_a_tool_output_loads_as_little(
    tool: str,
    tool_input: dict[str, str],
    response: dict[str, str],
    project: Recollect,
    harness: Harness,
    baseline: set[str],
) -> None:
    keep(project)
    harness.prompt("so that there is a session")

    fields = {"tool_name": tool, "tool_input": tool_input, "tool_response": response}
    _, loaded = answered(harness, "PostToolUse", **fields)

    assert "recollect.working.capture" in loaded
    check(loaded, baseline)
