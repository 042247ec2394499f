"""The checks on the memories themselves: what is broken, misleading or out of date."""

from collections import Counter
from collections.abc import Iterator

from recollect.health.finding import HealthFinding, Level, Mend
from recollect.health.subject import Subject
from recollect.ids import as_memory
from recollect.records import lifecycle, links
from recollect.records.anchors import AnchorState
from recollect.records.json_format import render
from recollect.records.record import Status

# Identifiers and digests look like keys and are none.
_NEVER_SECRET = frozenset({"id", "anchors"})


def unreadable(patient: Subject) -> Iterator[HealthFinding]:
    """Files that are no memories: served by nothing until they are mended."""
    for broken in patient.scan.broken:
        yield HealthFinding(
            "unreadable",
            Level.ERROR,
            broken.reason,
            "Mend it by hand, or bring back an older version with `git checkout`.",
            broken.path,
            broken.line,
        )


def duplicate_ids(patient: Subject) -> Iterator[HealthFinding]:
    """Two files of one id, in two folders: only the first is found by its id."""
    counts = Counter(path.stem for _, path in patient.store.root.files())
    for stem in sorted(name for name, count in counts.items() if count > 1):
        paths = [patient.store.root.show(p) for _, p in patient.store.root.files() if p.stem == stem]
        yield HealthFinding(
            "duplicate-id",
            Level.ERROR,
            f"the id {stem!r} is used by {' and '.join(paths)}",
            "Rename one of the files and the id in it.",
            paths[1],
        )


def dangling_links(patient: Subject) -> Iterator[HealthFinding]:
    """Links that lead to a memory that is not there."""
    known = patient.store.taken() | patient.elsewhere
    for stored in patient.scan.stored:
        for position, link in enumerate(stored.memory.links):
            target = as_memory(link.target)
            if target is not None and target not in known:
                yield HealthFinding(
                    "dangling-link",
                    Level.WARNING,
                    f"'{link.type} {link.target}' leads to no memory",
                    f"Remove it: recollect unlink {stored.memory.id} {link.type} {link.target}",
                    stored.path,
                    patient.line(stored.memory, f"links[{position}].target"),
                )


def drifted_anchors(patient: Subject) -> Iterator[HealthFinding]:
    """Active memories whose code has changed or gone: they may no longer be true."""
    for stored in patient.scan.stored:
        memory = stored.memory
        if memory.status is not Status.ACTIVE or memory.validity.ended(patient.now):
            continue
        for position, anchor in enumerate(memory.anchors):
            verdict = patient.worktree.verdict(anchor)
            if verdict is not AnchorState.FRESH:
                what = "is gone" if verdict is AnchorState.ORPHANED else "has changed since"
                yield HealthFinding(
                    "drifted-anchor",
                    Level.WARNING,
                    f"the anchored code {anchor.path!r} {what}",
                    f"If it still holds: recollect edit {memory.id} --reanchor; "
                    f"else: recollect retire {memory.id} --reason ...",
                    stored.path,
                    patient.line(memory, f"anchors[{position}].path"),
                )


def still_valid(patient: Subject) -> Iterator[HealthFinding]:
    """Memories that another supersedes and that still count as valid."""
    memories = patient.memories
    for stored in patient.scan.stored:
        for id in links.superseded_by(stored.memory):
            older = memories.get(id)
            if older and links.closed(older, stored.memory, patient.now) is not older:
                yield HealthFinding(
                    "superseded-still-valid",
                    Level.WARNING,
                    f"supersedes {id!r}, which still counts as valid",
                    "`recollect doctor --fix` ends its validity.",
                    stored.path,
                    mend=Mend.CLOSE_SUPERSEDED,
                )


def stale_index(patient: Subject) -> Iterator[HealthFinding]:
    """An `index.md` that does not say what is there."""
    if patient.store.inventory_now() != patient.store.inventory_of(patient.scan):
        yield HealthFinding(
            "stale-index",
            Level.WARNING,
            "does not list what is there",
            "`recollect index` writes it anew.",
            f"{patient.store.root.shown}/index.md",
            mend=Mend.REBUILD_INDEX,
        )


def stored_secrets(patient: Subject) -> Iterator[HealthFinding]:
    """What looks like a secret in a file that did not come through the gate."""
    for stored in patient.scan.stored:
        document = stored.memory.document
        if not patient.gate(render(document).decode())[1]:
            continue  # one look at the whole text is ten times faster than one at each field
        for name in (name for name in document if name not in _NEVER_SECRET):
            for found in patient.gate(document[name], name)[1]:
                yield HealthFinding(
                    "stored-secret",
                    Level.ERROR,
                    f"{found.field} holds what looks like a secret ({found.kind})",
                    f"Change the secret where it is used, then: recollect edit {stored.memory.id}",
                    stored.path,
                    patient.line(stored.memory, found.field),
                )


def overdue(patient: Subject) -> Iterator[HealthFinding]:
    """Memories past their retention or their grace, waiting for a collection."""
    memories = list(patient.memories.values())
    late = lifecycle.to_retire(memories, patient.retention, patient.now)
    dead = lifecycle.to_collect(memories, patient.retention, patient.now)
    if late or dead:
        yield HealthFinding(
            "overdue",
            Level.NOTE,
            f"{len(late)} to retire and {len(dead)} to delete by the retention rules",
            "`recollect gc` shows which and asks.",
        )
