"""Atomic writes: temp file, fsync, rename, fsync of the folder."""

import errno
import os
import stat
import time
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recollect.errors import StoreError
from recollect.paths import open_folder
from recollect.storage.private import FILE

TEMP_SUFFIX = ".recollect-tmp"
ABANDONED_SECONDS = 3600  # a write takes milliseconds, and a hook ends within seconds


def write(path: Path, data: bytes, shown: str, *, private: bool = False) -> None:
    """Replace the file at `path`, in a folder of which no part is a link. Else as `write_below`."""
    with opened(path.parent, shown=shown) as folder:
        write_below(folder, path.name, data, shown, private=private)


@contextmanager
def opened(path: Path, make: int | None = None, *, shown: str = "") -> Iterator[int]:
    """`open_folder`, closed in the end. Raises StoreError that names what cannot be written."""
    try:
        folder = open_folder(str(path), make)
    except OSError as error:
        raise StoreError(f"cannot write {shown or str(path)!r}: {advice(error)}") from error
    try:
        yield folder
    finally:
        os.close(folder)


def write_below(folder: int, name: str, data: bytes, shown: str, *, private: bool = False) -> None:
    """Replace a file in an open folder. After a crash at any point it is complete, old or new.

    The temp file is in the same folder and is removed on failure. A killed process may leave one that
    ends in TEMP_SUFFIX; a process with the write lock may delete it. A link is replaced, not followed.
    """
    temp = f".{name}.{os.getpid()}-{get_ident()}{TEMP_SUFFIX}"
    try:
        _fill(folder, temp, data, FILE if private else _mode(folder, name))
        os.replace(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        remove(folder, temp)
        raise StoreError(f"cannot write {shown!r}: {advice(error)}") from error
    try:
        os.fsync(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"{shown!r} is written, but a power cut may undo it: {reason}.") from error


def _fill(folder: int, temp: str, data: bytes, mode: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(temp, dir_fd=folder)
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=folder)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _mode(folder: int, name: str) -> int:
    """The mode of the plain file that is replaced, so that a private memory stays private."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return 0o666  # less the umask
    return status.st_mode & 0o777 if stat.S_ISREG(status.st_mode) else 0o666


def remove(folder: int, name: str) -> None:
    """Delete a file of an open folder, if it is there and can be deleted."""
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


def temp_files(folder: int) -> list[str]:
    """The temp files in an open folder."""
    return sorted(name for name in os.listdir(folder) if name[0] == "." and name.endswith(TEMP_SUFFIX))


def abandoned(folder: int) -> list[str]:
    """The temp files of killed writers in a folder that is written without the lock: those of an hour ago."""
    before = time.time() - ABANDONED_SECONDS
    names = []
    for name in temp_files(folder):
        with suppress(OSError):  # its writer may have renamed it meanwhile
            if os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime < before:
                names.append(name)
    return names


def remove_abandoned(folder: int) -> None:
    """Delete the temp files of killed writers. A folder that cannot be written keeps them."""
    for name in abandoned(folder):
        remove(folder, name)


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
