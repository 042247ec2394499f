"""Folders and files that only their owner may read, because they contain prompts and the user's notes.

Plain strings: a hook does without pathlib. The memories of a project are not private: git shares them.
"""

from __future__ import annotations

import os
import stat

FOLDER, FILE = 0o700, 0o600
_OTHERS = 0o077
_BESIDE_DATABASE = ("-wal", "-shm")


def make_folder(path: str | os.PathLike[str]) -> None:
    """Create a private folder, with missing parents; an existing one becomes private."""
    try:
        os.mkdir(path, FOLDER)
    except FileNotFoundError:
        make_folder(os.path.dirname(os.path.abspath(path)))
        os.mkdir(path, FOLDER)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        tighten_folder(path)


def tighten_folder(path: str | os.PathLike[str]) -> None:
    """Make an existing folder private. A link, or a folder that is shared on purpose, is left alone."""
    _tighten(path, stat.S_IFDIR, FOLDER)


def make_file(path: str | os.PathLike[str]) -> None:
    """Create an empty private file, or make an existing one private, with what SQLite puts beside it.

    An existing file is not opened: closing it would release the locks that SQLite holds in this process.
    Errors are left to the caller's own use of the file.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE))
    except FileExistsError:
        if _tighten(path, stat.S_IFREG, FILE):
            for suffix in _BESIDE_DATABASE:
                _tighten(f"{os.fspath(path)}{suffix}", stat.S_IFREG, FILE)
    except OSError:
        pass


def _tighten(path: str | os.PathLike[str], kind: int, mode: int) -> bool:
    """Take the rights of others away; whether there were any."""
    try:
        status = os.lstat(path)
        if stat.S_IFMT(status.st_mode) != kind or not status.st_mode & _OTHERS:
            return False
        if status.st_uid != os.geteuid() or status.st_mode & stat.S_ISVTX:
            return False
        os.chmod(path, mode & status.st_mode)
    except OSError:
        return False
    return True
