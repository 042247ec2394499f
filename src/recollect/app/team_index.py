"""The index of a team's project: in its database, written with the memories, so it is never behind them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from recollect.app.local_copy import LocalCopy
from recollect.errors import StoreError
from recollect.ids import MemoryId, UnifiedId, as_memory
from recollect.records.body import body
from recollect.records.categories import Category
from recollect.records.record import Memory
from recollect.records.store import Progress
from recollect.retrieval.index import Document
from recollect.storage.postgres.index import PostgresIndex
from recollect.storage.postgres.similar import PostgresSimilar

_T = TypeVar("_T")


@dataclass(slots=True)
class TeamIndex:
    """Fills the `SearchIndex` port. Each update also brings this machine's copy up to date, for its hooks."""

    index: PostgresIndex
    copy: LocalCopy
    notes: list[str] = field(default_factory=list)
    in_memory: bool = False

    @property
    def folder(self) -> Path:
        return self.copy.store.root.state

    def reader(self) -> PostgresIndex:
        return self.index

    def update(self, progress: Progress | None = None) -> PostgresIndex:
        """The index. A copy that cannot be written now is left to the next update."""
        self.copy.refresh(progress)
        return self.index

    def updated(self, work: Callable[[], _T], progress: Progress | None = None) -> _T:
        self.update(progress)
        return work()

    def pinned(self, now: str) -> Sequence[Document]:
        """From this machine's copy, which has the user's own too; sessions get their pinned ones from it."""
        self.copy.refresh()
        try:
            return self.copy.index.pinned(now)
        finally:
            self.copy.index.close()

    def attempt(self, work: Callable[[], _T]) -> _T | None:
        try:
            return work()
        except StoreError:
            return None

    def check(self, progress: Progress | None = None) -> None:
        """The database checks itself; what can be checked here is the copy."""
        self.copy.pull(progress, anew=True)

    def rewrite(self) -> bool:
        """Erase what was deleted from this machine's copy; the server's own files are its vacuum's."""
        self.copy.pull()
        try:
            return self.copy.index.rewrite()
        finally:
            self.copy.index.close()

    def close(self) -> None:
        """The pool stays open for the stores beside this index."""


@dataclass(frozen=True, slots=True)
class TeamLookup:
    """Fills the `Lookup` port from the index in the database, which is never behind the memories."""

    index: PostgresIndex

    def prepare(self, progress: Progress | None = None) -> None:
        """There is nothing to prepare."""

    def similar(self, memory: Memory) -> Iterable[MemoryId]:
        questions = PostgresSimilar(self.index)
        return _ids(questions.similar(memory.title, body(memory), memory.category.value))

    def active(self, category: Category) -> Iterable[MemoryId]:
        return _ids(PostgresSimilar(self.index).active(category.value))

    def superseding(self, id: MemoryId) -> Iterable[MemoryId]:
        return _ids(PostgresSimilar(self.index).superseding(UnifiedId(f"mem:{id}")))


def _ids(named: Iterable[UnifiedId]) -> set[MemoryId]:
    return {id for each in named if (id := as_memory(each))}
