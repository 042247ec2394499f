"""One import: decide what to do with each part of the source, show it, then write.

`plan` reads and decides; a dry run ends there. `apply` writes under one lock. A second import of the
same source reports everything as "already imported": a memory made from text stores its origin, the digest
of that text and a fingerprint of what was written, so that a change in the source and an edit of the memory
can be distinguished. Every document passes the redaction gate before it is compared.
"""

from collections.abc import Iterable
from dataclasses import replace

from recollect.errors import ConflictError
from recollect.importing.existing import ExistingMemories
from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.linking import Linker
from recollect.importing.matching import Matcher
from recollect.importing.report import ImportAction, ImportReport, ImportRow
from recollect.records.memories import Memories
from recollect.records.store import Progress


def plan(
    source: Iterable[Incoming | Skipped], memories: Memories, progress: Progress | None = None
) -> ImportReport:
    """Decide what to do with each part of a source. Writes nothing; `progress` counts memories read."""
    parts = list(source)
    existing = ExistingMemories.of(memories.scan(progress).stored, memories.store.taken())
    existing.expect(part.origin for part in parts)
    rows = Matcher(memories, existing).rows(parts)
    linker = Linker(rows, existing, memories.gate)
    stated = [
        (edge, part.origin) for part in parts if isinstance(part, Incoming) for edge in part.successions
    ]
    for edge, origin in sorted(stated, key=lambda pair: pair[0].is_amendment):
        linker.add(edge, origin)
    return ImportReport(tuple(rows))


def apply(plan: ImportReport, memories: Memories, progress: Progress | None = None) -> ImportReport:
    """Execute a plan under one lock. Memories that changed since the plan was made are skipped.

    If the disk fails midway, or the user interrupts it, the error is raised and what was written stays; the
    next import continues from there.
    """
    if not plan.of(ImportAction.CREATE) and not plan.of(ImportAction.UPDATE):
        return plan
    rows: list[ImportRow] = []
    with memories.store.writing():
        try:
            for done, row in enumerate(plan.rows, start=1):
                rows.append(_write(row, memories))
                if progress:
                    progress(done, len(plan.rows))
        except KeyboardInterrupt:
            memories.close_superseded()
            raise
        if any(row.memory and row.memory.links for row in rows):
            memories.close_superseded()
    return ImportReport(tuple(rows))


def _write(row: ImportRow, memories: Memories) -> ImportRow:
    """Write one row; returns its outcome."""
    try:
        if row.memory is not None:
            memories.store.create(row.memory)
        elif row.old is not None:
            summary = f"Imported again from {row.origin}"
            memories.replace(row.old, lambda _: row.fields, summary)
    except ConflictError:
        reason = "changed here since the plan was made; run the import again"
        return replace(row, action=ImportAction.SKIP, reason=reason, memory=None)
    return row
