"""How long calls take: recorded by hooks, tools and searches, shown by `status`."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hook.conftest import Harness
from tests.requirements import requirement

from recollect.app.project import Recollect
from recollect.hook.latency import read_latencies
from recollect.hook.process import DOORS, LATENCY_DOOR_BYTES, LATENCY_SAMPLES, record_latency
from recollect.server.memory_tools import TOOLS


def file_of(state: Path) -> Path:
    return state / "latency"


@requirement("hook:latency:recorded")
def test_a_hook_records_each_kind_of_event(project: Recollect, harness: Harness) -> None:
    project.prepare_state_folder()
    harness.prompt("the oauth2 login is stuck in a redirect loop")
    harness.prompt("and what about the tokens of the refresh flow?")
    harness.send("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response={})
    harness.send("Stop", last_assistant_message="done")

    rows = {row.door: row for row in read_latencies(str(project.state_folder))}

    assert {door: row.calls for door, row in rows.items()} == {
        "hook prompt": 2,
        "hook tool_after": 1,
        "hook stop": 1,
    }
    assert all(0 < row.p50 <= row.p95 for row in rows.values())


def test_a_hook_that_misses_its_deadline_is_among_them(tmp_path: Path) -> None:
    program = (
        "import sys; from recollect.hook import process\n"
        "process.begin_call(sys.argv[1], 'hook prompt'); process._watch(0.25)\n"
        "print('the watchdog did not end the process')"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert done.stdout == ""
    [row] = read_latencies(str(tmp_path))
    assert (row.door, row.calls, row.p50) == ("hook prompt", 1, 250.0)


def test_half_and_most_of_the_last_calls_took_at_most_so_long(tmp_path: Path) -> None:
    for milliseconds in range(1, 101):
        record_latency(str(tmp_path), "cli search", milliseconds / 1000)

    [row] = read_latencies(str(tmp_path))
    assert (row.door, row.calls, row.p50, row.p95) == ("cli search", 100, 50.0, 95.0)


def test_the_file_does_not_grow_and_old_calls_are_forgotten(tmp_path: Path) -> None:
    for _ in range(LATENCY_SAMPLES):
        for door in DOORS:
            record_latency(str(tmp_path), door, 9.0)
    size = file_of(tmp_path).stat().st_size
    for _ in range(LATENCY_SAMPLES):
        for door in DOORS:
            record_latency(str(tmp_path), door, 0.001)

    assert file_of(tmp_path).stat().st_size == size == LATENCY_DOOR_BYTES * len(DOORS)
    rows = read_latencies(str(tmp_path))
    assert {(row.calls, row.p50, row.p95) for row in rows} == {(2 * LATENCY_SAMPLES, 1.0, 1.0)}


def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    record_latency(str(tmp_path), "cli search", 1)

    assert stat.S_IMODE(file_of(tmp_path).stat().st_mode) == 0o600


@pytest.mark.parametrize("plant", ["link", "pipe", "folder", "text", "huge"])
def test_what_a_repository_puts_in_its_place_harms_nothing(tmp_path: Path, plant: str) -> None:
    state, other = tmp_path / "state", tmp_path / "other"
    state.mkdir()
    other.write_bytes(b"mine")
    match plant:
        case "link":
            file_of(state).symlink_to(other)
        case "pipe":
            os.mkfifo(file_of(state))
        case "folder":
            file_of(state).mkdir()
        case "text":
            file_of(state).write_text("no numbers")
        case _:
            file_of(state).write_bytes(b"\xff" * 1_000_000)

    record_latency(str(state), "hook prompt", 1)
    read_latencies(str(state))

    assert other.read_bytes() == b"mine"


def test_without_a_state_folder_nothing_is_recorded(tmp_path: Path) -> None:
    record_latency(str(tmp_path / "none"), "hook prompt", 1)

    assert read_latencies(str(tmp_path / "none")) == []
    assert not (tmp_path / "none").exists()


def test_every_tool_is_a_door() -> None:
    assert {f"mcp {tool.name}" for tool in TOOLS} <= set(DOORS)
