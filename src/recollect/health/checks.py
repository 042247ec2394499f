"""The checks on the memories themselves: what is broken, misleading or out of date."""

from collections import Counter
from collections.abc import Iterator

from recollect.health.finding import Fix, HealthFinding, Level
from recollect.health.subject import Subject
from recollect.ids import as_memory
from recollect.records import lifecycle, links
from recollect.records.anchors import AnchorState
from recollect.records.categories import Category
from recollect.records.in_force import force_of
from recollect.records.json_format import render
from recollect.records.record import Status

# Identifiers and digests look like keys, but are not secret.
_NEVER_SECRET = frozenset({"id", "anchors"})


def unreadable(subject: Subject) -> Iterator[HealthFinding]:
    """Files that cannot be read as memories: nothing finds them until they are fixed."""
    for broken in subject.scan.broken:
        yield HealthFinding(
            "unreadable",
            Level.ERROR,
            broken.reason,
            "Fix it by hand, or restore an older version with `git checkout`.",
            broken.path,
            broken.line,
        )


def duplicate_ids(subject: Subject) -> Iterator[HealthFinding]:
    """Two files with one id, in two folders: only the first is found by its id."""
    counts = Counter(path.stem for _, path in subject.store.root.files())
    for stem in sorted(name for name, count in counts.items() if count > 1):
        paths = [subject.store.root.show(p) for _, p in subject.store.root.files() if p.stem == stem]
        yield HealthFinding(
            "duplicate-id",
            Level.ERROR,
            f"the id {stem!r} is used by {' and '.join(paths)}",
            "Rename one of the files and the id in it.",
            paths[1],
        )


def dangling_links(subject: Subject) -> Iterator[HealthFinding]:
    """Links to a memory that does not exist."""
    known = subject.store.taken() | subject.elsewhere
    for stored in subject.scan.stored:
        for position, link in enumerate(stored.memory.links):
            target = as_memory(link.target)
            if target is not None and target not in known:
                yield HealthFinding(
                    "dangling-link",
                    Level.WARNING,
                    f"'{link.type} {link.target}' points to a memory that does not exist",
                    f"Remove it: recollect unlink {stored.memory.id} {link.type} {link.target}",
                    stored.path,
                    subject.line(stored.memory, f"links[{position}].target"),
                )


def drifted_anchors(subject: Subject) -> Iterator[HealthFinding]:
    """Memories in force whose anchored code has changed or gone: they may no longer be true."""
    for stored in subject.scan.stored:
        memory = stored.memory
        if not memory.anchors or not force_of(memory).is_in_force(subject.now):
            continue
        for position, anchor in enumerate(memory.anchors):
            verdict = subject.worktree.verdict(anchor)
            if verdict is not AnchorState.FRESH:
                what = "is gone" if verdict is AnchorState.ORPHANED else "has changed since"
                yield HealthFinding(
                    "drifted-anchor",
                    Level.WARNING,
                    f"the anchored code {anchor.path!r} {what}",
                    f"If it is still true: recollect edit {memory.id} --reanchor; "
                    f"otherwise: recollect retire {memory.id} --reason ...",
                    stored.path,
                    subject.line(memory, f"anchors[{position}].path"),
                )


def still_valid(subject: Subject) -> Iterator[HealthFinding]:
    """Superseded memories that still count as valid."""
    memories = subject.memories
    for stored in subject.scan.stored:
        for id in links.superseded_ids(stored.memory):
            older = memories.get(id)
            if older and links.end_validity(older, stored.memory, subject.now) is not older:
                yield HealthFinding(
                    "superseded-still-valid",
                    Level.WARNING,
                    f"supersedes {id!r}, which still counts as valid",
                    "`recollect doctor --fix` ends its validity.",
                    stored.path,
                    fix=Fix.CLOSE_SUPERSEDED,
                )


def supersession_cycles(subject: Subject) -> Iterator[HealthFinding]:
    """Memories that supersede each other: none of them is valid, so no prompt gets them."""
    paths = {stored.memory.id: stored.path for stored in subject.scan.stored}
    for cycle in links.supersession_cycles(subject.memories.values()):
        choices = [
            f"to keep {older!r}: recollect unlink {newer} supersedes mem:{older}"
            for newer in cycle
            for older in links.superseded_ids(subject.memories[newer])
            if older in cycle
        ]
        what = "supersede each other" if len(cycle) > 1 else "supersedes itself"
        yield HealthFinding(
            "supersession-cycle",
            Level.ERROR,
            f"{' and '.join(map(repr, cycle))} {what}, so none of them is valid",
            f"Decide which one is right, then {'; or '.join(choices)}.",
            paths[cycle[0]],
        )


def unnamed_successors(subject: Subject) -> Iterator[HealthFinding]:
    """Decisions that say "superseded" and that no memory supersedes: nothing leads to what replaced them."""
    linked = {id for memory in subject.memories.values() for id in links.superseded_ids(memory)}
    for stored in subject.scan.stored:
        memory = stored.memory
        says_so = memory.category is Category.DECISION and memory.content["status"] == "superseded"
        if says_so and memory.status is Status.ACTIVE and memory.id not in linked:
            yield HealthFinding(
                "superseded-by-whom",
                Level.WARNING,
                "its status is superseded, but no memory supersedes it",
                f"Link its successor: recollect link NEWER supersedes {memory.id}; if there is none, make "
                f"its status deprecated: recollect edit {memory.id} --set status=deprecated",
                stored.path,
                subject.line(memory, "content.status"),
            )


def stale_index(subject: Subject) -> Iterator[HealthFinding]:
    """An `index.md` that does not match the memories."""
    if subject.store.inventory_now() != subject.store.inventory_of(subject.scan):
        yield HealthFinding(
            "stale-index",
            Level.WARNING,
            "does not list the current memories",
            "`recollect index` rewrites it.",
            f"{subject.store.root.shown}/index.md",
            fix=Fix.REBUILD_INDEX,
        )


def stored_secrets(subject: Subject) -> Iterator[HealthFinding]:
    """Text that looks like a secret, in a file that another tool or a person wrote."""
    for stored in subject.scan.stored:
        document = stored.memory.document
        if not subject.gate(render(document).decode())[1]:
            continue  # one scan of the whole text is ten times faster than one per field
        for name in (name for name in document if name not in _NEVER_SECRET):
            for secret in subject.gate(document[name], name)[1]:
                yield HealthFinding(
                    "stored-secret",
                    Level.ERROR,
                    f"{secret.field} contains what looks like a secret ({secret.kind})",
                    f"Change the secret where it is used, then: recollect edit {stored.memory.id}",
                    stored.path,
                    subject.line(stored.memory, secret.field),
                )


def overdue(subject: Subject) -> Iterator[HealthFinding]:
    """Memories past their retention or grace period, which `gc` would collect."""
    memories = list(subject.memories.values())
    late = lifecycle.to_retire(memories, subject.retention, subject.now)
    dead = lifecycle.to_collect(memories, subject.retention, subject.now)
    if late or dead:
        yield HealthFinding(
            "overdue",
            Level.NOTE,
            f"{len(late)} to retire and {len(dead)} to delete by the retention rules",
            "`recollect gc` lists them and asks first.",
        )
