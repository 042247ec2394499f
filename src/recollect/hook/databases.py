"""Databases that a hook opens and leaves open.

Closing the last connection folds a database's log into it, which would cost a prompt more than its own
write does. The process ends in a moment, and whoever opens it next reads the log: so a long one is folded
after all, by hooks that nobody waits for if possible.
"""

from __future__ import annotations

import os

from recollect.hook.limits import LOCK_WAIT
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.connections import checkpoint_wal
from recollect.storage.sqlite.state import NAME, StateDatabase, precise_now
from recollect.working.recorder import SessionRecorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hook.project_paths import ProjectPaths

# Bytes of a log that is folded at a pause, and of one that is folded whoever waits. Reading takes 1 ms a MB.
LONG_LOG, TOO_LONG_LOG = 256 * 1024, 1024 * 1024
_OPEN: list[object] = []


def left_open(opened: object) -> None:
    """Keep a connection until the process ends."""
    _OPEN.append(opened)


def open_state(place: ProjectPaths, wait: float = LOCK_WAIT) -> SessionRecorder:
    """The recorder of the project's sessions; it waits so many seconds for other writers."""
    return _recorder(place.kept(NAME), wait * place.patience)


def no_state() -> SessionRecorder:
    """A recorder in memory, for an answer that must not wait for a database that cannot be written."""
    return _recorder(":memory:", LOCK_WAIT)


def _recorder(path: str, wait: float) -> SessionRecorder:
    recorder = SessionRecorder(StateDatabase(path, wait), precise_now)
    left_open(recorder)
    return recorder


def fold_logs(place: ProjectPaths, longest: int) -> None:
    """Fold logs of more than `longest` bytes. One that cannot be folded now is left to the next hook."""
    for path in (place.kept(NAME), place.kept(index_file.NAME)):
        try:
            if os.stat(f"{path}-wal").st_size > longest:
                checkpoint_wal(path)
        except OSError:
            continue
