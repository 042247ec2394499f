"""Bring things in: decide for each what is to be done, show it, then do it.

`plan` reads and decides; a dry run ends there. `apply` writes under one lock. A second import of the
same source finds everything "already imported": a memory made from text names its origin, the digest of
that text, and a fingerprint of what was written, so that a change there and a change here are told
apart. Every document passes the redaction gate before anything is decided about it.
"""

from collections.abc import Iterable
from dataclasses import replace

from recollect.errors import ConflictError
from recollect.ids import MemoryId
from recollect.importing.existing import Known
from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.linking import Linker
from recollect.importing.matching import Decider
from recollect.importing.report import ImportAction, ImportPlan, ImportReport, ImportRow
from recollect.records.memories import Memories
from recollect.records.store import Progress


def plan(
    found: Iterable[Incoming | Skipped], memories: Memories, progress: Progress | None = None
) -> ImportPlan:
    """Decide what to do with everything found. Writes nothing; `progress` counts the memories read."""
    things = list(found)
    known = Known.of(memories.scan(progress).stored, memories.store.taken())
    known.expect(thing.origin for thing in things)
    rows = Decider(memories, known).rows(things)
    linker = Linker(rows, known, memories.gate)
    for thing in things:
        for edge in thing.supersessions if isinstance(thing, Incoming) else ():
            linker.supersede(edge, thing.origin)
    return ImportPlan(tuple(rows))


def apply(plan: ImportPlan, memories: Memories, progress: Progress | None = None) -> ImportReport:
    """Carry a plan out under one lock. What changed since the plan was made is skipped, with a reason.

    If the disk fails midway the error is raised and what was written stays; the next import goes on
    from there.
    """
    if not plan.of(ImportAction.CREATE) and not plan.of(ImportAction.UPDATE):
        return ImportReport(plan.rows)
    rows: list[ImportRow] = []
    superseded: list[MemoryId] = []
    with memories.store.writing():
        for done, row in enumerate(plan.rows, start=1):
            carried_out, ended = _carried_out(row, memories)
            rows.append(carried_out)
            superseded += ended
            if progress:
                progress(done, len(plan.rows))
        if any(row.memory and row.memory.links for row in rows):
            superseded += memories.close_superseded()
    return ImportReport(tuple(rows), tuple(superseded))


def _carried_out(row: ImportRow, memories: Memories) -> tuple[ImportRow, tuple[MemoryId, ...]]:
    """The row as it turned out, and whose validity its writing ended."""
    try:
        if row.memory is not None:
            memories.store.create(row.memory)
        elif row.old is not None:
            summary = f"Imported again from {row.origin}"
            return row, memories.replace(row.old, lambda _: row.fields, summary).superseded
    except ConflictError:
        reason = "changed here since the plan was made; run the import again"
        return replace(row, action=ImportAction.SKIP, reason=reason, memory=None), ()
    return row, ()
