"""The operations on a store of memories: save, edit, retire, restore, archive, pin, link, collect.

Every write has the same steps: validate, gate, lock, compare with the version that was read, write.
Nothing is merged silently: if a memory repeats another, the caller gets a `Repeats` and decides.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from recollect.clock import Clock
from recollect.errors import InvalidError, MemoryNotFoundError, RefusedError, UnreadableFileError
from recollect.ids import MemoryId, UnifiedId, as_memory, free_slug, memory_id
from recollect.records import duplicates, lifecycle, links
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject
from recollect.records.lifecycle import Expiry, Retention
from recollect.records.lookup import Lookup, ScanLookup
from recollect.records.near_ids import near_ids
from recollect.records.record import Link, LinkType, Memory
from recollect.records.redaction_port import RedactionGate, SecretFinding, secret_in_slug
from recollect.records.store import MemoryStore, Progress, Scan, Stored

Action = Literal["created", "updated", "unchanged"]
# Fields that a gate must not touch, because only certain values are valid; `secret_in_slug` checks ids.
_MACHINE_FIELDS = frozenset(
    {"schema_version", "category", "id", "created_at", "updated_at", "record_status"}
)


@dataclass(frozen=True, slots=True)
class Saved:
    """A write that happened or was not needed, and its side effects."""

    action: Action
    stored: Stored
    redacted: tuple[SecretFinding, ...] = ()
    superseded: tuple[MemoryId, ...] = ()
    retired: tuple[MemoryId, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeats:
    """Nothing was written: an existing memory says this already, or nearly."""

    existing: Stored
    similarity: float
    exact: bool


@dataclass(frozen=True, slots=True)
class Collection:
    """What a collection would do, or did: memories to retire, and retired ones to delete."""

    retire: tuple[Expiry, ...]
    delete: tuple[Expiry, ...]


@dataclass(slots=True)
class Memories:
    """The memories of one root."""

    store: MemoryStore
    gate: RedactionGate
    clock: Clock
    retention: Retention = field(default_factory=Retention)
    lookup: Lookup | None = None  # without one, writes that concern other memories read them all

    def get(self, id: str) -> Stored:
        """The memory of that id, bare or with its `mem:` prefix."""
        wanted = memory_id(id.removeprefix("mem:"))
        if not self.has(id):
            raise MemoryNotFoundError(wanted, near_ids(wanted, self.store.taken()))
        return self.store.load(wanted)

    def has(self, id: str) -> bool:
        """Whether there is a memory of that id, bare or with its `mem:` prefix; its file may be broken."""
        return self.store.has(memory_id(id.removeprefix("mem:")))

    @property
    def _lookup(self) -> Lookup:
        return self.lookup or ScanLookup(self.store)

    def prepare(self, progress: Progress | None = None) -> None:
        """Do what may take long before a write: `save` does it too, without showing progress."""
        self._lookup.prepare(progress)

    def scan(self, progress: Progress | None = None) -> Scan:
        """Read every memory."""
        return self.store.scan(progress)

    def save(self, draft: Draft, *, allow_repeat: bool = False) -> Saved | Repeats:
        """Save a new memory. A draft that repeats an existing memory is only written if that is allowed."""
        document, findings = self.gated(draft.document)
        draft = Draft(document)
        if draft.wanted_id and (kind := secret_in_slug(draft.wanted_id, self.gate)):
            raise RefusedError(f"the id contains a secret ({kind}); leave the id out.")
        self._lookup.prepare()
        with self.store.writing():
            proposed = draft.proposed_id()
            memory = draft.as_memory(proposed, self.clock())
            if not allow_repeat and (repeats := self._find_repeated(memory)):
                return repeats
            if draft.wanted_id and self.store.has(draft.wanted_id):
                raise RefusedError(
                    f"the id {draft.wanted_id!r} is in use; `recollect edit {draft.wanted_id}` "
                    "changes that memory, or leave the id out."
                )
            memory = draft.as_memory(free_slug(proposed, self.store.has), self.clock())
            known = self._superseded(memory)
            links.check_supersession(memory, (stored.memory for stored in known.values()))
            for link in memory.links:
                links.check_agreement(memory, link, self._target(link))
            stored = self.store.create(memory)
            superseded = self._close(memory, known)
            retired = self._roll(memory)
        return Saved("created", stored, tuple(findings), superseded, retired)

    def _find_repeated(self, memory: Memory) -> Repeats | None:
        """The memory that `memory` repeats, except those that it supersedes."""
        ids = set(self._lookup.similar(memory)).difference(links.superseded_ids(memory))
        known = {id: stored for id in sorted(ids) if (stored := self._readable(id))}
        sketches = (duplicates.sketch(stored.memory) for stored in known.values())
        likeness = duplicates.find_duplicate(duplicates.sketch(memory), sketches)
        if likeness is None:
            return None
        return Repeats(known[likeness.id], likeness.similarity, likeness.exact)

    def _readable(self, id: MemoryId) -> Stored | None:
        """The memory of that id; None if there is none or its file is broken."""
        try:
            return self.store.load(id)
        except (MemoryNotFoundError, InvalidError):
            return None

    def _target(self, link: Link) -> Memory | None:
        wanted = as_memory(link.target)
        stored = self._readable(wanted) if wanted else None
        return stored.memory if stored else None

    def edit(
        self,
        id: str,
        change: Callable[[Memory], Mapping[str, Json]],
        summary: str,
        *,
        expect: str | None = None,
    ) -> Saved:
        """Change fields of a memory. `expect` is the version (or its start) that the caller read."""
        return self.replace(self._expected(id, expect), change, summary)

    def replace(
        self, old: Stored, change: Callable[[Memory], Mapping[str, Json]], summary: str
    ) -> Saved:
        """Change fields of a memory that was read before; a conflict if it changed since."""
        fields, findings = self.gated(dict(change(old.memory)))
        with self.store.writing():
            if old.memory.with_fields(fields) == old.memory:
                return Saved("unchanged", old, tuple(findings))
            memory = lifecycle.changed(old.memory, fields, self.redacted(summary), self.clock())
            _refuse_moving(old.memory, memory)
            return self._write(old, memory, findings)

    def retire(self, id: str, reason: str) -> Saved:
        """Take a memory out of use."""
        return self._update(id, lambda old: lifecycle.retire(old, self.redacted(reason), self.clock()))

    def archive(self, id: str, reason: str) -> Saved:
        """Archive a memory for good."""
        return self._update(id, lambda old: lifecycle.archive(old, self.redacted(reason), self.clock()))

    def restore(self, id: str) -> Saved:
        """Bring a memory back into use."""
        return self._update(id, lambda old: lifecycle.restore(old, self.clock()))

    def pin(self, id: str) -> Saved:
        """Pin a memory, or confirm that a pinned one is still true."""
        return self._update(id, lambda old: lifecycle.pin(old, self.clock()))

    def unpin(self, id: str) -> Saved:
        """Give a memory no longer at the start of sessions."""
        return self._update(id, lambda old: lifecycle.unpin(old, self.clock()))

    def link(self, id: str, link: Link, *, find: Callable[[str], Stored] | None = None) -> Saved:
        """Add an edge. A memory it points to must exist: here, or wherever `find` looks."""
        wanted = as_memory(link.target)
        target = None if wanted is None else (find or self.get)(wanted).memory
        evidence, findings = self.gate(link.evidence, "evidence")
        link = replace(link, evidence=cast("str | None", evidence))

        def with_link(old: Memory) -> Memory:
            links.check_agreement(old, link, target)
            return links.add_link(old, link, self.clock())

        return self._update(id, with_link, findings)

    def unlink(self, id: str, type: LinkType, target: UnifiedId) -> Saved:
        """Remove an edge. A memory that nothing else supersedes becomes valid again.

        The older one is written first: after a failure in between, recovery ends its validity again.
        """
        with self.store.writing():
            old = self.get(id)
            memory = links.remove_link(old.memory, type, target, self.clock())
            older = as_memory(target) if type is LinkType.SUPERSEDES else None
            if older == memory.id:
                memory = self._reopened(memory, memory)
            elif older and self.store.has(older):
                stored = self.store.load(older)
                self._store(stored, self._reopened(stored.memory, memory))
            return self._write(old, memory, ())

    def _reopened(self, older: Memory, newer: Memory) -> Memory:
        """`older` as it is when `newer` no longer supersedes it."""
        named = (self._readable(id) for id in self._lookup.superseding(older.id))
        others = [stored.memory for stored in named if stored and stored.memory.id != newer.id]
        return links.reopen_validity(older, newer, [newer, *others], self.clock())

    def collect(self, *, apply: bool) -> Collection:
        """Retire memories past their retention and delete those past their grace period, or plan it."""
        with self.store.writing():
            known = _by_id(self.store.scan())
            memories = [stored.memory for stored in known.values()]
            now = self.clock()
            plan = Collection(
                tuple(lifecycle.to_retire(memories, self.retention, now)),
                tuple(lifecycle.to_collect(memories, self.retention, now)),
            )
            if apply:
                for expiry in plan.retire:
                    old = known[expiry.memory.id]
                    self.store.replace(old, lifecycle.retire(old.memory, expiry.reason, now))
                for expiry in plan.delete:
                    self.store.delete(known[expiry.memory.id])
        return plan

    def close_superseded(self) -> tuple[MemoryId, ...]:
        """End the validity of every superseded memory that is still open.

        Raises UnreadableFileError, before anything is written, if the disk does not give us one of them.
        """
        with self.store.writing():
            known = _by_id(self.store.scan())
            for id in {id for stored in known.values() for id in links.superseded_ids(stored.memory)}:
                if id not in known and (missed := self._second_reading(id)):
                    known[id] = missed
            closed = [self._close(stored.memory, known) for stored in tuple(known.values())]
        return tuple(id for ids in closed for id in ids)

    def _second_reading(self, id: MemoryId) -> Stored | None:
        """A memory that a scan could not read. Raises UnreadableFileError if the disk fails again."""
        try:
            return self.store.load(id)
        except UnreadableFileError:
            raise
        except (MemoryNotFoundError, InvalidError):
            return None

    def _expected(self, id: str, expect: str | None) -> Stored:
        stored = self.get(id)
        if expect is None or stored.digest.startswith(expect):
            return stored
        return replace(stored, digest=expect)  # the write raises a conflict that names both versions

    def _update(
        self, id: str, change: Callable[[Memory], Memory], findings: Iterable[SecretFinding] = ()
    ) -> Saved:
        with self.store.writing():
            old = self.get(id)
            return self._write(old, change(old.memory), findings)

    def _write(self, old: Stored, memory: Memory, findings: Iterable[SecretFinding]) -> Saved:
        if memory == old.memory:
            return Saved("unchanged", old, tuple(findings))
        known = self._superseded(memory)
        links.check_supersession(memory, (stored.memory for stored in known.values()))
        stored = self.store.replace(old, memory)
        superseded = self._close(memory, known)
        return Saved("updated", stored, tuple(findings), superseded, self._roll(memory))

    def _superseded(self, newer: Memory) -> dict[MemoryId, Stored]:
        """What `newer` supersedes, directly and through others.

        Raises InvalidError if one that it supersedes directly cannot be read. Otherwise `newer` would be
        saved, and the older one stay valid.
        """
        direct = links.superseded_ids(newer)
        known = {id: self.store.load(id) for id in direct if self.store.has(id)}
        trail = list(known.values())
        while trail:
            for id in links.superseded_ids(trail.pop().memory):
                if id not in known and (stored := self._readable(id)):
                    known[id] = stored
                    trail.append(stored)
        return known

    def _store(self, old: Stored, memory: Memory) -> None:
        if memory != old.memory:
            self.store.replace(old, memory)

    def _close(self, newer: Memory, known: dict[MemoryId, Stored]) -> tuple[MemoryId, ...]:
        """End the validity of the memories that `newer` supersedes; drop their old versions from `known`."""
        ended = []
        for id in links.superseded_ids(newer):
            older = known.get(id)
            if (
                older
                and (end := links.end_validity(older.memory, newer, self.clock())) is not older.memory
            ):
                self.store.replace(known.pop(id), end)
                ended.append(id)
        return tuple(ended)

    def _roll(self, memory: Memory) -> tuple[MemoryId, ...]:
        """Retire the oldest memories of a category beyond its maximum number, if it has one."""
        if not self.retention.at_most.get(memory.category):
            return ()
        window = Retention(days={}, at_most=self.retention.at_most)
        ids = {memory.id, *self._lookup.active(memory.category)}
        known = {id: stored for id in sorted(ids) if (stored := self._readable(id))}
        memories = [stored.memory for stored in known.values()]
        rolled = lifecycle.to_retire(memories, window, self.clock())
        for expiry in rolled:
            old = known[expiry.memory.id]
            self.store.replace(old, lifecycle.retire(old.memory, expiry.reason, self.clock()))
        return tuple(expiry.memory.id for expiry in rolled)

    def gated(self, document: JsonObject) -> tuple[JsonObject, list[SecretFinding]]:
        """A document without its secrets, and what the redaction gate removed."""
        gated: JsonObject = {}
        findings: list[SecretFinding] = []
        for name, value in document.items():
            if name in _MACHINE_FIELDS:
                gated[name] = value
            else:
                gated[name], removed = self.gate(value, name)
                findings += removed
        return gated, findings

    def cleaned(self, stored: Stored) -> Memory:
        """A memory without its secrets: a file that people edit may contain some."""
        return Memory.parse(self.gated(stored.memory.document)[0], stored.path)

    def redacted(self, text: str) -> str:
        """A text without its secrets."""
        return cast("str", self.gate(text)[0])


def _by_id(scanned: Scan) -> dict[MemoryId, Stored]:
    return {stored.memory.id: stored for stored in scanned.stored}


def _refuse_moving(old: Memory, new: Memory) -> None:
    if (new.id, new.category) != (old.id, old.category):
        raise RefusedError(
            f"memory {old.id!r} cannot change its id or category; save a new memory that supersedes it."
        )
