"""One writer at a time, across processes. The kernel releases the lock of a process that dies."""

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import LockedError, StoreError
from recollect.paths import open_folder
from recollect.storage.files.atomic import advice
from recollect.storage.private import FILE

WAIT_SECONDS = 20.0
_PAUSE = 0.005


@contextmanager
def exclusive(path: Path, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock file `path`. Raises LockedError when another process has it for `wait` seconds."""
    try:
        handle = _open(path)
    except OSError as error:
        raise StoreError(f"cannot open the lock {str(path)!r}: {advice(error)}") from error
    try:
        _acquire(handle, path, wait)
        yield
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    """Open the lock file in its folder, without waiting for the other end of a pipe."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    folder = open_folder(str(path.parent))
    try:
        return os.open(path.name, flags, FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _acquire(handle: int, path: Path, wait: float) -> None:
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise LockedError(
                    f"another process has been writing for {wait:.0f} s (lock {str(path)!r}); "
                    "try again when it is done."
                ) from None
            time.sleep(_PAUSE * (1 + random.random()))  # noqa: S311 - spreads the waiters
        else:
            return
