"""A draft: a memory before it has an id and a time."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from recollect import clock
from recollect.ids import MemoryId, slug
from recollect.records.json_format import Json, JsonObject, copied
from recollect.records.record import FORMAT_VERSION, Memory, canonical, with_lowest_version


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
        """The memory that this draft becomes. Raises InvalidMemoryError that lists every problem.

        It meets the requirements of the newest format, and says the oldest version that has its fields.
        """
        stamp = clock.to_text(now)
        document = cast("JsonObject", copied(self.document))
        document["id"] = id
        has_version = document.get("schema_version") is not None
        _fill(document, "schema_version", FORMAT_VERSION)
        _fill(document, "created_at", stamp)
        _fill(document, "updated_at", document["created_at"])
        _fill(document, "record_status", "active")
        if isinstance(document.get("tags"), list):
            document["tags"] = _without_repeats(document["tags"])
        memory = Memory.parse(canonical(document), "the record to save")
        return memory if has_version else Memory.parse(with_lowest_version(memory.document))

    def proposed_id(self) -> MemoryId:
        """The id it asks for, else a slug of its title, else of its category."""
        if self.wanted_id is not None:
            return self.wanted_id
        title, category = self.document.get("title"), self.document.get("category")
        fallback = slug(category) if isinstance(category, str) else MemoryId("memory")
        return slug(title, fallback=fallback) if isinstance(title, str) else fallback


def _fill(document: JsonObject, name: str, value: Json) -> None:
    """Set a field that is absent or null."""
    if document.get(name) is None:
        document[name] = value


def _without_repeats(tags: Json) -> Json:
    if not isinstance(tags, list):
        return tags
    unique: list[Json] = []
    for tag in tags:
        tidy = tag.strip() if isinstance(tag, str) else tag
        if tidy not in unique:
            unique.append(tidy)
    return unique
