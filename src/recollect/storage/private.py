"""Folders and files that only their owner may read, because they contain prompts and the user's notes.

Plain strings: a hook does without pathlib. The memories of a project are not private: git shares them.
"""

from __future__ import annotations

import os
import stat

from recollect.paths import open_folder

FOLDER, FILE = 0o700, 0o600
_OTHERS = 0o077
_BESIDE_DATABASE = ("-wal", "-shm")


def make_folder(path: str | os.PathLike[str]) -> None:
    """Create a private folder of the user's, with missing parents; an existing one becomes private.

    Links on the way to it are the user's own; for a folder of a project, use `open_folder`.
    """
    try:
        os.mkdir(path, FOLDER)
    except FileNotFoundError:
        make_folder(os.path.dirname(os.path.abspath(path)))
        os.mkdir(path, FOLDER)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        above, name = os.path.split(os.path.abspath(path))
        tighten_folder(os.path.join(os.path.realpath(above), name))


def tighten_folder(path: str | os.PathLike[str]) -> None:
    """Make an existing folder private. A link, or a folder that is shared on purpose, is left alone."""
    try:
        folder = open_folder(os.fspath(path))
    except OSError:
        return
    try:
        tighten_handle(folder)
    finally:
        os.close(folder)


def tighten_handle(folder: int) -> None:
    """`tighten_folder` for an open folder."""
    try:
        status = os.fstat(folder)
        if _is_shared(status):
            os.fchmod(folder, FOLDER & status.st_mode)
    except OSError:
        pass


def make_file(folder: int, name: str) -> None:
    """Create an empty private file in an open folder, or make an existing one private, with SQLite's WAL.

    An existing file is not opened: closing it would release the locks that SQLite holds in this process.
    """
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(name, flags, FILE, dir_fd=folder))
    except FileExistsError:
        for existing in (name, *(f"{name}{suffix}" for suffix in _BESIDE_DATABASE)):
            _tighten(existing, folder)


def _tighten(name: str, folder: int) -> None:
    """Take the rights of others to a plain file away, unless it is also a file of another folder."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and _is_shared(status):
            os.chmod(name, FILE & status.st_mode, dir_fd=folder)
    except OSError:
        pass


def _is_shared(status: os.stat_result) -> bool:
    """Whether others have rights to what is ours, and not on purpose."""
    if status.st_uid != os.geteuid() or status.st_mode & stat.S_ISVTX:
        return False
    return bool(status.st_mode & _OTHERS)
