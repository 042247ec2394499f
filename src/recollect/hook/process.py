"""The hook as a process: an event on standard input, an answer on standard output, in time, always 0.

`RECOLLECT_HOOK_PATIENCE`, a number from 1 to 20, multiplies every limit: for a machine that is too busy to
start Python within a second, and for tests, whose outcome must not depend on how busy the machine is.
"""

from __future__ import annotations

import _thread
import gc
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VARIABLE = "RECOLLECT_HOOK_PATIENCE"
MOST_PATIENCE = 20.0
DEADLINE = 0.9  # seconds of the whole process; then it ends without output
SWITCH_SECONDS = 0.05  # after which the watchdog interrupts an answer that never waits
LOCK_WAIT = 0.7  # seconds for another writer, so that a failure is still logged before the deadline
ANSWER_LOCK_WAIT = 0.35  # seconds, where there is something to answer without the state
AFTERWARDS = 0.5  # seconds for what is done once the answer is printed
SERVER_WAIT = 0.05  # seconds for a running server's answer
MOST_INPUT = 16 * 1024 * 1024  # bytes of an event that are read

LATENCY_NAME = "latency"  # in the state folder: the durations of the last calls of each door
LATENCY_SAMPLES = 256  # of a door
DOORS = (  # a door's place in the file is its place here: append only
    *("hook prompt", "hook session_start", "hook tool_before", "hook tool_after", "hook tool_failed"),
    *("hook compact", "hook stop", "hook session_end", "cli search"),
    *("mcp memory_search", "mcp memory_context", "mcp memory_get", "mcp memory_save"),
    *("mcp memory_update", "mcp memory_link", "mcp memory_why", "mcp working_memory"),
    "mcp memory_health",
)
_NUMBER = 4  # bytes of a number in that file; a door has a count and its samples in microseconds
LATENCY_DOOR_BYTES = _NUMBER * (1 + LATENCY_SAMPLES)

_under_way: list[str] = []  # the state folder and the door of the call that is being answered
_afterwards: list[Callable[[], None]] = []  # what is done once the answer is printed
_answering = _thread.allocate_lock()  # taken once, by the answer or by the watchdog


def main() -> None:
    """Answer one event. Always ends with exit code 0, in time."""
    gc.disable()  # what a process of milliseconds leaves lying about goes with it
    # The watchdog gets its turn when SQLite or a read waits. At every 5 ms, the answer would wait for a core.
    sys.setswitchinterval(SWITCH_SECONDS)
    output, started = b"", time.perf_counter()
    try:
        _thread.start_new_thread(_watch, (DEADLINE * patience(os.environ),))
        output = _answered(sys.argv[1:], _read_all(0), started)
    except Exception as error:
        note_failure(error)
    _answering.acquire()
    _write_all(output)
    if _afterwards:
        _thread.start_new_thread(_end, (AFTERWARDS * patience(os.environ),))
        run_afterwards()
    os._exit(0)  # without the interpreter's own clearing up, which takes as long as the answer


def patience(env: Mapping[str, str]) -> float:
    """The factor for all limits. A value that is not a number from 1 to 20 counts as 1."""
    try:
        factor = float(env.get(VARIABLE, "1"))
    except ValueError:
        return 1.0
    return factor if 1 <= factor <= MOST_PATIENCE else 1.0


def _watch(seconds: float) -> None:
    """End the process after so many seconds. A thread, because a signal waits until SQLite returns."""
    time.sleep(seconds)
    if _answering.acquire(blocking=False):
        if _under_way:
            record_latency(_under_way[0], _under_way[1], seconds)
        os._exit(0)


def _end(seconds: float) -> None:
    """End the process after so many seconds: the answer is printed, and nothing else is worth a wait."""
    time.sleep(seconds)
    os._exit(0)


def do_afterwards(work: Callable[[], None]) -> None:
    """Do something once the answer is printed. It may be cut off, so it leaves nothing half-written."""
    _afterwards.append(work)


def run_afterwards() -> None:
    """Do what was put off. A failure goes to the log."""
    while _afterwards:
        try:
            _afterwards.pop(0)()
        except Exception as error:
            note_failure(error)


def _read_all(handle: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size <= MOST_INPUT and (part := os.read(handle, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts) if size <= MOST_INPUT else b""


def _write_all(output: bytes) -> None:
    view = memoryview(output)
    try:
        while view:
            view = view[os.write(1, view) :]
    except OSError:
        pass  # the harness has closed the pipe


def _answered(arguments: list[str], data: bytes, started: float) -> bytes:
    from recollect.hook.answer import answer

    harness, event = [*arguments, "", ""][:2]
    return answer(harness, event, data, os.environ, started).encode("utf-8", "replace")


def begin_call(state: str, door: str) -> None:
    """Say which call is being answered, so that one that misses its deadline is recorded too."""
    _under_way[:] = [state, door]


def record_latency(state: str, door: str, seconds: float) -> None:
    """Add a call to the last ones of its door. Cheap, and never raises: two at once may lose one.

    The file has a fixed length, so it does not grow. There is none without a state folder.
    """
    if door not in DOORS:
        return
    try:
        handle = _latency_file(state)
        try:
            if os.fstat(handle).st_nlink != 1:
                return  # a link to a file of another folder
            start = DOORS.index(door) * LATENCY_DOOR_BYTES
            count = int.from_bytes(os.pread(handle, _NUMBER, start), "little")
            slot = start + _NUMBER * (1 + count % LATENCY_SAMPLES)
            os.pwrite(handle, _number(int(seconds * 1e6)), slot)
            os.pwrite(handle, _number(count + 1), start)
        finally:
            os.close(handle)
    except OSError:
        pass


def _latency_file(state: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    from recollect.paths import open_folder  # a hook that records a time has loaded it

    folder = open_folder(state)
    try:
        return os.open(LATENCY_NAME, flags, 0o600, dir_fd=folder)
    finally:
        os.close(folder)


def _number(value: int) -> bytes:
    return min(value, 0xFFFF_FFFF).to_bytes(_NUMBER, "little")


def note_failure(error: Exception) -> None:
    """Write a failure to the log. Never raises."""
    try:
        from recollect.hook import log

        log.note_failure(error, os.environ, _under_way[0] if _under_way else "")
    except Exception:  # noqa: S110 - there is no other place to report it
        pass
