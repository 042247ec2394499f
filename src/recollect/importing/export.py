"""Recollect's own export: every memory of a project in one JSON file, without loss.

`{"format": "recollect-export", "version": 1, "project": ..., "exported_at": ..., "memories": [...]}`,
each memory the document of its file, unknown fields included.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from recollect import clock
from recollect.errors import InvalidJsonError, InvalidMemoryError, RefusedError
from recollect.importing.incoming import Incoming, Skipped
from recollect.records.json_format import Json, parse, render
from recollect.records.record import Memory

FORMAT = "recollect-export"
VERSION = 1
MAX_BYTES = 256 * 1024 * 1024
_DEEPEST = 200  # a memory nested too deeply is skipped; deeper than this, the file is refused


def export_document(memories: Iterable[Memory], project: str, now: datetime) -> bytes:
    """The export of these memories, in their order."""
    documents: list[Json] = [memory.document for memory in memories]
    return render(
        {
            "format": FORMAT,
            "version": VERSION,
            "project": project,
            "exported_at": clock.to_text(now),
            "memories": documents,
        }
    )


def read(data: bytes, origin: str) -> Iterator[Incoming | Skipped]:
    """The memories of an export. An invalid one is skipped; a file that is not an export is an error."""
    document = parse(data, origin, most=MAX_BYTES, deepest=_DEEPEST)
    if document.get("format") != FORMAT:
        raise RefusedError(f'{origin!r} is not a Recollect export: it lacks \'"format": "{FORMAT}"\'.')
    if document.get("version") != VERSION:
        raise RefusedError(
            f"{origin!r} is an export of version {document.get('version')!r}; this Recollect reads "
            f"version {VERSION}. Upgrade Recollect."
        )
    memories = document.get("memories")
    if not isinstance(memories, list):
        raise RefusedError(f"{origin!r} has no list of 'memories'; export it again.")
    for position, row in enumerate(memories):
        yield _memory(row, origin, position)


def _memory(row: Any, origin: str, position: int) -> Incoming | Skipped:
    name = row.get("id") if isinstance(row, dict) else None
    where = f"{origin}#{name}" if isinstance(name, str) else f"{origin}#{position}"
    if not isinstance(row, dict):
        return Skipped(where, "not an object")
    try:
        # What an import writes must be readable again, so the limits of a memory's file apply.
        return Incoming(where, Memory.parse(parse(render(row), where), where))
    except InvalidJsonError as error:
        return Skipped(where, error.reason)
    except InvalidMemoryError as error:
        return Skipped(where, "; ".join(str(problem) for problem in error.problems))
