"""Supersession links between the rows of a plan. Older and newer may both be here already."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from recollect.errors import RefusedError
from recollect.ids import MemoryId, unified
from recollect.importing.existing import Known, superseded_origins
from recollect.importing.incoming import Supersession
from recollect.importing.report import ALREADY_IMPORTED, ImportAction, ImportRow
from recollect.records import links
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import Memory
from recollect.records.redaction_port import RedactionGate


@dataclass(slots=True)
class Linker:
    """Puts links on `rows`, in place, or a note where that cannot be."""

    rows: list[ImportRow]
    known: Known
    gate: RedactionGate

    def supersede(self, edge: Supersession, origin: str) -> None:
        """Put a supersession on the row of the newer one; a note says why when that cannot be."""
        evidence = str(self.gate(edge.evidence, "links")[0])
        newer, older = self._place(edge.newer), self._home(edge.older)
        if newer is None or older is None:
            missing = edge.newer if newer is None else edge.older
            self._note(origin, f"{missing} is not brought in, so no supersession is linked: {evidence}")
            return
        row = self.rows[newer]
        here = self.known.stored.get(row.id) if row.id else None
        memory = row.memory or (here.memory if here else None)
        if row.id == older or (memory and _links_already(memory, older, edge.older)):
            return
        link: JsonObject = {"type": "supersedes", "target": unified(older), "evidence": evidence}
        try:
            self.rows[newer] = self._linked(row, link, edge.older)
        except RefusedError:
            self._note(origin, f"both supersede each other, so this is not linked: {evidence}")

    def _linked(self, row: ImportRow, link: JsonObject, older: str) -> ImportRow:
        """`row` with one more link. Raises RefusedError where it would close a circle."""
        if row.memory is not None:
            fields = _with_link(row.memory, {}, link, older)
            memory = row.memory.with_fields(fields)
            self._check(memory)
            return replace(row, memory=memory)
        here = row.old or (self.known.stored.get(row.id) if row.id else None)
        if here is None or (row.action is ImportAction.SKIP and row.reason != ALREADY_IMPORTED):
            note = f"{row.id} is left as it is, so link it by hand: supersedes {link['target']}"
            return replace(row, notes=(*row.notes, note))
        fields = _with_link(here.memory, row.fields, link, older)
        self._check(here.memory.with_fields(fields))
        reason = row.reason if row.action is ImportAction.UPDATE else "now supersedes another"
        return replace(row, action=ImportAction.UPDATE, reason=reason, old=here, fields=fields)

    def _check(self, newer: Memory) -> None:
        planned = [row.memory for row in self.rows if row.memory and row.memory.links]
        updated = [
            row.old.memory.with_fields(row.fields)
            for row in self.rows
            if row.old and "links" in row.fields
        ]
        here = [stored.memory for stored in self.known.stored.values() if stored.memory.links]
        links.check_supersession(newer, [*here, *updated, *planned])

    def _place(self, origin: str) -> int | None:
        rows = enumerate(self.rows)
        return next((place for place, row in rows if row.origin == origin and row.id), None)

    def _home(self, origin: str) -> MemoryId | None:
        place = self._place(origin)
        if place is not None:
            return self.rows[place].id
        here = self.known.by_origin.get(origin)
        return here.memory.id if here else None

    def _note(self, origin: str, note: str) -> None:
        place = next(place for place, row in enumerate(self.rows) if row.origin == origin)
        self.rows[place] = replace(self.rows[place], notes=(*self.rows[place].notes, note))


def _links_already(memory: Memory, older: MemoryId, origin: str) -> bool:
    """Whether the link is there, or was once put there by an import and taken away by a person."""
    return older in links.superseded_by(memory) or origin in superseded_origins(memory)


def _with_link(
    memory: Memory, fields: Mapping[str, Json], link: JsonObject, older: str
) -> dict[str, Json]:
    rows = fields.get("links")
    listed: list[Json] = list(rows) if isinstance(rows, list) else list[Json](memory.rows("links"))
    planned = fields.get("source")
    source: JsonObject = dict(planned) if isinstance(planned, dict) else memory.source
    before = source.get("supersedes")
    origins: list[Json] = [*before, older] if isinstance(before, list) else [older]
    return {**fields, "links": [*listed, link], "source": {**source, "supersedes": origins}}
