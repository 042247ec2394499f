"""Links between the rows of a plan. Both memories may exist already.

A supersession becomes a `supersedes` link. An amendment becomes `derived_from`, the type whose meaning is
closest: the newer record builds on the older one, which stays in force; the evidence quotes the words.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from recollect.errors import RefusedError
from recollect.ids import MemoryId, unified
from recollect.importing.existing import ExistingMemories, linked_origins
from recollect.importing.incoming import Succession
from recollect.importing.report import ALREADY_IMPORTED, ImportAction, ImportRow
from recollect.records import links
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import LinkType, Memory
from recollect.records.redaction_port import RedactionGate

_RECORDED = {LinkType.SUPERSEDES: "supersedes", LinkType.DERIVED_FROM: "amends"}  # keys of `source`


@dataclass(slots=True)
class Linker:
    """Adds links to `rows`, in place, or a note where a link is not possible."""

    rows: list[ImportRow]
    existing: ExistingMemories
    gate: RedactionGate

    def add(self, edge: Succession, origin: str) -> None:
        """Add a link to the row of the newer memory, unless the two are linked; or a note that says why not.

        Supersessions must come before amendments, because what supersedes a memory does not amend it too.
        """
        type = LinkType.DERIVED_FROM if edge.is_amendment else LinkType.SUPERSEDES
        evidence = str(self.gate(edge.evidence, "links")[0])
        newer, older = self._position(edge.newer), self._id_of(edge.older)
        if newer is None or older is None:
            missing = edge.newer if newer is None else edge.older
            self._note(origin, f"not linked, because {missing} is not imported: {evidence}")
            return
        row = self.rows[newer]
        here = self.existing.stored.get(row.id) if row.id else None
        memory = row.memory or (here.memory if here else None)
        if row.id == older or (memory and _links_already(memory, type, older, edge.older)):
            return
        link: JsonObject = {"type": type.value, "target": unified(older), "evidence": evidence}
        try:
            self.rows[newer] = self._linked(row, link, edge.older)
        except RefusedError:
            self._note(origin, f"not linked, because each would supersede the other: {evidence}")

    def _linked(self, row: ImportRow, link: JsonObject, older: str) -> ImportRow:
        """`row` with one more link. Raises RefusedError if the link would close a cycle."""
        if row.memory is not None:
            fields = _with_link(row.memory, {}, link, older)
            memory = row.memory.with_fields(fields)
            self._check(memory)
            return replace(row, memory=memory)
        here = row.old or (self.existing.stored.get(row.id) if row.id else None)
        if here is None or (row.action is ImportAction.SKIP and row.reason != ALREADY_IMPORTED):
            note = f"{row.id} is not changed; to link it: {link['type']} {link['target']}"
            return replace(row, notes=(*row.notes, note))
        fields = _with_link(here.memory, row.fields, link, older)
        self._check(here.memory.with_fields(fields))
        does = "supersedes" if link["type"] == LinkType.SUPERSEDES else "amends"
        reason = row.reason if row.action is ImportAction.UPDATE else f"{does} another memory now"
        return replace(row, action=ImportAction.UPDATE, reason=reason, old=here, fields=fields)

    def _check(self, newer: Memory) -> None:
        planned = [row.memory for row in self.rows if row.memory and row.memory.links]
        updated = [
            row.old.memory.with_fields(row.fields)
            for row in self.rows
            if row.old and "links" in row.fields
        ]
        here = [stored.memory for stored in self.existing.stored.values() if stored.memory.links]
        links.check_supersession(newer, [*here, *updated, *planned])

    def _position(self, origin: str) -> int | None:
        rows = enumerate(self.rows)
        return next((position for position, row in rows if row.origin == origin and row.id), None)

    def _id_of(self, origin: str) -> MemoryId | None:
        position = self._position(origin)
        if position is not None:
            return self.rows[position].id
        here = self.existing.by_origin.get(origin)
        return here.memory.id if here else None

    def _note(self, origin: str, note: str) -> None:
        position = next(place for place, row in enumerate(self.rows) if row.origin == origin)
        row = self.rows[position]
        self.rows[position] = replace(row, notes=(*row.notes, note))


def _links_already(memory: Memory, type: LinkType, older: MemoryId, origin: str) -> bool:
    """Whether the link exists, or an earlier import added it and a person removed it.

    What supersedes another memory does not amend it too.
    """
    types = {type, LinkType.SUPERSEDES}
    linked = any(link.type in types and link.target == unified(older) for link in memory.links)
    return linked or origin in linked_origins(memory, _RECORDED[type])


def _with_link(
    memory: Memory, fields: Mapping[str, Json], link: JsonObject, older: str
) -> dict[str, Json]:
    rows = fields.get("links")
    listed: list[Json] = list(rows) if isinstance(rows, list) else list[Json](memory.rows("links"))
    planned = fields.get("source")
    source: JsonObject = dict(planned) if isinstance(planned, dict) else memory.source
    key = _RECORDED[LinkType(str(link["type"]))]
    before = source.get(key)
    origins: list[Json] = [*before, older] if isinstance(before, list) else [older]
    return {**fields, "links": [*listed, link], "source": {**source, key: origins}}
