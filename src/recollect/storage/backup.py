"""Back up a memory root into one tar.gz file."""

import io
import os
import stat
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

from recollect.errors import OutsideRootError, StoreError
from recollect.paths import read_below
from recollect.storage import private
from recollect.storage.files import atomic
from recollect.storage.files.root import MemoryRoot
from recollect.storage.files.store import FileStore
from recollect.storage.sqlite.connections import copy_database

_EXCLUDED = ("lock", "writing", "copying", "index.db", "index.db-wal", "index.db-shm")
_EXCLUDED_ENDINGS = (atomic.TEMP_SUFFIX, "-wal", "-shm")
_MOST_BYTES = 1 << 30


def back_up(store: FileStore, target: Path) -> int:
    """Write the root into `target` atomically; returns the number of files in it.

    Writers wait meanwhile. SQLite copies the databases, so that the copy of a busy one is consistent;
    derived files are left out.
    """
    packed, count = io.BytesIO(), 0
    with store.writing(), tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for folder in _folders(store.root):
            with suppress(OutsideRootError, OSError), store.root.opened(folder) as handle:
                count += _add_files(archive, folder, handle, store.root)
    try:
        if not target.parent.is_dir():
            private.make_folder(target.parent)
    except OSError as error:
        raise StoreError(f"cannot create {str(target.parent)!r}: {atomic.advice(error)}") from error
    atomic.write(target.parent.resolve() / target.name, packed.getvalue(), str(target), private=True)
    return count


def _folders(root: MemoryRoot) -> list[Path]:
    """The root and the folders in it, without links."""
    return sorted(Path(folder) for folder, _, _ in os.walk(root.path))


def _add_files(archive: tarfile.TarFile, folder: Path, handle: int, root: MemoryRoot) -> int:
    """Add the plain files of an open folder; returns their number."""
    count = 0
    for name in sorted(os.listdir(handle)):
        status = os.stat(name, dir_fd=handle, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode) or name in _EXCLUDED or name.endswith(_EXCLUDED_ENDINGS):
            continue
        inside = (folder / name).relative_to(root.path).as_posix()
        data = _database(folder / name) if name.endswith(".db") else _plain(handle, name)
        entry = tarfile.TarInfo(inside)
        entry.size, entry.mtime, entry.mode = len(data), int(status.st_mtime), status.st_mode & 0o777
        archive.addfile(entry, io.BytesIO(data))
        count += 1
    return count


def _plain(folder: int, name: str) -> bytes:
    try:
        return read_below(folder, name, _MOST_BYTES)
    except OSError as error:
        raise StoreError(f"cannot back up {name!r}: {error}.") from error


def _database(path: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy_database(str(path), str(copy))
        return copy.read_bytes()
