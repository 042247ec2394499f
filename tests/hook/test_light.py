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
from tests.storage.models.shared import reranker_model

import recollect
from recollect.app.models import open_models
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


def modules(package: str, names: str) -> set[str]:
    """A package of ours and these modules of it, with the packages that it is in."""
    parts = ["recollect", *package.split(".")] if package else ["recollect"]
    packages = {".".join(parts[: depth + 1]) for depth in range(len(parts))}
    return packages | {f"{'.'.join(parts)}.{name}" for name in names.split()}


# What every hook loads: who asks, for which project, with which settings, and the state of its sessions.
EVERY = (
    modules("", "paths values")
    | modules("agents", "claude_code event harness harnesses payload")
    | modules("config", "retrieval section")
    | modules("hook", "answer databases process project_paths")
    | modules("storage.sqlite", "connections schema sessions state")
    | modules("working", "recorder session session_state tools")
)
PROMPT = (
    EVERY
    | modules("hook", "index_lookup injection prompt")
    | modules("records", "display gist")
    | modules("retrieval", "boosts files fusion gate index query search search_terms")
    | modules("storage.sqlite", "index index_file")
    | modules("text", "stemming tokens")
    | modules("working", "statement_cues")
)
REDACTION = modules(
    "redaction",
    "assignments bare_tokens family mark_search redact secret_names shapes spans value_check",
) | modules("working", "redacted")
ISSUED_KEYS = modules("redaction", "cloud_keys service_keys")  # for a text with a long token
TOOL = (
    EVERY
    | modules("hook", "usage working_memory")
    | modules("storage.sqlite", "history")
    | modules("working", "capture default_rules echo extraction history redacted rules")
    | modules("working", "tool_call tool_result")
)
SUMMARY = modules("working", "failing_tests fingerprint summarise")
MAY_LOAD = {
    "prompt with a transcript": PROMPT | modules("hook", "transcript user_turns"),
    "prompt without a transcript": PROMPT
    | REDACTION
    | ISSUED_KEYS
    | modules("", "errors")
    | modules("hook", "working_memory")
    | modules("storage.sqlite", "turns")
    | modules("working", "turns"),
    "output of which nothing is kept": TOOL | REDACTION | SUMMARY,
    "output that is kept": TOOL
    | REDACTION
    | ISSUED_KEYS
    | SUMMARY
    | modules("redaction", "assigned_value assignment_check described_values notation value_readers")
    | modules("storage.sqlite", "runbooks"),
}
DETECTOR = modules("hook", "noted_prompts statements user_turns") | modules(
    "working", "pasted prose quotes statement_rules statement_signals statement_weights statements"
)
PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(recollect.__file__).parent.parent)!r})
import os
from recollect.hook.answer import answer
from recollect.hook.process import run_afterwards
print(answer('claude-code', sys.argv[1], sys.stdin.buffer.read(), os.environ))
if 'afterwards' in sys.argv:
    run_afterwards()
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
Call = tuple[str, dict[str, str], dict[str, str]]
KEPT: tuple[Call, ...] = (
    ("Edit", {"file_path": "src/auth/login.py"}, {"success": "yes"}),
    ("Bash", {"command": "pytest -q"}, {"stdout": FAILING}),
)
NOT_KEPT: tuple[Call, ...] = (
    ("Read", {"file_path": "src/auth/login.py"}, {"text": "def login(): ...\n" * 50}),
    ("Bash", {"command": "ls src"}, {"stdout": "auth\nthe_tokens_and_keys_of_a_login.py\n" * 50}),
)


def answered(harness: Harness, event: str, *until: str, **fields: Any) -> tuple[str, set[str]]:
    """What a hook answers, and the modules it had loaded by then, or `afterwards`."""
    told = {"session_id": "s", "cwd": str(harness.folder), **fields}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM, event, *until],
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


def check(loaded: set[str], baseline: set[str], path: str) -> None:
    """Fail with the modules that a hook loads now and may not: ours, or those of the standard library."""
    ours = {name for name in loaded if name.partition(".")[0] == "recollect"}
    others = {name.partition(".")[0] for name in loaded - ours - baseline}
    new = sorted((ours - MAY_LOAD[path]) | (others - ALLOWED))
    assert not new, f"a hook for a {path} loads more than before: {', '.join(new)}"


@pytest.mark.parametrize("prompt", PROMPTS)
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
    check(loaded, baseline, "prompt with a transcript")


@requirement("retrieval:rerank:off")
def test_an_installed_reranker_changes_nothing_of_what_a_prompt_loads(
    project: Recollect, harness: Harness, baseline: set[str], tmp_path: Path
) -> None:
    keep(project)
    source = reranker_model(tmp_path / "pairs", ["login"])
    open_models(harness.env).folder.install(role="reranker", folder=source)
    harness.env["RECOLLECT_RERANKER"] = "pairs"
    harness.prompt("so that the index is in step with the files")
    transcript = harness.folder / "transcript.jsonl"
    transcript.write_text("")

    said, loaded = answered(
        harness, "UserPromptSubmit", prompt=PROMPTS[0], transcript_path=str(transcript)
    )

    assert "hookSpecificOutput" in said
    check(loaded, baseline, "prompt with a transcript")


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_prompt_without_a_transcript_loads_as_little(
    prompt: str, project: Recollect, harness: Harness, baseline: set[str]
) -> None:
    keep(project)
    harness.prompt("the oauth2 login is stuck, and the index is in step with the files", session="s")

    _, loaded = answered(harness, "UserPromptSubmit", prompt=prompt)

    assert "recollect.working.turns" in loaded
    check(loaded, baseline, "prompt without a transcript")


CUE = "why does the login never end?"


@requirement("working:statements:pause")
@pytest.mark.parametrize(
    ("prompt", "more"), [(PROMPTS[0], set[str]()), (CUE, modules("hook", "noted_prompts"))]
)
def test_a_prompt_with_a_cue_is_noted_for_the_next_pause_and_loads_no_detector(
    prompt: str, more: set[str], project: Recollect, harness: Harness, baseline: set[str]
) -> None:
    keep(project)
    harness.prompt("so that the index is in step with the files")
    transcript = harness.folder / "transcript.jsonl"
    transcript.write_text("")
    harness.prompt(CUE, transcript_path=str(transcript))  # so that the folder of notes is there

    _, loaded = answered(
        harness, "UserPromptSubmit", "afterwards", prompt=prompt, transcript_path=str(transcript)
    )

    assert more <= loaded
    check(loaded - more, baseline, "prompt with a transcript")


def test_without_a_transcript_the_detector_is_loaded_for_a_cue_and_nothing_else(
    project: Recollect, harness: Harness, baseline: set[str]
) -> None:
    """After the answer, and for a prompt that states nothing, as most do."""
    keep(project)
    harness.prompt("so that the index is in step with the files")

    _, loaded = answered(harness, "UserPromptSubmit", "afterwards", prompt=CUE)

    assert loaded >= DETECTOR
    check(loaded - DETECTOR - modules("hook", "transcript"), baseline, "prompt without a transcript")


@pytest.mark.parametrize("call", KEPT)
def test_an_output_that_is_kept_loads_redaction_and_one_summary(
    call: Call, project: Recollect, harness: Harness, baseline: set[str]
) -> None:
    loaded = loaded_by(call, project, harness)

    assert "recollect.redaction.redact" in loaded
    check(loaded, baseline, "output that is kept")


@pytest.mark.parametrize("call", NOT_KEPT)
def test_an_output_of_which_nothing_is_kept_loads_less(
    call: Call, project: Recollect, harness: Harness, baseline: set[str]
) -> None:
    loaded = loaded_by(call, project, harness)

    assert "recollect.working.capture" in loaded
    check(loaded, baseline, "output of which nothing is kept")


def loaded_by(call: Call, project: Recollect, harness: Harness) -> set[str]:
    keep(project)
    harness.prompt("so that there is a session")
    tool, tool_input, response = call
    fields = {"tool_name": tool, "tool_input": tool_input, "tool_response": response}
    return answered(harness, "PostToolUse", **fields)[1]
