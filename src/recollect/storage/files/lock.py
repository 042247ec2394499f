"""One writer at a time, across processes. The kernel releases the lock of a process that dies."""

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import LockedError, StoreError
from recollect.storage.files.atomic import advice
from recollect.storage.private import FILE

WAIT_SECONDS = 20.0
_PAUSE = 0.005


@contextmanager
def exclusive(path: Path, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock file `path`. Raises LockedError when another process has it for `wait` seconds."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE)
    except OSError as error:
        raise StoreError(f"cannot open the lock {str(path)!r}: {advice(error)}") from error
    try:
        _acquire(handle, path, wait)
        yield
    finally:
        os.close(handle)


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
