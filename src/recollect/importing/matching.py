"""What becomes of one thing found: new, changed, or here already. Decides; writes nothing."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from recollect.errors import InvalidMemoryError
from recollect.ids import free_slug
from recollect.importing.existing import WRITTEN, Known, fingerprint
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
from recollect.records.store import Stored


@dataclass(slots=True)
class Decider:
    """Decides row by row; what it lets in counts as known for the rows after it."""

    memories: Memories
    known: Known

    def rows(self, things: Iterable[Incoming | Skipped]) -> list[ImportRow]:
        """A row for each thing, in order."""
        return [self._row(thing) for thing in things]

    def _row(self, thing: Incoming | Skipped) -> ImportRow:
        if isinstance(thing, Skipped):
            return ImportRow(thing.origin, ImportAction.SKIP, reason=thing.reason)
        match thing.what:
            case Memory():
                return self._record(thing, thing.what)
            case Draft():
                return self._draft(thing, thing.what)
            case _:
                assert_never(thing.what)

    def _record(self, thing: Incoming, memory: Memory) -> ImportRow:
        """A memory that keeps its id, times and history."""
        document, findings = self.memories.gated(memory.document)
        notes = self._clean(thing.notes)
        try:
            memory = Memory.parse(document, thing.origin)
        except InvalidMemoryError as error:
            return _skip(thing, str(document.get("title", "")), _problems(error))
        row = ImportRow(
            thing.origin, ImportAction.CREATE, memory.id, memory.title, "new", notes, tuple(findings)
        )
        if memory.id in self.known.added:
            other = self.known.added[memory.id]
            return replace(
                row, action=ImportAction.SKIP, reason=f"its id is that of {other} in this import"
            )
        if here := self.known.stored.get(memory.id):
            return replace(row, action=ImportAction.SKIP, reason=_taken_reason(memory, here))
        if memory.id in self.known.taken:
            reason = "its id is that of a file here that cannot be read; see `recollect doctor`"
            return replace(row, action=ImportAction.SKIP, reason=reason)
        return self._new(row, memory, mates=True)

    def _draft(self, thing: Incoming, draft: Draft) -> ImportRow:
        """A memory made from text."""
        document, findings = self.memories.gated(draft.document)
        notes = self._clean(thing.notes)
        here = self.known.by_origin.get(thing.origin)
        wanted = here.memory.id if here else free_slug(Draft(document).proposed_id(), self.known.taken)
        try:
            memory = _stamped(Draft(document).as_memory(wanted, self.memories.clock()))
        except InvalidMemoryError as error:
            return _skip(thing, str(document.get("title", "")), _problems(error))
        row = ImportRow(
            thing.origin, ImportAction.CREATE, memory.id, memory.title, "new", notes, tuple(findings)
        )
        return self._again(row, memory, here) if here else self._new(row, memory, mates=False)

    def _new(self, row: ImportRow, memory: Memory, *, mates: bool) -> ImportRow:
        """Create it, unless it repeats something. Records of one folder never repeat one another."""
        if reason := _too_large(memory):
            return replace(row, action=ImportAction.SKIP, id=None, reason=reason)
        likeness = self.known.likest(memory)
        if likeness and not (mates and likeness.id in self.known.added):
            other = self.known.added.get(likeness.id)
            where = f", from {other} of this import" if other else ""
            how = "says the same as" if likeness.exact else "says nearly the same as"
            reason = f"{how} {likeness.id} ({likeness.similarity:.0%} alike){where}"
            return replace(row, action=ImportAction.SKIP, id=likeness.id, reason=reason)
        self.known.add(memory, row.origin)
        return replace(row, memory=memory)

    def _again(self, row: ImportRow, memory: Memory, here: Stored) -> ImportRow:
        """Something that was imported before: unchanged, changed there, changed here, or both."""
        old, skip = here.memory, replace(row, action=ImportAction.SKIP, reason=ALREADY_IMPORTED)
        now = fingerprint(old)
        if old.source.get("digest") == memory.source.get("digest") or now == fingerprint(memory):
            return skip
        if old.status is not Status.ACTIVE:
            reason = f"changed there, but {old.status.value} here; `recollect restore {old.id}` first"
            return replace(skip, reason=reason)
        if now != old.source.get("written"):
            return replace(skip, reason=EDITED_HERE)
        if obstacle := _cannot_replace(old, memory):
            return replace(skip, reason=obstacle)
        fields = _changed_fields(old, memory)
        return replace(row, action=ImportAction.UPDATE, reason="changed there", old=here, fields=fields)

    def _clean(self, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Notes quote their source, so they pass the gate as well."""
        return tuple(str(self.memories.gate(note)[0]) for note in notes)


def _skip(thing: Incoming, title: str, reason: str) -> ImportRow:
    return ImportRow(thing.origin, ImportAction.SKIP, title=title, reason=reason)


def _problems(error: InvalidMemoryError) -> str:
    return "; ".join(str(problem) for problem in error.problems)


def _taken_reason(memory: Memory, here: Stored) -> str:
    if memory == here.memory:
        return ALREADY_HERE
    if memory.created_at == here.memory.created_at and memory.category is here.memory.category:
        newer = "a newer" if here.memory.updated_at > memory.updated_at else "another"
        return f"here already in {newer} version, which stays as it is: {here.path}"
    return f"its id is taken by another memory: {here.path}"


def _too_large(memory: Memory) -> str | None:
    if len(render(memory.document)) <= MAX_BYTES:
        return None
    return f"larger than the {MAX_BYTES:,} bytes a memory may have"


def _cannot_replace(old: Memory, new: Memory) -> str | None:
    """Why `new` cannot be written over `old`; None when it can."""
    if old.category is new.category:
        return _too_large(new)
    return (
        f"a {new.category.value} there now, a {old.category.value} here; "
        f"delete the file of {old.id} and import again"
    )


def _stamped(memory: Memory) -> Memory:
    """`memory` with the fingerprint of what the import writes in its source."""
    return memory.with_fields({"source": {**memory.source, "written": fingerprint(memory)}})


def _changed_fields(old: Memory, new: Memory) -> dict[str, Json]:
    """The fields that an update sets. What a person added beside the text, such as links, stays."""
    names = (*WRITTEN, "valid_from")
    document, before = new.document, old.document
    fields: dict[str, Json] = {
        name: document.get(name) for name in names if not same(document.get(name), before.get(name))
    }
    return {**fields, "source": {**old.source, **new.source}}
