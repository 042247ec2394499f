"""What went wrong in hooks: a small rotating file that `recollect doctor` reads. Never the prompt."""

import os
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

from recollect.config import hook_log

MOST_BYTES = 256 * 1024


def note_failure(error: Exception, env: Mapping[str, str]) -> None:
    """Note a failure: when, what, and where in our code. Nothing of the event itself is written."""
    path = hook_log(env)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MOST_BYTES:
        path.replace(path.with_suffix(".log.1"))
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} {type(error).__name__} at {where}\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)
