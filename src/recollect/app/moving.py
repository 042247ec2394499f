"""Move a project's memories between files and a team's database, byte for byte, and check that all arrived.

What is there already is not written again: after an interruption the same command goes on.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.app.memory_sides import (
    DatabaseSide,
    FileSide,
    MemorySide,
    batches,
    named,
    refuse_secrets,
)
from recollect.errors import InvalidError, RefusedError, StoreError
from recollect.records.categories import FOLDERS
from recollect.records.memory_file import read_memory
from recollect.records.store import Progress
from recollect.storage import project as projects
from recollect.storage.files.store import FileStore
from recollect.storage.postgres.memories import PostgresMemories
from recollect.storage.postgres.projects import open_project_database

if TYPE_CHECKING:
    from recollect.app.project import Recollect

TO_FILES = "files"


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What was moved, and what both sides have now. `links` counts those of all valid memories."""

    source: str
    target: str
    moved: int
    already_there: int
    memories: int
    unreadable: tuple[str, ...]
    links: int
    bytes: int


def migrate(recollect: "Recollect", to: str, progress: Progress | None = None) -> MoveReport:
    """Move the project's memories to a database or, with `files`, from its database to the memory root.

    The source stays as it is. Raises RefusedError where the target has other memories, and StoreError where
    the two sides differ in the end.
    """
    files = FileSide(FileStore(recollect.project.root, recollect.config.lock_wait_seconds))
    if to == TO_FILES:
        if recollect.team is None:
            raise RefusedError(
                "no database is set, so the memories are already files; set RECOLLECT_DATABASE to the "
                "database that has them."
            )
        return _move(DatabaseSide(recollect.team.memories), files, recollect, progress)
    return _move(files, _database(recollect, to), recollect, progress)


def _database(recollect: "Recollect", url: str) -> DatabaseSide:
    identity = projects.identify(recollect.project)
    rows, _ = open_project_database(url, identity.name, recollect.folder.name)
    if identity.source != "file":
        projects.pin_identity(recollect.project, identity.name)
    return DatabaseSide(PostgresMemories(rows), f"the database {rows.database.address}")


def _move(
    source: MemorySide, target: MemorySide, recollect: "Recollect", progress: Progress | None
) -> MoveReport:
    ours, theirs = source.digests(), target.digests()
    foreign = sorted(path for path, digest in theirs.items() if ours.get(path) != digest)
    if foreign:
        raise RefusedError(
            f"{target.name} has different memories: {named(foreign)}; `recollect sync` synchronises "
            "both sides."
        )
    waiting = sorted(ours.keys() - theirs.keys())
    done = 0
    for some in batches(waiting):
        files = source.read(some)
        refuse_secrets(files, recollect.memories)
        target.apply(files)
        done += len(some)
        if progress:
            progress(done, len(waiting))
    return _verified(source, target, len(waiting), len(theirs))


def _verified(source: MemorySide, target: MemorySide, moved: int, before: int) -> MoveReport:
    """The report. Both sides are read again, whole."""
    ours, theirs = source.digests(), target.digests()
    if ours != theirs:
        different = sorted(
            path for path in ours.keys() | theirs.keys() if ours.get(path) != theirs.get(path)
        )
        raise StoreError(
            f"{source.name} and {target.name} differ in {named(different)}: someone changed them in "
            "the meantime. Run the command again."
        )
    unreadable, links, size = [], 0, 0
    for some in batches(sorted(theirs)):
        for path, data in target.read(some).items():
            folder, _, name = path.partition("/")
            size += len(data)
            try:
                stored = read_memory(data, FOLDERS[folder], name.removesuffix(".json"), path)
                links += len(stored.memory.links)
            except InvalidError:
                unreadable.append(path)
    count = len(theirs) - len(unreadable)
    return MoveReport(source.name, target.name, moved, before, count, tuple(unreadable), links, size)
