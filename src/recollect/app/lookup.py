"""What a write asks about other memories, answered by the index."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock

from recollect.ids import MemoryId, UnifiedId, as_memory
from recollect.records.body import body
from recollect.records.categories import Category
from recollect.records.lookup import ScanLookup
from recollect.records.record import Memory
from recollect.records.store import MemoryStore, Progress
from recollect.storage.sqlite.index_database import IndexDatabase
from recollect.storage.sqlite.similar import SimilarDocuments


@dataclass(frozen=True, slots=True)
class WrittenIndex:
    """The index as writes use it: opened for each use, by one thread at a time.

    `store` is the one whose root has the index in its state folder.
    """

    database: IndexDatabase
    store: MemoryStore
    _threads: RLock = field(default_factory=RLock)

    def prepare(self, progress: Progress | None) -> None:
        """Update the index, which takes long before it is complete for the first time."""
        if not self.database.exists():
            with self.store.writing():
                pass  # makes the state folder, in a way that a later process can repair
        with self._opened():
            self.database.attempt(lambda: self.database.catch_up(progress))

    def refresh(self, paths: Collection[str]) -> None:
        """Put files that were just written in the index."""
        with self._opened():
            self.database.attempt(lambda: self.database.refresh(paths))

    def ask(self, question: Callable[[SimilarDocuments], Iterable[UnifiedId]]) -> set[MemoryId] | None:
        """The memories that the index names; None if it cannot be read."""
        with self._opened():
            ids = self.database.attempt(
                lambda: list(question(SimilarDocuments(self.database.catch_up())))
            )
        return None if ids is None else {id for named in ids if (id := as_memory(named))}

    @contextmanager
    def _opened(self) -> Iterator[None]:
        with self._threads:
            try:
                yield
            finally:
                if not self.database.in_memory:
                    self.database.close()


@dataclass(frozen=True, slots=True)
class IndexLookup:
    """Fills the `Lookup` port from the index, or from the files where the index cannot be used.

    The index may also contain another root's memories; loading them from `store` finds none.
    """

    index: WrittenIndex
    store: MemoryStore

    def prepare(self, progress: Progress | None = None) -> None:
        self.index.prepare(progress)

    def similar(self, memory: Memory) -> Iterable[MemoryId]:
        title, text, category = memory.title, body(memory), memory.category.value
        ids = self.index.ask(lambda documents: documents.similar(title, text, category))
        return ScanLookup(self.store).similar(memory) if ids is None else ids

    def active(self, category: Category) -> Iterable[MemoryId]:
        ids = self.index.ask(lambda documents: documents.active(category.value))
        return ScanLookup(self.store).active(category) if ids is None else ids

    def superseding(self, id: MemoryId) -> Iterable[MemoryId]:
        ids = self.index.ask(lambda documents: documents.superseding(UnifiedId(f"mem:{id}")))
        return ScanLookup(self.store).superseding(id) if ids is None else ids
