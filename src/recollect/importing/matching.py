"""Compare incoming memories with existing ones: new, changed, or already imported. Writes nothing."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from recollect.errors import InvalidMemoryError
from recollect.ids import free_slug
from recollect.importing.existing import WRITTEN, ExistingMemories, fingerprint
from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.report import (
    ALREADY_HERE,
    ALREADY_IMPORTED,
    EDITED_HERE,
    ImportAction,
    ImportRow,
)
from recollect.records.draft import Draft
from recollect.records.json_format import MAX_BYTES, Json, render, same
from recollect.records.memories import Memories
from recollect.records.record import Memory, Status
from recollect.records.redaction_port import secret_in_slug
from recollect.records.store import Stored


@dataclass(slots=True)
class Matcher:
    """Decides row by row; a memory that it admits counts as existing for the rows after it."""

    memories: Memories
    existing: ExistingMemories

    def rows(self, parts: Iterable[Incoming | Skipped]) -> list[ImportRow]:
        """A row for each part of a source, in order."""
        return [self._row(part) for part in parts]

    def _row(self, part: Incoming | Skipped) -> ImportRow:
        if isinstance(part, Skipped):
            return ImportRow(part.origin, ImportAction.SKIP, reason=part.reason, text=part.text)
        match part.memory:
            case Memory():
                return self._record(part, part.memory)
            case Draft():
                return self._draft(part, part.memory)
            case _:
                assert_never(part.memory)

    def _record(self, incoming: Incoming, memory: Memory) -> ImportRow:
        """A memory that keeps its id, times and history."""
        document, findings = self.memories.gated(memory.document)
        notes = self._redacted(incoming.notes)
        if kind := secret_in_slug(memory.id, self.memories.gate):
            reason = f"its id contains a secret ({kind}); change the id"
            return _skip(incoming, str(document["title"]), reason)
        try:
            memory = Memory.parse(document, incoming.origin)
        except InvalidMemoryError as error:
            return _skip(incoming, str(document.get("title", "")), _problems(error))
        row = ImportRow(
            incoming.origin, ImportAction.CREATE, memory.id, memory.title, "new", notes, tuple(findings)
        )
        if memory.id in self.existing.added:
            other = self.existing.added[memory.id]
            return replace(
                row, action=ImportAction.SKIP, reason=f"{other} in this import has the same id"
            )
        if here := self.existing.stored.get(memory.id):
            return replace(row, action=ImportAction.SKIP, reason=_taken_reason(memory, here))
        if memory.id in self.existing.taken:
            reason = "a file here that cannot be read has its id; see `recollect doctor`"
            return replace(row, action=ImportAction.SKIP, reason=reason)
        return self._new(row, memory, same_folder=True)

    def _draft(self, incoming: Incoming, draft: Draft) -> ImportRow:
        """A memory made from text."""
        document, findings = self.memories.gated(draft.document)
        findings = [*incoming.redacted, *findings]
        notes = self._redacted(incoming.notes)
        here = self.existing.by_origin.get(incoming.origin)
        wanted = (
            here.memory.id
            if here
            else free_slug(Draft(document).proposed_id(), self.existing.taken.__contains__)
        )
        try:
            memory = _stamped(Draft(document).as_memory(wanted, self.memories.clock()))
        except InvalidMemoryError as error:
            return _skip(incoming, str(document.get("title", "")), _problems(error))
        row = ImportRow(
            incoming.origin, ImportAction.CREATE, memory.id, memory.title, "new", notes, tuple(findings)
        )
        return (
            self._reimported(row, memory, here) if here else self._new(row, memory, same_folder=False)
        )

    def _new(self, row: ImportRow, memory: Memory, *, same_folder: bool) -> ImportRow:
        """Create it, unless it repeats a memory. Records of one folder never repeat one another."""
        if reason := _too_large(memory):
            return replace(row, action=ImportAction.SKIP, id=None, reason=reason)
        likeness = self.existing.find_duplicate(memory)
        if likeness and not (same_folder and likeness.id in self.existing.added):
            other = self.existing.added.get(likeness.id)
            where = f", from {other} of this import" if other else ""
            how = "the same text as" if likeness.exact else "nearly the same text as"
            reason = f"{how} {likeness.id} ({likeness.similarity:.0%} similar){where}"
            return replace(row, action=ImportAction.SKIP, id=likeness.id, reason=reason)
        self.existing.add(memory, row.origin)
        return replace(row, memory=memory)

    def _reimported(self, row: ImportRow, memory: Memory, here: Stored) -> ImportRow:
        """A memory that was imported before: unchanged, changed in the source, edited here, or both."""
        old, skip = here.memory, replace(row, action=ImportAction.SKIP, reason=ALREADY_IMPORTED)
        now = fingerprint(old)
        if old.source.get("digest") == memory.source.get("digest") or now == fingerprint(memory):
            return skip
        if old.status is not Status.ACTIVE:
            restore = f"run `recollect restore {old.id}` first"
            return replace(
                skip, reason=f"changed in the source, but {old.status.value} here; {restore}"
            )
        if now != old.source.get("written"):
            return replace(skip, reason=EDITED_HERE)
        if reason := _cannot_replace(old, memory):
            return replace(skip, reason=reason)
        fields = _changed_fields(old, memory)
        return replace(
            row, action=ImportAction.UPDATE, reason="changed in the source", old=here, fields=fields
        )

    def _redacted(self, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Notes quote their source, so they pass the redaction gate too."""
        return tuple(str(self.memories.gate(note)[0]) for note in notes)


def _skip(incoming: Incoming, title: str, reason: str) -> ImportRow:
    return ImportRow(incoming.origin, ImportAction.SKIP, title=title, reason=reason)


def _problems(error: InvalidMemoryError) -> str:
    return "; ".join(str(problem) for problem in error.problems)


def _taken_reason(memory: Memory, here: Stored) -> str:
    if memory == here.memory:
        return ALREADY_HERE
    if memory.created_at == here.memory.created_at and memory.category is here.memory.category:
        newer = "a newer" if here.memory.updated_at > memory.updated_at else "another"
        return f"already here in {newer} version, which is not changed: {here.path}"
    return f"its id is taken by another memory: {here.path}"


def _too_large(memory: Memory) -> str | None:
    if len(render(memory.document)) <= MAX_BYTES:
        return None
    return f"larger than {MAX_BYTES:,} bytes, the maximum of a memory"


def _cannot_replace(old: Memory, new: Memory) -> str | None:
    """Why `new` cannot be written over `old`; None when it can."""
    if old.category is new.category:
        return _too_large(new)
    return (
        f"now a {new.category.value} in the source, but a {old.category.value} here; "
        f"delete the file of {old.id} and import again"
    )


def _stamped(memory: Memory) -> Memory:
    """`memory` with a fingerprint of what the import writes, stored in its `source`."""
    return memory.with_fields({"source": {**memory.source, "written": fingerprint(memory)}})


def _changed_fields(old: Memory, new: Memory) -> dict[str, Json]:
    """The fields that an update sets. Fields that a person added, such as links, stay."""
    names = (*WRITTEN, "valid_from")
    document, before = new.document, old.document
    fields: dict[str, Json] = {
        name: document.get(name) for name in names if not same(document.get(name), before.get(name))
    }
    if (
        new.valid_to is not None and new.valid_to != old.valid_to
    ):  # without one, a supersession's end stays
        fields["valid_to"] = document["valid_to"]
    return {**fields, "source": {**old.source, **new.source}}
