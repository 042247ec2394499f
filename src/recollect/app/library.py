"""The memories of a project and of its user: their files, and the index that is built from them."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recollect.errors import InvalidError
from recollect.records.memories import Memories
from recollect.retrieval.documents import document_of
from recollect.retrieval.index_writer import Content, FileState
from recollect.storage.files.store import FileStore
from recollect.storage.sqlite.index_database import IndexDatabase
from recollect.storage.sqlite.index_file import times_of
from recollect.storage.sqlite.schema import storable
from recollect.values import replaced

USER_PRIORITY = 10  # added to the priority of the user's memories, so that the project's win a tie


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """The memories of one root. The store is for the application; doors use the memories."""

    memories: Memories
    store: FileStore


def memory_index(
    stores: Sequence[FileStore], files: Callable[[], object] | None = None
) -> IndexDatabase:
    """The index of the memories of one or more roots, in the state folder of the first."""
    first = stores[0]
    return IndexDatabase(first.root.state, MemoryFiles(stores), first.prepare_state, files)


@dataclass(slots=True)
class MemoryFiles:
    """The memory files of some roots. Fills the `DocumentSource` port."""

    stores: Sequence[FileStore]
    _folders: dict[str, tuple[FileStore, Path]] = field(init=False)

    def __post_init__(self) -> None:
        self._folders = {
            storable(store.root.show(folder)): (store, folder)
            for store in self.stores
            for folder in store.root.folders()
        }

    def folder_times(self) -> dict[str, int]:
        times = times_of(str(store.root.path) for store in self.stores)
        return dict(zip(self._folders, times, strict=True))

    def files(self, folders: Collection[str] | None = None) -> Iterator[tuple[str, int, int]]:
        for shown, (store, folder) in self._folders.items():
            if folders is None or shown in folders:
                for name, modified, size in store.root.listing(folder):
                    yield f"{shown}/{storable(name)}", modified, size

    def state(self, path: str) -> FileState | None:
        shown, _, name = path.rpartition("/")
        try:
            status = (self._folders[shown][1] / name).stat()
        except OSError:
            return None
        return FileState(path, status.st_mtime_ns, status.st_size)

    def read(self, path: str) -> Content:
        """The content of a listed file. One whose name is not valid UTF-8 cannot be a memory."""
        shown, _, name = path.rpartition("/")
        store, folder = self._folders[shown]
        try:
            stored = store.read(folder / name)
        except InvalidError as error:
            return Content(storable(f"unreadable: {error}"), None)
        document = document_of(stored)
        added = USER_PRIORITY if store.root.private else 0
        return Content(stored.digest, replaced(document, priority=document.priority + added))
