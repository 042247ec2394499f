"""Atomic writes: temp file, fsync, rename, fsync of the folder."""

import errno
import os
import time
from contextlib import suppress
from pathlib import Path

from recollect.errors import StoreError
from recollect.storage.private import FILE

TEMP_SUFFIX = ".recollect-tmp"
_ABANDONED_SECONDS = 3600  # a write takes milliseconds, and a hook ends within seconds


def write(path: Path, data: bytes, shown: str, *, private: bool = False) -> None:
    """Replace the file at `path`. After a crash at any point it is complete, old or new.

    The temp file is in the same folder and is removed on failure. A killed process may leave one that
    ends in TEMP_SUFFIX; a process with the write lock may delete it.
    """
    temp = path.parent / f".{path.name}.{os.getpid()}{TEMP_SUFFIX}"
    try:
        _fill(temp, data, FILE if private else _mode(path))
        os.replace(temp, path)
    except OSError as error:
        with suppress(OSError):
            temp.unlink(missing_ok=True)
        raise StoreError(f"cannot write {shown!r}: {advice(error)}") from error
    try:
        sync_folder(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"{shown!r} is written, but a power cut may undo it: {reason}.") from error


def _fill(temp: Path, data: bytes, mode: int) -> None:
    temp.unlink(missing_ok=True)
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _mode(path: Path) -> int:
    """The mode of the file that is replaced, so that a private memory stays private."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        return 0o666  # less the umask


def abandoned(folder: Path) -> list[Path]:
    """The temp files of killed writers in a folder that is written without the lock: those of an hour ago."""
    before = time.time() - _ABANDONED_SECONDS
    files = []
    for path in folder.glob(f".*{TEMP_SUFFIX}"):
        with suppress(OSError):  # its writer may have renamed it meanwhile
            if path.lstat().st_mtime < before:
                files.append(path)
    return files


def remove_abandoned(folder: Path) -> None:
    """Delete the temp files of killed writers. A folder that cannot be written keeps them."""
    for path in abandoned(folder):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make a rename or a deletion in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def advice(error: OSError) -> str:
    """The message of the operating system, and what to do."""
    hints = {
        errno.ENOSPC: "free some space and try again; nothing was changed.",
        errno.EDQUOT: "the quota is used up; nothing was changed.",
        errno.EACCES: "check who owns the folder and its permissions; nothing was changed.",
        errno.EPERM: "check who owns the folder and its permissions; nothing was changed.",
        errno.EROFS: "the file system is read-only; nothing was changed.",
        errno.EISDIR: "there is a folder where the file should be; move it away.",
        errno.ENOTDIR: "there is a file where a folder should be; move it away.",
    }
    reason = os.strerror(error.errno) if error.errno else str(error)
    return f"{reason}; {hints.get(error.errno or 0, 'nothing was changed.')}"
