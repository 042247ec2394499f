"""The document that the index stores for a memory."""

import json
from datetime import datetime

from recollect import clock
from recollect.records.body import body
from recollect.records.categories import SHAPES
from recollect.records.in_force import Ending, Force, ending
from recollect.records.record import Memory, Status
from recollect.records.store import Stored
from recollect.records.validity import Validity
from recollect.retrieval.index import Document


def document_of(stored: Stored) -> Document:
    """The document of a memory. Memories of one session form a thread."""
    memory = stored.memory
    source, end = memory.source, ending(memory)
    return Document(
        id=memory.unified_id,
        title=memory.title,
        tags=memory.tags,
        body=body(memory),
        created_at=clock.to_text(memory.created_at),
        category=memory.category.value,
        priority=SHAPES[memory.category].priority,
        status=memory.status.value,
        path=stored.path,
        updated_at=_text(memory.updated_at),
        valid_from=_text(memory.valid_from),
        valid_to=_text(memory.valid_to),
        gone_at=_text(_gone_at(memory)),
        ended_as=end.reason if end else "",
        ended_at=end.at if end else None,
        files=(*memory.related_files, *(anchor.path for anchor in memory.anchors)),
        thread=str(source.get("session") or ""),
        source=str(source.get("kind") or ""),
        anchors=json.dumps(memory.rows("anchors")) if memory.anchors else "",
        pinned_at=_text(memory.pinned_at) or "",
        links=memory.links,
    )


def force_of_document(document: Document) -> Force:
    """What decides whether a document is in force. A skill has no times and no status: it always is."""
    written = document.created_at
    validity = Validity(written, document.valid_from or written, document.valid_to)
    end = None if document.ended_at is None else Ending(document.ended_as, document.ended_at)
    successors = [(id.removeprefix("mem:"), start) for id, start in document.successors]
    return Force(document.status, validity, end, tuple(successors))


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else clock.to_text(moment)


def _gone_at(memory: Memory) -> datetime | None:
    """When it was retired or archived; at its last change when the record does not say."""
    document = memory.document
    for name in ("retired_at", "archived_at"):
        if isinstance(value := document.get(name), str):
            return clock.from_text(value)
    return None if memory.status is Status.ACTIVE else memory.updated_at
