"""What went wrong in hooks: a small rotating file that `recollect doctor` reads. Never the prompt."""

from __future__ import annotations

import os
import time
import traceback

from recollect.paths import hook_log
from recollect.storage.private import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BYTES = 256 * 1024


def note_failure(error: Exception, env: Mapping[str, str]) -> None:
    """Note a failure: when, what, and where in our code. Nothing of the event itself is written."""
    path = hook_log(env)
    make_folder(os.path.dirname(path))
    if os.path.exists(path) and os.path.getsize(path) > MOST_BYTES:
        os.replace(path, f"{path}.1")
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    where = " < ".join(
        f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in reversed(frames)
    )
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} {type(error).__name__} at {where}\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)
