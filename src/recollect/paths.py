"""Where things are: a user's folders, the memory root of a project, the names of its files.

Plain strings: a hook does without pathlib.
"""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_NAME = "memory-config.json"
STATE_FOLDER = ".recollect"  # of a memory root: its databases
INDEX_NAME, STATE_NAME = "index.db", "state.db"
# In the state folder, where memories are in a team's database: this machine's copy, a memory root of its own,
# and the file that says which revision it is equal to.
TEAM_COPY, TEAM_COPY_STATE = "team", "copy.json"
DRAFTS_FOLDER = "drafts"
DISMISSALS_NAME = "review.json"  # what a person wants to see no more
DECISIONS_NAME = "review-undo.json"  # what they decided last, to take it back
HOOK_LOG = "hook.log"
SETTING_MARK = " setting: "  # before a line of that log about a value that is not accepted
PLACE_MARK = " in project "  # before the state folder of the project that a line is about
HOOK_SOCKET = "hook.sock"  # of a running server, beside the databases of its project
MEMORY_FOLDERS = {  # of a memory root, by category
    "decision": "decisions",
    "constraint": "constraints",
    "preference": "preferences",
    "runbook": "runbooks",
    "tech_debt": "tech-debt",
    "session_summary": "sessions",
}
LEADS_OUTSIDE = "a link that leads outside"
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A folder on the way need not be readable where the system has O_PATH.
_WAY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


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
    """The nearest folder from `start` upwards that has a root, and the root's real path; None at the top.

    The search ends at the top of the checkout. A root that `distrust` rejects is not used.
    """
    nearest = _nearest(start, root)
    if nearest is None:
        return None
    try:
        real = os.path.realpath(nearest[1])  # this path is checked and used, whatever is swapped later
    except OSError:  # swapped at this moment
        return None
    return None if distrust(nearest[0], real) else (nearest[0], real)


def distrusted_root(start: str, root: str) -> str:
    """Why the nearest root from `start` upwards is not used; '' if there is none, or it is."""
    nearest = _nearest(start, root)
    return distrust(*nearest) if nearest else ""


def distrust(folder: str, root: str) -> str:
    """Why the memory root of a folder is not used; '' if it may be.

    A root that is a link out of its folder may lead to any files. Outside of a checkout, another user
    may have put it above us, as in the shared folder for temporary files.
    """
    try:
        leaves = not is_inside(os.path.realpath(root), os.path.realpath(folder))
    except OSError:  # a folder on the way was swapped at this moment
        leaves = True
    if leaves:
        return f"{root!r} is a link that leaves the project"
    if _in_checkout(folder):
        return ""
    shared = next((path for path in (folder, root) if not _is_own(path)), None)
    return f"others own {shared!r} or can write to it" if shared else ""


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is a real folder or lies below it."""
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def _nearest(start: str, root: str) -> tuple[str, str] | None:
    folder = start
    while True:
        if os.path.isdir(path := os.path.join(folder, root)):
            return folder, path
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = parent


def _in_checkout(folder: str) -> bool:
    while not os.path.exists(os.path.join(folder, ".git")):
        if folder == (folder := os.path.dirname(folder)):
            return False
    return True


def _is_own(folder: str) -> bool:
    """Whether a folder is this user's or root's, and only they or this user's group can write to it."""
    try:
        status = os.stat(folder)
    except OSError:
        return False
    others = 0o002 if status.st_gid == os.getgid() else 0o022
    return status.st_uid in (0, os.getuid()) and not status.st_mode & others


def open_folder(path: str, make: int | None = None) -> int:
    """A handle of a folder; no name on the way may be a link. Raises OSError, NotADirectoryError for a link.

    `path` is a real path, so a link in it was put there after it was resolved. Each folder is opened from the
    handle of the one above it, so that such a swap is refused at any moment. `make` is the mode of folders
    that are missing.
    """
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is not absolute")
    names = [name for name in path.split("/") if name]
    handle = os.open("/", _WAY if names else _FOLDER)
    for number, name in enumerate(names, start=1):
        above, flags = handle, _WAY if number < len(names) else _FOLDER
        try:
            handle = _open_below(name, above, flags, make)
        finally:
            os.close(above)
    return handle


def _open_below(name: str, above: int, flags: int, make: int | None) -> int:
    try:
        try:
            return os.open(name, flags, dir_fd=above)
        except FileNotFoundError:
            if make is None:
                raise
        try:  # noqa: SIM105 - a hook does without contextlib
            os.mkdir(name, make, dir_fd=above)
        except FileExistsError:
            pass  # another process was faster
        return os.open(name, flags, dir_fd=above)
    except OSError as error:
        import errno  # only for a failure: a hook loads little

        if error.errno == errno.ELOOP:  # what some systems say of a link
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name) from None
        raise


def read_plain(path: str, most: int) -> bytes:
    """The bytes of a plain file. Raises OSError for anything else, and for more than `most` bytes.

    A pipe or a device would be read without end; it is opened without waiting for a writer.
    """
    return _read(os.open(path, _READ), most)


def read_below(folder: int, name: str, most: int) -> bytes:
    """`read_plain` for a name in an open folder. Raises OSError with ELOOP for a link."""
    return _read(os.open(name, _READ | os.O_NOFOLLOW, dir_fd=folder), most)


def read_inside(path: str, top: str, most: int) -> bytes:
    """`read_plain` for a path in `top`, a real path, by links that stay in it. Raises OSError for others."""
    real = os.path.realpath(path)
    if not is_inside(real, top):
        import errno

        raise OSError(errno.ELOOP, LEADS_OUTSIDE)
    folder = open_folder(os.path.dirname(real))
    try:
        return read_below(folder, os.path.basename(real), most)
    finally:
        os.close(folder)


def _read(handle: int, most: int) -> bytes:
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("not a plain file")
        parts = []
        while most >= 0 and (part := os.read(handle, min(most + 1, 1 << 20))):
            parts.append(part)
            most -= len(part)
    finally:
        os.close(handle)
    if most < 0:
        raise OSError("too large")
    return b"".join(parts)
