"""Where memories are stored: the port that storage adapters implement."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from recollect.ids import MemoryId
from recollect.records.record import Memory

Progress = Callable[[int, int], None]  # done, of how many


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory as it was read: `digest` names that version, `path` is for people and tools."""

    memory: Memory
    path: str
    digest: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that is not a valid memory, and why. It is neither served nor deleted."""

    path: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """Everything a store holds, in the order of category priority and id."""

    stored: tuple[Stored, ...]
    broken: tuple[Broken, ...]


class MemoryStore(Protocol):
    """Where memories are stored. It checks versions and locks; it does not look at content."""

    def load(self, id: MemoryId) -> Stored:
        """The memory of that id. Raises MemoryNotFoundError, or InvalidError when it is broken."""
        ...

    def scan(self, progress: Progress | None = None) -> Scan:
        """Read everything. Broken files are reported, not raised."""
        ...

    def has(self, id: MemoryId) -> bool:
        """Whether an id is in use, be it by a broken file."""
        ...

    def taken(self) -> set[str]:
        """Every id in use, broken files included."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Hold the write lock over several calls. Calls inside one another share it."""
        ...

    def create(self, memory: Memory) -> Stored:
        """Write a new memory. Raises ConflictError when its id is taken."""
        ...

    def replace(self, old: Stored, new: Memory) -> Stored:
        """Write `new` over `old`. Raises ConflictError when the file is no longer `old`."""
        ...

    def delete(self, old: Stored) -> None:
        """Remove a memory. Raises ConflictError when the file is no longer `old`."""
        ...
