"""Which memories a write concerns: the port that names them, and the way of a store without an index."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from recollect.ids import MemoryId
from recollect.records import links
from recollect.records.categories import Category
from recollect.records.record import Memory, Status
from recollect.records.store import MemoryStore, Progress


class Lookup(Protocol):
    """Names the memories of one root that a write concerns, in any order.

    It may name too many, and one that is gone: the caller loads what is named. It misses none that was
    created, renamed or deleted; a file that was edited in place may count as it was before.
    """

    def prepare(self, progress: Progress | None = None) -> None:
        """Do what takes long. Call it before the write lock is taken, so that nobody waits for it."""
        ...

    def similar(self, memory: Memory) -> Iterable[MemoryId]:
        """Memories of the same category that `memory` may repeat."""
        ...

    def active(self, category: Category) -> Iterable[MemoryId]:
        """The active memories of a category."""
        ...

    def superseding(self, id: MemoryId) -> Iterable[MemoryId]:
        """The memories that supersede this one."""
        ...


@dataclass(frozen=True, slots=True)
class ScanLookup:
    """Reads every file of the store for each question."""

    store: MemoryStore

    def prepare(self, progress: Progress | None = None) -> None:
        """There is nothing to prepare."""

    def similar(self, memory: Memory) -> Iterable[MemoryId]:
        return [other.id for other in self._memories() if other.category is memory.category]

    def active(self, category: Category) -> Iterable[MemoryId]:
        return [
            memory.id
            for memory in self._memories()
            if memory.category is category and memory.status is Status.ACTIVE
        ]

    def superseding(self, id: MemoryId) -> Iterable[MemoryId]:
        return [memory.id for memory in self._memories() if id in links.superseded_ids(memory)]

    def _memories(self) -> Iterable[Memory]:
        return (stored.memory for stored in self.store.scan().stored)
