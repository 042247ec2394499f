"""Memories of mem0, as `get_all()` and its exports write them: a list of objects with `memory`."""

from collections.abc import Iterator
from typing import Any

from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.notes import note


def rows_of(document: Any) -> list[Any] | None:
    """The list of memories in a document; None for a document that is no export of mem0."""
    listed = document
    if isinstance(document, dict):
        listed = document.get("results", document.get("memories"))
    if not isinstance(listed, list) or not listed:
        return None
    first = listed[0]
    return listed if isinstance(first, dict) and isinstance(first.get("memory"), str) else None


def read(document: Any, origin: str) -> Iterator[Incoming | Skipped]:
    """The memories in their order, then what has no equivalent."""
    for position, row in enumerate(rows_of(document) or ()):
        text = row.get("memory") if isinstance(row, dict) else None
        name = row.get("id") if isinstance(row, dict) else None
        where = f"{origin}#{name}" if isinstance(name, str) and name else f"{origin}#{position}"
        if isinstance(text, str) and text.strip():
            categories = row.get("categories")
            tags = categories if isinstance(categories, list) else ()
            yield note(text, where, tags=tags, at=row.get("created_at"))
        else:
            yield Skipped(where, "it has no text in 'memory'")
    relations = document.get("relations") if isinstance(document, dict) else None
    for position, row in enumerate(relations if isinstance(relations, list) else ()):
        yield Skipped(f"{origin}#relation-{position}", relation_reason(row))


def relation_reason(row: Any) -> str:
    """Why a relation between two things is not imported, with its words."""
    fields = row if isinstance(row, dict) else {}
    ends = [str(fields.get(name) or "?")[:60] for name in ("source", "relationship", "target")]
    return f"a relation ({' '.join(ends)}); links here are between memories"
