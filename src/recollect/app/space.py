"""The memories of one root, with the file store below them."""

from dataclasses import dataclass

from recollect.records.memories import Memories
from recollect.storage.files.store import FileStore


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """The memories of one root. The store is for the application; doors use the memories."""

    memories: Memories
    store: FileStore
