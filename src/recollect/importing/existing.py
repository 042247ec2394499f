"""The memories that exist before an import, by id, by origin and by similarity."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from recollect.ids import MemoryId
from recollect.records.categories import Category
from recollect.records.duplicates import Likeness, Sketch, find_duplicate, sketch
from recollect.records.record import Memory
from recollect.records.store import Stored

# The fields that an import writes and a person may edit; links and validity also change automatically.
WRITTEN = ("title", "tags", "related_files", "confidence", "content")


@dataclass(slots=True)
class ExistingMemories:
    """The memories of a root and those that a plan adds to them."""

    taken: set[str]
    stored: dict[MemoryId, Stored] = field(default_factory=dict)
    by_origin: dict[str, Stored] = field(default_factory=dict)
    added: dict[MemoryId, str] = field(default_factory=dict)  # id to origin
    _batch: set[MemoryId] = field(default_factory=set)
    _sketches: dict[object, dict[MemoryId, Sketch]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def of(cls, stored: Iterable[Stored], taken: set[str]) -> "ExistingMemories":
        existing = cls(set(taken))
        for row in stored:
            existing.stored[row.memory.id] = row
            if (origin := origin_of(row.memory)) is not None:
                existing.by_origin[origin] = row
            existing._add_sketch(sketch(row.memory))
        return existing

    def expect(self, origins: Iterable[str]) -> None:
        """Name the origins of a batch: memories imported from them before are not near-duplicates of it."""
        self._batch = {
            self.by_origin[origin].memory.id for origin in origins if origin in self.by_origin
        }

    def add(self, memory: Memory, origin: str) -> None:
        """Add a memory that the plan creates."""
        self.taken.add(memory.id)
        self.added[memory.id] = origin
        self._add_sketch(sketch(memory))

    def _add_sketch(self, added: Sketch) -> None:
        for key in _keys(added):
            self._sketches[key][added.id] = added

    def find_duplicate(self, memory: Memory) -> Likeness | None:
        """The memory that `memory` repeats. Memories of the same batch may be similar, but not equal."""
        new = sketch(memory)
        candidates = {id: other for key in _keys(new) for id, other in self._sketches[key].items()}
        batch = self._batch | self.added.keys()
        others = (
            other
            for other in candidates.values()
            if other.id not in batch or other.text_digest == new.text_digest
        )
        return find_duplicate(new, others)


def _keys(sketch: Sketch) -> tuple[tuple[Category, object], ...]:
    """Two memories that share none of these are never similar: see `find_duplicate`."""
    return (
        (sketch.category, sketch.text_digest),
        (sketch.category, sketch.title),
        (sketch.category, sketch.facts),
    )


def origin_of(memory: Memory) -> str | None:
    """The origin of an imported memory; None for any other."""
    source = memory.source
    origin = source.get("origin")
    return origin if source.get("kind") == "import" and isinstance(origin, str) else None


def fingerprint(memory: Memory) -> str:
    """The digest of what an import wrote, so that a later edit is noticed."""
    document = memory.document
    text = json.dumps([document.get(name) for name in WRITTEN], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def linked_origins(memory: Memory, key: str) -> list[str]:
    """The origins that an earlier import recorded in `source` as superseded or amended by this memory."""
    listed = memory.source.get(key)
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
