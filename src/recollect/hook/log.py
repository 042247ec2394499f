"""What went wrong in hooks: a small rotating file that `recollect doctor` reads. Never the prompt."""

from __future__ import annotations

import os
import time
import traceback

from recollect.paths import PLACE_MARK, SETTING_MARK, hook_log
from recollect.storage.private import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_BYTES = 256 * 1024


def note_failure(error: Exception, env: Mapping[str, str], state: str = "") -> None:
    """Note a failure: when, what, where in our code, and in which project. The event itself is not written.

    `state` is the project's state folder, '' if the hook failed before it knew the project. What is wrong
    with a configuration is written too: it names the file, and no event has a part in it.
    """
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    where = " < ".join(
        f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in reversed(frames)
    )
    kind = type(error).__name__
    reason = f" ({error})".replace("\n", " ") if kind == "InvalidConfigError" else ""
    place = f"{PLACE_MARK}{os.path.realpath(state)!r}" if state else ""
    _append(_opened(env), f"{kind} at {where}{reason}{place}")


def note_settings(problems: Sequence[object], env: Mapping[str, str]) -> None:
    """Note settings that were not accepted: file, key, value and what is allowed. Each is noted once."""
    path = _opened(env)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            noted = file.read()
    except OSError:
        noted = ""
    for problem in problems:
        text = f"{SETTING_MARK}{problem}".replace("\n", " ")
        if text not in noted:
            _append(path, text.strip())


def _opened(env: Mapping[str, str]) -> str:
    """The path of the log; a full one is set aside first."""
    path = hook_log(env)
    make_folder(os.path.dirname(path))
    if os.path.exists(path) and os.path.getsize(path) > MOST_BYTES:
        os.replace(path, f"{path}.1")
    return path


def _append(path: str, text: str) -> None:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, f"{stamp} {text}\n".encode())
    finally:
        os.close(handle)
