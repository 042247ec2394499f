"""The databases that a hook opens and leaves open.

Closing the last connection checkpoints the WAL, which takes longer than a prompt's own write. The next
process reads the WAL, so a hook checkpoints a long one after all, if possible while no prompt waits.
"""

from __future__ import annotations

import os

from recollect.hook.process import LOCK_WAIT
from recollect.paths import INDEX_NAME, STATE_NAME, is_private
from recollect.storage.sqlite.connections import checkpoint_wal
from recollect.storage.sqlite.state import StateDatabase, precise_now
from recollect.working.recorder import SessionRecorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.hook.project_paths import ProjectPaths

# Bytes of a WAL that is checkpointed at a pause, and at once. Reading one takes 1 ms a MB.
PAUSE_WAL_BYTES, MOST_WAL_BYTES = 256 * 1024, 1024 * 1024
_OPEN: list[object] = []


def keep_open(opened: object) -> None:
    """Keep a connection until the process ends."""
    _OPEN.append(opened)


def open_state(place: ProjectPaths, wait: float = LOCK_WAIT) -> SessionRecorder:
    """The recorder of the project's sessions; it waits so many seconds for other writers."""
    for folder in (place.state, place.user_root):
        if os.path.lexists(folder) and not is_private(folder):
            from recollect.storage.private import tighten_folder

            tighten_folder(folder)
    return _recorder(place.state_file(STATE_NAME), wait * place.patience)


def in_memory_state() -> SessionRecorder:
    """A recorder in memory, for an answer that must not wait for a database that cannot be written."""
    return _recorder(":memory:", LOCK_WAIT)


def _recorder(path: str, wait: float) -> SessionRecorder:
    recorder = SessionRecorder(StateDatabase(path, wait), precise_now)
    keep_open(recorder)
    return recorder


def checkpoint_long_wals(
    place: ProjectPaths, longest: int, names: Sequence[str] = (STATE_NAME, INDEX_NAME)
) -> None:
    """Checkpoint each WAL of more than `longest` bytes. One that is busy is left to the next hook.

    A prompt leaves out the index: a process that builds it has a long WAL, and checkpoints it itself.
    """
    for name in names:
        path = place.index_file if name == INDEX_NAME else place.state_file(name)
        try:
            if os.stat(f"{path}-wal").st_size > longest:
                checkpoint_wal(path)
        except OSError:
            continue
