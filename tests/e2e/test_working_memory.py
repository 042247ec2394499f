"""Working memory written by many processes at once, and by processes that are killed."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.storage.sqlite.state import NAME, State
from recollect.storage.sqlite.working import WorkingStore
from recollect.working.redact import redact

PROCESSES = 10
CALLS = 10

# What the tool-output hook does, as often as told, in one process.
_HOOK = """
import sys
from recollect.agents.event import Event
from recollect.hook.place import find_place
from recollect.hook.working import on_tool_output
folder, number, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
place = find_place(folder, {"HOME": folder})
print("ready", flush=True)
sys.stdin.readline()
for call in range(calls):
    given = {"file_path": f"{folder}/src/{number}-{call}.py"}
    event = Event("tool_after", "PostToolUse", "s1", folder, tool="Edit", tool_input=given)
    on_tool_output(event, place)
    print(call, flush=True)
"""


def hook(folder: Path, number: int, calls: int) -> "subprocess.Popen[bytes]":
    """A process of hooks that is ready and waits for the word to start."""
    command = [sys.executable, "-c", _HOOK, str(folder), str(number), str(calls)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    assert process.stdout.readline() == b"ready\n", process.communicate()[1]
    return process


def go(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin
    process.stdin.write(b"\n")
    process.stdin.flush()


@pytest.fixture
def state_path(folder: Path) -> str:
    state = folder / ".claude/memory/.recollect"
    state.mkdir()
    return str(state / NAME)


@requirement("working:store:concurrent")
def test_ten_processes_that_write_one_session_lose_no_event_and_meet_no_lock(
    folder: Path, state_path: str
) -> None:
    running = [hook(folder, number, CALLS) for number in range(PROCESSES)]
    for process in running:
        go(process)
    for process in running:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")

    state = State(state_path)
    store = WorkingStore(state, redact)
    memory, record = store.memory("s1"), store.record("s1")
    state.close()
    assert memory.event == PROCESSES * CALLS
    assert len(memory.items) == 7
    assert len(record.deeds) == PROCESSES * CALLS
    assert sorted(deed.event for deed in record.deeds) == list(range(1, PROCESSES * CALLS + 1))


@requirement("working:store:killed")
def test_a_session_goes_on_after_kill_9_in_the_middle_of_its_writes(
    folder: Path, state_path: str
) -> None:
    chance = random.Random(5)
    written = 0
    for number in range(8):
        process = hook(folder, number, 10_000)
        go(process)
        assert process.stdout
        for _ in range(chance.randrange(1, 6)):
            process.stdout.readline()
            written += 1
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)

    last = hook(folder, 99, 1)
    go(last)
    assert last.communicate(timeout=30)[1] == b""

    state = State(state_path)
    store = WorkingStore(state, redact)
    memory, record = store.memory("s1"), store.record("s1")
    whole = state.connection.execute("PRAGMA integrity_check").fetchone()
    state.close()
    assert whole == ("ok",)
    assert memory.event >= written + 1  # what was reported as written is there
    assert len(record.deeds) == memory.event  # and each event whole or not at all
    assert "Edited src/99-0.py" in [item.content for item in memory.items]
