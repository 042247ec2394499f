"""What a prompt does not wait for. Each of these modules takes several milliseconds to load."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hook.conftest import Harness
from tests.hook.test_prompt import keep
from tests.requirements import requirement

import recollect
from recollect.app import Recollect

HEAVY = {
    "re",
    "json",
    "typing",
    "pathlib",
    "dataclasses",
    "enum",
    "inspect",
    "contextlib",
    "datetime",
    "socket",
}

PROMPTS = (
    "the oauth2 login is stuck in a redirect loop",
    "why does src/auth/login.py redirect in a loop?",
    "nothing that any memory would answer, I am afraid",
)


@pytest.mark.parametrize("prompt", PROMPTS)
@requirement("hook:imports:light")
def test_a_prompt_waits_for_no_module_that_it_can_do_without(
    prompt: str, project: Recollect, harness: Harness
) -> None:
    keep(project)
    harness.prompt("so that the index is in step with the files")
    program = (
        f"import sys; sys.path.insert(0, {str(Path(recollect.__file__).parent.parent)!r})\n"
        "import os\n"
        "from recollect.hook.answer import answer\n"
        "print(answer('claude-code', 'UserPromptSubmit', sys.stdin.buffer.read(), os.environ))\n"
        "print(*sorted(sys.modules))\n"
    )
    transcript = harness.folder / "transcript.jsonl"
    turn = {"type": "user", "message": {"content": "what did we say about the login?"}}
    transcript.write_text((json.dumps(turn) + "\n") * 300)
    told = {
        "session_id": "s",
        "cwd": str(harness.folder),
        "prompt": prompt,
        "transcript_path": str(transcript),
    }

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        check=True,
        env=harness.env,
    )

    answered, loaded = done.stdout.rstrip("\n").rsplit("\n", 1)
    assert "hookSpecificOutput" in answered
    assert set(loaded.split()).isdisjoint(HEAVY)
