"""The hook as a process: both ways to start it, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hook.conftest import Harness
from tests.hook.test_prompt import LOOP, keep
from tests.requirements import requirement

from recollect.app.opening import hook_command
from recollect.app.project import Recollect
from recollect.hook.process import MOST_INPUT

PROMPT = "the oauth2 login is stuck in a redirect loop again"
SCRIPT = Path(sys.executable).with_name("recollect-hook")


def told(harness: Harness, **fields: str) -> bytes:
    return json.dumps({"session_id": "s", "cwd": str(harness.folder), **fields}).encode()


def members(group: int) -> list[int]:
    """The processes of a group that are alive, by the process table."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(entry.name))
    return found


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="no process table in /proc"
)


def test_the_console_script_answers_like_the_direct_call(project: Recollect, harness: Harness) -> None:
    keep(project)

    done = subprocess.run(
        [SCRIPT, "claude-code", "UserPromptSubmit"],
        input=told(harness, prompt=PROMPT),
        capture_output=True,
        env=harness.env,
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    answer = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert LOOP in answer
    assert harness.prompt(PROMPT, session="direct") == answer


@needs_proc
@requirement("hook:main:nothing-left")
def test_no_process_is_left_after_an_answer(project: Recollect, harness: Harness) -> None:
    keep(project)
    process = subprocess.Popen(
        hook_command("claude-code", "UserPromptSubmit"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=harness.env,
        start_new_session=True,
    )

    out, _ = process.communicate(told(harness, prompt=PROMPT), timeout=30)

    assert LOOP in out.decode()
    assert members(process.pid) == []


@needs_proc
def test_no_process_is_left_when_the_agent_is_killed(harness: Harness) -> None:
    """The agent is a shell that started the hook and holds its input open; it gets no time to clean up."""
    read, write = os.pipe()
    agent = subprocess.Popen(
        [sys.executable, "-c", _AGENT, *hook_command("claude-code", "UserPromptSubmit")],
        stdout=subprocess.PIPE,
        stdin=read,
        env=harness.env,
        start_new_session=True,
    )
    os.close(read)
    assert agent.stdout is not None
    hook = int(agent.stdout.readline())
    descriptor = os.pidfd_open(hook)
    agent.send_signal(signal.SIGKILL)
    agent.wait(30)

    import select

    ready, _, _ = select.select([descriptor], [], [], 30)

    assert ready  # at its deadline at the latest, although nobody closed its input
    assert members(agent.pid) == []
    os.close(descriptor)
    os.close(write)
    agent.stdout.close()


_AGENT = """
import subprocess, sys
hook = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
print(hook.pid, flush=True)
hook.wait()
"""


@pytest.mark.parametrize("arguments", [[], ["claude-code"], ["", ""], ["claude-code", "x", "y", "z"]])
def test_missing_and_extra_arguments_are_harmless(arguments: list[str], harness: Harness) -> None:
    command = hook_command("", "")[:-2]

    done = subprocess.run(
        [*command, *arguments],
        input=told(harness, prompt=PROMPT),
        capture_output=True,
        env=harness.env,
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_reader_that_is_gone_is_no_error(project: Recollect, harness: Harness) -> None:
    keep(project)
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        hook_command("claude-code", "UserPromptSubmit"),
        stdin=subprocess.PIPE,
        stdout=write,
        stderr=subprocess.PIPE,
        env=harness.env,
    )
    os.close(write)

    _, err = process.communicate(told(harness, prompt=PROMPT), timeout=30)

    assert (process.returncode, err) == (0, b"")


def test_an_event_larger_than_is_read_is_left_alone(project: Recollect, harness: Harness) -> None:
    keep(project)

    answer = harness.raw("UserPromptSubmit", told(harness, prompt=PROMPT + " x" * (MOST_INPUT // 2)))

    assert (answer.exit_code, answer.out, answer.err) == (0, "", "")


def test_half_a_character_in_a_prompt_is_no_reason_for_silence(
    project: Recollect, harness: Harness
) -> None:
    keep(project)

    assert LOOP in harness.prompt(f"\ud83d {PROMPT}")


def test_half_a_character_in_a_sessions_name_is_kept_account_of_too(
    project: Recollect, harness: Harness
) -> None:
    keep(project)

    first = harness.prompt(PROMPT, session="s-\ud83d")
    again = harness.prompt(PROMPT, session="s-\ud83d")
    other = harness.prompt(PROMPT, session="s-\ud83e")

    assert LOOP in first
    assert (LOOP in again, LOOP in other) == (False, True)
