"""What a writer leaves in the state folder while it works: marks, and temp files if it is killed."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import OutsideRootError, StoreError
from recollect.paths import DRAFTS_FOLDER
from recollect.records.categories import FOLDERS
from recollect.storage import private
from recollect.storage.files import atomic
from recollect.storage.files.root import MemoryRoot


@dataclass(frozen=True, slots=True)
class Mark:
    """An empty file in the state folder of a root, whose existence says something."""

    root: MemoryRoot
    name: str

    def is_set(self) -> bool:
        return os.path.lexists(self.root.state / self.name)

    def set(self) -> None:
        shown = self.root.show(self.root.state / self.name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with self.root.opened(self.root.state) as folder:
                os.close(os.open(self.name, flags, private.FILE, dir_fd=folder))
        except OSError as error:
            raise StoreError(f"cannot write {shown!r}: {atomic.advice(error)}") from error

    def remove(self) -> None:
        with suppress(FileNotFoundError), self.root.opened(self.root.state) as folder:
            os.unlink(self.name, dir_fd=folder)


def leftovers(root: MemoryRoot) -> list[Path]:
    """Temp files in the root. They are abandoned only if the caller has the lock.

    Hooks write drafts without it, so of those only old ones count.
    """
    return [folder / name for folder in _written(root) for name in _abandoned(root, folder)]


def remove_leftovers(root: MemoryRoot) -> None:
    """Delete the temp files of killed writers. Call it with the lock."""
    for folder in _written(root):
        if names := _abandoned(root, folder):
            with root.opened(folder) as handle:
                for name in names:
                    atomic.remove(handle, name)


def _written(root: MemoryRoot) -> list[Path]:
    folders = [root.path, *(root.path / name for name in FOLDERS), root.state]
    return [*folders, root.state / "rejected", root.state / DRAFTS_FOLDER]


def _abandoned(root: MemoryRoot, folder: Path) -> list[str]:
    try:
        with root.opened(folder) as handle:
            is_shared = folder.name == DRAFTS_FOLDER
            return atomic.abandoned(handle) if is_shared else atomic.temp_files(handle)
    except (OSError, OutsideRootError):
        return []
