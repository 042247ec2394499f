"""The memory root: its folders and the memory files in them. Nothing outside of it is read."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import InvalidJsonError, OutsideRootError, StoreError, UnreadableFileError
from recollect.ids import SLUG, MemoryId
from recollect.paths import STATE_FOLDER, nearest_root, read_plain
from recollect.records.categories import FOLDERS, Category
from recollect.records.json_format import MAX_BYTES


@dataclass(frozen=True, slots=True)
class MemoryRoot:
    """A folder of memories. `path` is absolute; `shown` is how people refer to it."""

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

    def folder(self, category: Category) -> Path:
        """The folder of a category. Raises OutsideRootError when a symlink leads it away."""
        return self.own(self.path / category.folder)

    def own(self, folder: Path) -> Path:
        """`folder` itself. Raises OutsideRootError when it is a symlink out of the root."""
        if folder.is_symlink() and not self._contains(folder):
            raise OutsideRootError(
                f"{self.show(folder)!r} is a symlink that leaves the memory root; replace it with "
                "a real folder."
            )
        return folder

    def file(self, category: Category, id: MemoryId) -> Path:
        """The path of a memory's file. Raises OutsideRootError if the id is not a slug."""
        if not SLUG.fullmatch(id):
            raise OutsideRootError(f"{id!r} is not a memory id, so it names no file in the root.")
        return self.folder(category) / f"{id}.json"

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
                names = os.listdir(folder)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise StoreError(f"cannot list {self.show(folder)!r}: {error.strerror}.") from None
            visible = [name for name in names if name.endswith(".json") and not name.startswith(".")]
            yield category, folder, sorted(visible)

    def folders(self) -> list[Path]:
        """The folders of the categories, whether they exist or not."""
        return [self.path / name for name in FOLDERS]

    def listing(self, folder: Path) -> list[tuple[str, int, int]]:
        """Name, time of change in nanoseconds and size of every `*.json` in a folder, if it exists."""
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return []  # `files` reports the reason
        try:
            return _listed(handle)
        finally:
            os.close(handle)

    def read(self, path: Path) -> bytes:
        """The bytes of a memory's file. Raises InvalidJsonError if it is no regular file inside the root."""
        shown = self.show(path)
        try:
            kind = path.lstat()
            if stat.S_ISLNK(kind.st_mode) or path.parent.is_symlink():
                if not self._contains(path):
                    raise InvalidJsonError(shown, "a symlink that leaves the memory root; not followed")
                kind = path.stat()
            if not stat.S_ISREG(kind.st_mode):
                what = "a folder" if stat.S_ISDIR(kind.st_mode) else "not a plain file"
                raise InvalidJsonError(shown, f"{what}, where a memory's file should be")
            if kind.st_size > MAX_BYTES:
                size = f"{kind.st_size:,} bytes; a memory may have {MAX_BYTES:,}"
                raise InvalidJsonError(shown, size)
            return read_plain(str(path), MAX_BYTES)
        except FileNotFoundError as error:
            raise InvalidJsonError(shown, f"cannot be read: {error.strerror}") from None
        except OSError as error:
            raise UnreadableFileError(shown, f"cannot be read: {error.strerror}") from None

    def _contains(self, path: Path) -> bool:
        real = os.path.realpath(path)
        return real.startswith(os.path.realpath(self.path) + os.sep)

    def show(self, path: Path) -> str:
        """A path as people refer to it: `.claude/memory/decisions/x.json`."""
        return f"{self.shown}/{path.relative_to(self.path).as_posix()}" if self.shown else str(path)


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
