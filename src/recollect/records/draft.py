"""A draft: a memory before it has an id and a time."""

import copy
from dataclasses import dataclass
from datetime import datetime

from recollect import clock
from recollect.errors import InvalidMemoryError, Problem
from recollect.ids import MemoryId, slug
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import FORMAT_VERSION, Memory, canonical


@dataclass(frozen=True, slots=True)
class Draft:
    """Category, title, tags, content and any optional field; id and times may be missing."""

    document: JsonObject

    @property
    def wanted_id(self) -> MemoryId | None:
        """The id the draft asks for, checked later with the rest."""
        value = self.document.get("id")
        return MemoryId(value) if isinstance(value, str) else None

    def as_memory(self, id: MemoryId, now: datetime) -> Memory:
        """The memory this draft becomes. Raises InvalidMemoryError with all that is wrong."""
        stamp = clock.to_text(now)
        document = copy.deepcopy(self.document)
        document["id"] = id
        document.setdefault("schema_version", FORMAT_VERSION)
        document.setdefault("created_at", stamp)
        document.setdefault("updated_at", document["created_at"])
        document.setdefault("record_status", "active")
        if isinstance(document.get("tags"), list):
            document["tags"] = _without_repeats(document["tags"])
        return Memory.parse(canonical(document), "the record to save")

    def proposed_id(self) -> MemoryId:
        """The id it asks for, else a slug of its title."""
        if self.wanted_id is not None:
            return self.wanted_id
        title, category = self.document.get("title"), self.document.get("category")
        if not isinstance(title, str):
            raise InvalidMemoryError(
                "the record to save",
                [Problem("title", "is missing; it says what it is, in a line")],
            )
        return slug(title, fallback=str(category or "memory").replace("_", "-"))


def _without_repeats(tags: Json) -> Json:
    if not isinstance(tags, list):
        return tags
    kept: list[Json] = []
    for tag in tags:
        tidy = tag.strip() if isinstance(tag, str) else tag
        if tidy not in kept:
            kept.append(tidy)
    return kept
