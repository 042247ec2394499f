"""What is here already, looked up by id, by origin and by likeness."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from recollect.ids import MemoryId
from recollect.records.categories import Category
from recollect.records.duplicates import Likeness, Sketch, likest, sketch
from recollect.records.record import Memory
from recollect.records.store import Stored

# What an import writes and a person may change; links and validity also change by themselves.
WRITTEN = ("title", "tags", "related_files", "confidence", "content")


@dataclass(slots=True)
class Known:
    """The memories of a root and those that a plan adds to them."""

    taken: set[str]
    stored: dict[MemoryId, Stored] = field(default_factory=dict)
    by_origin: dict[str, Stored] = field(default_factory=dict)
    added: dict[MemoryId, str] = field(default_factory=dict)  # id to origin
    _mates: set[MemoryId] = field(default_factory=set)
    _alike: dict[object, dict[MemoryId, Sketch]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def of(cls, stored: Iterable[Stored], taken: set[str]) -> "Known":
        known = cls(set(taken))
        for found in stored:
            known.stored[found.memory.id] = found
            if (origin := origin_of(found.memory)) is not None:
                known.by_origin[origin] = found
            known._remember(sketch(found.memory))
        return known

    def expect(self, origins: Iterable[str]) -> None:
        """Name the origins of a batch: what stems from them is no duplicate of it but its company."""
        self._mates = {
            self.by_origin[origin].memory.id for origin in origins if origin in self.by_origin
        }

    def add(self, memory: Memory, origin: str) -> None:
        """Take note of a memory that the plan creates."""
        self.taken.add(memory.id)
        self.added[memory.id] = origin
        self._remember(sketch(memory))

    def _remember(self, found: Sketch) -> None:
        for key in _keys(found):
            self._alike[key][found.id] = found

    def likest(self, memory: Memory) -> Likeness | None:
        """The memory that `memory` repeats. What comes in with it may be near it, but not equal."""
        new = sketch(memory)
        near = {id: other for key in _keys(new) for id, other in self._alike[key].items()}
        company = self._mates | self.added.keys()
        others = (
            other
            for other in near.values()
            if other.id not in company or other.text_digest == new.text_digest
        )
        return likest(new, others)


def _keys(found: Sketch) -> tuple[tuple[Category, object], ...]:
    """Two memories that share none of these are never alike: see `duplicates.likest`."""
    return (
        (found.category, found.text_digest),
        (found.category, found.title),
        (found.category, found.facts),
    )


def origin_of(memory: Memory) -> str | None:
    """The origin that an imported memory names."""
    source = memory.source
    origin = source.get("origin")
    return origin if source.get("kind") == "import" and isinstance(origin, str) else None


def fingerprint(memory: Memory) -> str:
    """What names the text of a memory, so that a later change by hand is noticed."""
    document = memory.document
    text = json.dumps([document.get(name) for name in WRITTEN], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def superseded_origins(memory: Memory) -> list[str]:
    """The origins whose supersession an import has put on this memory already."""
    listed = memory.source.get("supersedes")
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
