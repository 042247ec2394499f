import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.errors import LockedError, StoreError
from recollect.storage.files.lock import exclusive

HOLDER = """
import sys
from pathlib import Path
from recollect.storage.files.lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(path: Path) -> "subprocess.Popen[str]":
    """Another process that holds the lock until it is told, or dies."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@requirement("store:lock:times-out")
def test_a_lock_that_is_held_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    with holder(tmp_path / "lock"):
        start = time.monotonic()

        told = pytest.raises(LockedError, match=r"another process has been writing .*try again")
        with told, exclusive(tmp_path / "lock", wait=0.1):
            pass

        assert time.monotonic() - start >= 0.1


def test_a_lock_that_is_let_go_is_taken(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as other:
        assert other.stdin is not None
        other.stdin.write("done\n")
        other.stdin.flush()

        with exclusive(tmp_path / "lock", wait=20):
            pass


@requirement("store:lock:released-on-death")
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as other:
        other.send_signal(signal.SIGKILL)
        other.wait(20)

        with exclusive(tmp_path / "lock", wait=0):
            pass


def test_an_error_inside_lets_the_lock_go(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), exclusive(tmp_path / "lock"):
        raise ZeroDivisionError

    with exclusive(tmp_path / "lock", wait=0):
        pass


def test_a_lock_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()

    with pytest.raises(StoreError, match="cannot open the lock"), exclusive(tmp_path / "lock"):
        pass


def test_a_symlink_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError), exclusive(tmp_path / "lock"):
        pass

    assert os.listdir(tmp_path) == ["lock"]
