"""Bring the files of a repository and a team's database in step, both ways.

What one side changed since the last time goes to the other. What both changed is merged field by field; where
they changed the same field, a person chooses, and neither side is overwritten.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from recollect.app.memory_sides import DatabaseSide, FileSide, batches, refuse_secrets
from recollect.errors import InvalidError, RefusedError
from recollect.records.json_format import JsonObject, parse, render
from recollect.records.memory_file import digest
from recollect.records.merge import Clash, merge
from recollect.records.store import Progress
from recollect.storage.files import atomic
from recollect.storage.files.store import FileStore

if TYPE_CHECKING:
    from recollect.app.project import Recollect
    from recollect.storage.postgres.revisions import PostgresRevisions

Side = Literal["files", "database"]
STATE = "sync.json"


@dataclass(frozen=True, slots=True)
class SyncConflict:
    """A memory that both sides changed. Without `clashes` one side deleted it, or is no JSON."""

    path: str
    reason: str
    clashes: tuple[Clash, ...] = ()


@dataclass(slots=True)
class SyncReport:
    """What was done, by path."""

    to_database: list[str] = field(default_factory=list)
    to_files: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    conflicts: list[SyncConflict] = field(default_factory=list)


def sync(
    recollect: "Recollect", prefer: Side | None = None, progress: Progress | None = None
) -> SyncReport:
    """Bring both sides in step; `prefer` decides conflicts. Raises RefusedError without a database."""
    if recollect.team is None:
        raise RefusedError(
            "no database is set: `recollect config --user database URL`, or RECOLLECT_DATABASE."
        )
    store = FileStore(recollect.project.root, recollect.config.lock_wait_seconds)
    work = _Sync(
        FileSide(store),
        DatabaseSide(recollect.team.memories),
        recollect.team.revisions,
        f"{recollect.team.rows.database.address}#{recollect.team.rows.key}",
        prefer,
    )
    return work.run(recollect, progress)


@dataclass(slots=True)
class _Sync:
    files: FileSide
    database: DatabaseSide
    history: "PostgresRevisions"
    name: str
    prefer: Side | None
    report: SyncReport = field(default_factory=SyncReport)

    def run(self, recollect: "Recollect", progress: Progress | None) -> SyncReport:
        ours, theirs, base = self.files.digests(), self.database.digests(), self._base()
        paths = sorted(
            path for path in ours.keys() | theirs.keys() if ours.get(path) != theirs.get(path)
        )
        in_step = {path: digest for path, digest in ours.items() if theirs.get(path) == digest}
        done = 0
        for some in batches(paths):
            pushed: dict[str, bytes | None] = {}
            pulled: dict[str, bytes | None] = {}
            here = self.files.read([path for path in some if path in ours])
            there = self.database.read([path for path in some if path in theirs])
            for path in some:
                known = base.get(path)
                if ours.get(path) == known:
                    pulled[path] = there.get(path)
                elif theirs.get(path) == known:
                    pushed[path] = here.get(path)
                else:
                    self._settle(path, here.get(path), there.get(path), known, pushed, pulled)
            refuse_secrets({path: data for path, data in pushed.items() if data}, recollect.memories)
            self.database.apply(pushed)
            self.files.apply(pulled)
            in_step.update(_digests(pushed | pulled))
            self.report.to_database += [path for path in pushed if path not in self.report.merged]
            self.report.to_files += [path for path in pulled if path not in self.report.merged]
            unsettled = {
                each.path: base[each.path] for each in self.report.conflicts if each.path in base
            }
            rest = {path: base[path] for path in paths[done + len(some) :] if path in base}
            self._record(rest | in_step | unsettled)
            done += len(some)
            if progress:
                progress(done, len(paths))
        if not paths:
            self._record(in_step)
        return self.report

    def _settle(
        self,
        path: str,
        ours: bytes | None,
        theirs: bytes | None,
        known: str | None,
        pushed: dict[str, bytes | None],
        pulled: dict[str, bytes | None],
    ) -> None:
        """Merge a memory that both sides changed, or report the conflict."""
        conflict: SyncConflict | None = None
        if ours is None or theirs is None:
            deleted = "files" if ours is None else "database"
            conflict = SyncConflict(path, f"deleted in the {deleted}, changed on the other side")
        else:
            conflict = self._merged(path, ours, theirs, known, pushed, pulled)
        if conflict is None:
            return
        if self.prefer == "files":
            pushed[path] = ours
        elif self.prefer == "database":
            pulled[path] = theirs
        else:
            self.report.conflicts.append(conflict)

    def _merged(
        self,
        path: str,
        ours: bytes,
        theirs: bytes,
        known: str | None,
        pushed: dict[str, bytes | None],
        pulled: dict[str, bytes | None],
    ) -> SyncConflict | None:
        """The conflict that merging leaves; None when the merged memory goes to both sides."""
        try:
            sides = parse(ours, path), parse(theirs, path)
            base = self._document(path, known)
        except InvalidError:
            return SyncConflict(path, "changed on both sides, and one side is not valid JSON")
        merged = merge(base, *sides)
        if merged.clashes:
            return SyncConflict(path, "changed on both sides", merged.clashes)
        pushed[path] = pulled[path] = render(merged.document)
        self.report.merged.append(path)
        return None

    def _document(self, path: str, known: str | None) -> JsonObject:
        """The version that both sides come from, as the database's history has it; nothing without one."""
        data = self.history.version(path, known) if known else None
        return parse(data, path) if data else {}

    def _base(self) -> dict[str, str]:
        """What both sides had when they were last in step with this database."""
        try:
            record = json.loads((self.files.store.root.state / STATE).read_text("utf-8"))
            known = record["files"] if record["database"] == self.name else {}
            return {str(path): str(version) for path, version in known.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _record(self, files: Mapping[str, str]) -> None:
        data = json.dumps({"database": self.name, "files": dict(sorted(files.items()))}).encode()
        root = self.files.store.root
        self.files.store.prepare_state()
        with root.opened(root.state) as folder:
            atomic.write_below(folder, STATE, data, root.show(root.state / STATE), private=True)


def _digests(files: Mapping[str, bytes | None]) -> dict[str, str]:
    return {path: digest(data) for path, data in files.items() if data is not None}
