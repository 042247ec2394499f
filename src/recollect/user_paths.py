"""Where the platform keeps a user's things. Plain strings: a hook does without pathlib."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_NAME = "memory-config.json"
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
