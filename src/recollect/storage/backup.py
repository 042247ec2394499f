"""Back up a memory root into one tar.gz file."""

import io
import os
import tarfile
import tempfile
from pathlib import Path

from recollect.errors import StoreError
from recollect.storage import private
from recollect.storage.files import atomic
from recollect.storage.files.store import FileStore
from recollect.storage.sqlite.connections import copy_database

_EXCLUDED = ("lock", "writing", "index.db", "index.db-wal", "index.db-shm")


def back_up(store: FileStore, target: Path) -> int:
    """Write the root into `target` atomically; returns the number of files in it.

    Writers wait meanwhile. SQLite copies the databases, so that the copy of a busy one is consistent;
    derived files are left out.
    """
    packed = io.BytesIO()
    with store.writing(), tarfile.open(fileobj=packed, mode="w:gz") as archive:
        names = sorted(_files_to_back_up(store.root.path))
        for path in names:
            inside = path.relative_to(store.root.path).as_posix()
            if path.suffix == ".db":
                _add_database(archive, path, inside)
            else:
                archive.add(path, inside, recursive=False)
    try:
        if not target.parent.is_dir():
            private.make_folder(target.parent)
    except OSError as error:
        raise StoreError(f"cannot make {str(target.parent)!r}: {atomic.advice(error)}") from error
    atomic.write(target, packed.getvalue(), str(target), private=True)
    return len(names)


def _files_to_back_up(root: Path) -> list[Path]:
    files = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        paths = [Path(folder) / name for name in names if name not in _EXCLUDED]
        files += [path for path in paths if path.is_file() and not path.is_symlink()]
    return [path for path in files if not path.name.endswith((atomic.TEMP_SUFFIX, "-wal", "-shm"))]


def _add_database(archive: tarfile.TarFile, path: Path, inside: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy_database(str(path), str(copy))
        archive.add(copy, inside, recursive=False)
