"""What a hook does not wait for. Each of these modules takes a millisecond or several to load."""

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

HEAVY = {
    "re",
    "json",
    "typing",
    "types",
    "pathlib",
    "dataclasses",
    "collections",
    "functools",
    "enum",
    "inspect",
    "contextlib",
    "datetime",
    "socket",
}
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


@pytest.mark.parametrize("prompt", PROMPTS)
@requirement("hook:imports:light")
def test_a_prompt_waits_for_no_module_that_it_can_do_without(
    prompt: str, project: Recollect, harness: Harness
) -> None:
    keep(project)
    harness.prompt("so that the index is in step with the files")
    transcript = harness.folder / "transcript.jsonl"
    turn = {"type": "user", "message": {"content": "what did we say about the login?"}}
    transcript.write_text((json.dumps(turn) + "\n") * 300)

    said, loaded = answered(harness, "UserPromptSubmit", prompt=prompt, transcript_path=str(transcript))

    assert "hookSpecificOutput" in said
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("prompt", PROMPTS)
@requirement("hook:imports:light")
def test_nor_does_a_prompt_that_no_transcript_keeps(
    prompt: str, project: Recollect, harness: Harness
) -> None:
    keep(project)
    harness.prompt("the oauth2 login is stuck, and the index is in step with the files", session="s")

    _, loaded = answered(harness, "UserPromptSubmit", prompt=prompt)

    assert "recollect.storage.sqlite.turns" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize(("tool", "given", "told"), CALLS)
@requirement("hook:imports:light")
def test_a_tool_call_waits_for_none_of_them_either(
    tool: str, given: dict[str, str], told: dict[str, str], project: Recollect, harness: Harness
) -> None:
    keep(project)
    harness.prompt("so that there is a session")

    _, loaded = answered(harness, "PostToolUse", tool_name=tool, tool_input=given, tool_response=told)

    assert "recollect.storage.sqlite.working" in loaded
    assert loaded & HEAVY == set()
