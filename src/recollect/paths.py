"""Where things are: a user's folders, the memory root of a project, the names of its files.

Plain strings: a hook does without pathlib.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_NAME = "memory-config.json"
STATE_FOLDER = ".recollect"  # of a memory root: its databases
INDEX_NAME, STATE_NAME = "index.db", "state.db"
HOOK_LOG = "hook.log"
HOOK_SOCKET = "hook.sock"  # of a running server, beside the databases of its project


def data_folder(env: Mapping[str, str]) -> str:
    """Where a user's data is kept; user-level memories live below it."""
    if override := env.get("RECOLLECT_HOME"):
        return override
    if xdg := env.get("XDG_DATA_HOME"):
        return os.path.join(xdg, "recollect")
    if sys.platform == "darwin":
        return os.path.join(home(env), "Library", "Application Support", "recollect")
    return os.path.join(home(env), ".local", "share", "recollect")


def cache_folder(env: Mapping[str, str]) -> str:
    """Where what can be fetched again is kept: embedding models."""
    if override := env.get("RECOLLECT_HOME"):
        return os.path.join(override, "cache")
    if xdg := env.get("XDG_CACHE_HOME"):
        return os.path.join(xdg, "recollect")
    if sys.platform == "darwin":
        return os.path.join(home(env), "Library", "Caches", "recollect")
    return os.path.join(home(env), ".cache", "recollect")


def hook_log(env: Mapping[str, str]) -> str:
    """Where hooks note what went wrong."""
    return os.path.join(data_folder(env), HOOK_LOG)


def user_config(env: Mapping[str, str]) -> str:
    """The user's own configuration file."""
    return os.path.join(data_folder(env), CONFIG_NAME)


def home(env: Mapping[str, str]) -> str:
    """The user's home folder; found without HOME too."""
    return env.get("HOME") or os.path.expanduser("~")


def is_private(path: str) -> bool:
    """Whether `path` exists and only its owner has rights to it."""
    try:
        return not os.lstat(path).st_mode & 0o077
    except OSError:
        return False


def nearest_root(start: str, root: str) -> tuple[str, str] | None:
    """The nearest folder from `start` upwards that has a root, and the root; None at the top.

    The search ends at the top of the checkout.
    """
    folder = start
    while True:
        if os.path.isdir(path := os.path.join(folder, root)):
            return folder, path
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = parent
