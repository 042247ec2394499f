"""The memory root: its folders and the memory files in them. Nothing outside of it is read or written.

Folders are opened by handles, so that one that is swapped for a link meanwhile leads nowhere else.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import InvalidJsonError, OutsideRootError, StoreError, UnreadableFileError
from recollect.ids import SLUG, MemoryId
from recollect.paths import (
    MEMORY_FOLDERS,
    STATE_FOLDER,
    is_inside,
    nearest_root,
    open_folder,
    read_below,
)
from recollect.records.categories import FOLDERS, Category
from recollect.records.json_format import MAX_BYTES
from recollect.storage import private
from recollect.storage.files import atomic


@dataclass(frozen=True, slots=True)
class MemoryRoot:
    """A folder of memories. `path` is its real path; `shown` is how people refer to it."""

    path: Path
    shown: str
    private: bool = False  # of the user alone, and not shared by git

    @property
    def state(self) -> Path:
        """Where locks and derived files live; never committed."""
        return self.path / STATE_FOLDER

    @classmethod
    def above(cls, start: Path, root: str) -> "tuple[Path, MemoryRoot] | None":
        """The nearest folder from `start` upwards that has a root, and the root; None at the top.

        The search ends at the top of the checkout.
        """
        paths = nearest_root(str(start), root)
        return (Path(paths[0]), cls(Path(paths[1]), Path(root).as_posix())) if paths else None

    def file(self, category: Category, id: MemoryId) -> Path:
        """The path of a memory's file. Raises OutsideRootError if the id is not a slug."""
        if not SLUG.fullmatch(id):
            raise OutsideRootError(
                f"{id!r} is not a memory id, so it does not name a file in the root."
            )
        return self.path / category.folder / f"{id}.json"

    @contextmanager
    def opened(self, folder: Path, *, make: bool = False) -> Iterator[int]:
        """A handle of the root or of a folder in it. Raises OutsideRootError when a link leads it away.

        With `make`, a missing folder is created, or StoreError is raised; in what only the user may read, it
        becomes private.
        """
        handle = self._made(folder) if make else self._open(folder)
        try:
            yield handle
        finally:
            os.close(handle)

    def _made(self, folder: Path) -> int:
        alone = self.private or is_inside(str(folder), str(self.state))
        shown = self.show(folder)
        try:
            handle = self._open(folder, private.FOLDER if alone else 0o777)
        except NotADirectoryError:
            raise StoreError(f"{shown!r} is a file where a folder should be; move it away.") from None
        except OSError as error:
            raise StoreError(f"cannot create the folder {shown!r}: {atomic.advice(error)}") from error
        if alone:
            private.tighten_handle(handle)
        return handle

    def _open(self, folder: Path, mode: int | None = None) -> int:
        try:
            return open_folder(str(folder), mode)
        except NotADirectoryError:  # a link, or a file
            return open_folder(self._real(folder), mode)

    def _real(self, folder: Path) -> str:
        """Where a link leads, if that is inside the root."""
        try:
            real = os.path.realpath(folder)
        except OSError:  # no link any more: swapped at this moment
            real = ""
        if is_inside(real, str(self.path)):
            return real
        raise OutsideRootError(
            f"{self.show(folder)!r} is a symlink that leaves the memory root; replace it with "
            "a real folder."
        )

    def find(self, id: MemoryId) -> Path | None:
        """The file of that id, whatever its category; the first by priority if there are two."""
        for folder in FOLDERS:
            path = self.path / folder / f"{id}.json"
            if os.path.lexists(path):
                return path
        return None

    def files(self) -> Iterator[tuple[Category, Path]]:
        """Every `*.json` of the six folders, sorted by name within each."""
        for category, folder, names in self.names():
            for name in names:
                yield category, folder / name

    def names(self) -> Iterator[tuple[Category, Path, list[str]]]:
        """The folders that are there, each with the names of its `*.json`, sorted."""
        for folder_name, category in FOLDERS.items():
            folder = self.path / folder_name
            try:
                with self.opened(folder) as handle:
                    names = os.listdir(handle)
            except (FileNotFoundError, NotADirectoryError, OutsideRootError):
                continue  # `doctor` reports a link that leaves the root
            except OSError as error:
                raise StoreError(f"cannot list {self.show(folder)!r}: {error.strerror}.") from None
            visible = [name for name in names if name.endswith(".json") and not name.startswith(".")]
            yield category, folder, sorted(visible)

    def check_listable(self) -> None:
        """Raise StoreError if a folder exists and cannot be listed, which an index would not notice."""
        for folder in self.folders():
            try:
                with self.opened(folder) as handle:
                    os.scandir(handle).close()
            except (FileNotFoundError, NotADirectoryError, OutsideRootError):
                continue
            except OSError as error:
                raise StoreError(f"cannot list {self.show(folder)!r}: {error.strerror}.") from None

    def folders(self) -> list[Path]:
        """The folders of the categories, whether they exist or not."""
        return [self.path / name for name in MEMORY_FOLDERS.values()]

    def listing(self, folder: Path) -> list[tuple[str, int, int]]:
        """Name, time of change in nanoseconds and size of every `*.json` in a folder, if it exists."""
        try:
            with self.opened(folder) as handle:
                return _listed(handle)
        except (OSError, OutsideRootError):
            return []  # `files` reports the reason

    def read(self, path: Path, folder: int | None = None) -> bytes:
        """The bytes of a memory's file. Raises InvalidJsonError if it is no regular file inside the root.

        `folder` is a handle of its folder, which a reader of many files opens once.
        """
        shown = self.show(path)
        try:
            if folder is not None:
                return self._read(path, path, folder)
            with self.opened(path.parent) as handle:
                return self._read(path, path, handle)
        except OutsideRootError:
            reason = "a symlink that leaves the memory root; not followed"
            raise InvalidJsonError(shown, reason) from None
        except FileNotFoundError as error:
            raise InvalidJsonError(shown, f"cannot be read: {error.strerror}") from None
        except OSError as error:
            raise UnreadableFileError(shown, f"cannot be read: {error.strerror}") from None

    def _read(self, path: Path, real: Path, folder: int) -> bytes:
        """The bytes of `path`, which is `real` in an open folder, or a link from there into the root."""
        status = os.stat(real.name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            target = Path(self._real(path))
            if target == real:
                raise OSError(errno.EAGAIN, "it was replaced in the meantime")
            with self.opened(target.parent) as handle:
                return self._read(path, target, handle)
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a plain file"
            raise InvalidJsonError(self.show(path), f"{what}, where a memory's file should be")
        if status.st_size > MAX_BYTES:
            size = f"{status.st_size:,} bytes; a memory may have {MAX_BYTES:,}"
            raise InvalidJsonError(self.show(path), size)
        return read_below(folder, real.name, MAX_BYTES)

    def write(self, name: str, text: str) -> None:
        """Replace a file directly in the root."""
        shown = self.show(self.path / name)
        try:
            with self.opened(self.path) as folder:
                atomic.write_below(folder, name, text.encode(), shown, private=self.private)
        except OSError as error:
            raise StoreError(f"cannot write {shown!r}: {atomic.advice(error)}") from error

    def show(self, path: Path) -> str:
        """A path as people refer to it: `.claude/memory/decisions/x.json`."""
        if not self.shown:
            return str(path)
        text, start = path.as_posix(), f"{self.path.as_posix()}/"
        if text.startswith(start):  # as `relative_to`, at a tenth of its time
            return f"{self.shown}/{text.removeprefix(start)}"
        return f"{self.shown}/{path.relative_to(self.path).as_posix()}"


def _listed(folder: int) -> list[tuple[str, int, int]]:
    """The files of an open folder; `stat` relative to it is faster than with the full path."""
    files: list[tuple[str, int, int]] = []
    with os.scandir(folder) as listing:
        for entry in listing:
            name = entry.name
            if name.endswith(".json") and not name.startswith("."):
                try:
                    status = entry.stat()
                except OSError:
                    continue  # deleted meanwhile, or a broken link
                files.append((name, status.st_mtime_ns, status.st_size))
    return files
