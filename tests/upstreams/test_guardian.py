"""No upstream process outlives us, however we end, and its log stays small."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from tests.requirements import requirement
from tests.upstreams.processes import wait_until_gone, wait_until_started

from recollect.upstreams import guardian

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are counted in /proc")

# A server that ignores the end of its input and SIGTERM, with children in other sessions.
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
mark = sys.argv[1]
sleep = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
sleeper = [sys.executable, "-c", sleep, mark]
subprocess.Popen(sleeper, start_new_session=True)
subprocess.Popen(sleeper)
print("ready", flush=True)
sys.stdin.read()
time.sleep(600)
"""
OWNER = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(server.stdout.readline().strip(), server.pid, flush=True)
sys.stdin.read()
"""


def guarded(log: Path, *command: str) -> list[str]:
    return [sys.executable, "-I", "-S", guardian.__file__, str(log), *command]


def ran(log: Path, *command: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        guarded(log, *command), input=stdin, capture_output=True, timeout=120, check=False
    )


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", int, str]]:
    """A process that owns a guarded server with children: the owner, the guardian's id, and the mark."""
    mark = f"mark-{uuid4().hex}"
    command = guarded(tmp_path / "log", sys.executable, "-c", STUBBORN, mark)
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        ready, pid = owner.stdout.readline().split()
        assert ready == "ready"
        # owner, two guardians, server, two children
        assert len(wait_until_started(mark, 6)) == 6
        yield owner, int(pid), mark


@requirement("gateway:upstreams:no-orphan")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_stubborn_server_and_its_children_end_with_their_owner(
    stubborn: tuple["subprocess.Popen[str]", int, str], number: int
) -> None:
    owner, _, mark = stubborn

    owner.send_signal(number)
    owner.communicate()

    assert wait_until_gone(mark) == set()


def test_a_stubborn_server_and_its_children_end_when_the_guardian_is_asked(
    stubborn: tuple["subprocess.Popen[str]", int, str],
) -> None:
    owner, pid, mark = stubborn

    os.kill(pid, signal.SIGTERM)
    owner.communicate()

    assert wait_until_gone(mark) == set()


@requirement("gateway:upstreams:no-orphan")
@pytest.mark.parametrize("inner", [False, True])
def test_a_stubborn_server_and_its_children_end_when_a_guardian_is_killed(
    stubborn: tuple["subprocess.Popen[str]", int, str], inner: bool
) -> None:
    owner, pid, mark = stubborn
    [child] = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()

    os.kill(int(child) if inner else pid, signal.SIGKILL)
    left = wait_until_gone(mark, besides=owner.pid)
    for process in left:
        os.kill(process, signal.SIGKILL)
    owner.communicate()

    assert left == set()


def test_the_end_of_our_input_reaches_the_server(tmp_path: Path) -> None:
    script = "import sys; print('read', len(sys.stdin.read()))"

    run = ran(tmp_path / "log", sys.executable, "-c", script, stdin=b"12345")

    assert (run.returncode, run.stdout) == (0, b"read 5\n")


@pytest.mark.parametrize(("code", "expected"), [("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", 137)])
def test_the_exit_code_is_the_servers(tmp_path: Path, code: str, expected: int) -> None:
    run = ran(tmp_path / "log", sys.executable, "-c", f"import os, sys; {code}")

    assert run.returncode == expected


def test_a_program_that_does_not_exist_is_named_in_the_log(tmp_path: Path) -> None:
    run = ran(tmp_path / "log", "/no/such/program")

    assert run.returncode == 127
    assert "cannot start '/no/such/program'" in (tmp_path / "log").read_text()


def test_a_flood_of_errors_keeps_the_log_small_and_its_end(tmp_path: Path) -> None:
    flood = "import sys; [sys.stderr.write('x' * 999 + chr(10)) for _ in range(5000)]"

    run = ran(tmp_path / "log", sys.executable, "-c", f"{flood}; sys.stderr.write('end')")

    assert run.returncode == 0
    log, before = tmp_path / "log", tmp_path / "log.1"
    assert log.read_text().endswith("end")
    assert log.stat().st_size + before.stat().st_size <= 2 * guardian.LOG_BYTES
    assert log.stat().st_mode & 0o077 == 0


@requirement("gateway:upstreams:no-orphan")
def test_children_are_killed_however_late_the_guardian_gets_to_it(tmp_path: Path) -> None:
    """On a busy machine the whole grace may pass before the first look; here it is over at once."""
    mark = f"mark-{uuid4().hex}"
    late = (
        "import sys; sys.path.insert(0, sys.argv[1]); import guardian; guardian.GRACE = 0.0; "
        "sys.exit(guardian.main(sys.argv[2], sys.argv[3:]))"
    )
    home, log = str(Path(guardian.__file__).parent), str(tmp_path / "log")
    command = [sys.executable, "-I", "-S", "-c", late, home, log, sys.executable, "-c", STUBBORN, mark]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"

    process.terminate()
    process.wait(60)
    left = wait_until_gone(mark, 5.0)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    process.communicate()

    assert left == set()


@requirement("gateway:upstreams:no-orphan")
def test_signals_that_come_while_it_ends_the_server_do_not_stop_it(
    stubborn: tuple["subprocess.Popen[str]", int, str],
) -> None:
    owner, pid, mark = stubborn

    for _ in range(1_000):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
    owner.communicate()

    assert wait_until_gone(mark) == set()
