"""This machine's copy of a team's memories: files that hooks, agents and people read without the database.

The database has the truth. The copy is behind it at most until the next command or call of a tool here.
"""

import json
from contextlib import suppress
from dataclasses import dataclass

from recollect.errors import StoreError
from recollect.paths import TEAM_COPY_STATE
from recollect.records.store import Progress
from recollect.storage.files import atomic
from recollect.storage.files.store import FileStore
from recollect.storage.postgres.changes import MemoryChanges, changes_since
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.sqlite.index_database import IndexDatabase

_STEP = 200  # files that are written under one lock


@dataclass(frozen=True, slots=True)
class LocalCopy:
    """The copy of one project's memories in a root of its own, below the state folder."""

    project: ProjectDatabase
    store: FileStore
    index: IndexDatabase  # of the copy and the user's own memories, for hooks

    def refresh(self, progress: Progress | None = None) -> None:
        """`pull`, unless this machine's disk or another process is in the way."""
        with suppress(StoreError, OSError):
            self.pull(progress)

    def pull(self, progress: Progress | None = None, *, anew: bool = False) -> int:
        """Make the copy equal to the database; returns how many files changed. `anew` looks at every file."""
        changes = changes_since(self.project, None if anew else self._known())
        files = self._different(changes)
        for start in range(0, len(files), _STEP):
            some = dict(list(files.items())[start : start + _STEP])
            self.store.put_files(some)
            if progress:
                progress(start + len(some), len(files))
        if files or changes.number != self._known():
            self._record(changes.number)
        if files or not self.index.exists():
            self.index.attempt(lambda: self.index.catch_up(progress))
            self.index.close()
        return len(files)

    def _different(self, changes: MemoryChanges) -> dict[str, bytes | None]:
        """The files to write or delete; of a complete list, only those that are not as they should be."""
        if not changes.is_complete:
            return changes.files
        here = dict(self.store.raw_files(lenient=True))
        gone: dict[str, bytes | None] = {path: None for path in here if path not in changes.files}
        return gone | {path: data for path, data in changes.files.items() if here.get(path) != data}

    def _known(self) -> int | None:
        """The revision that the copy is equal to; None if that is not known, or of another database."""
        try:
            record = json.loads((self.store.root.state / TEAM_COPY_STATE).read_text("utf-8"))
            is_ours = record["database"] == self._name
            return int(record["revision"]) if is_ours else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _record(self, number: int) -> None:
        record = {"database": self._name, "revision": number}
        with self.store.root.opened(self.store.root.state, make=True) as folder:
            atomic.write_below(
                folder, TEAM_COPY_STATE, json.dumps(record).encode(), TEAM_COPY_STATE, private=True
            )

    @property
    def _name(self) -> str:
        return f"{self.project.database.address}#{self.project.key}"
