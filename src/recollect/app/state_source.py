"""Where a project stores what is no memory: in its state folder, or in a database that a team shares."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from recollect.app.driver import importing_driver
from recollect.app.review.source import Dismissals
from recollect.app.stores import StateStores
from recollect.config import Config
from recollect.errors import StoreError
from recollect.gateway.ports import Vault
from recollect.paths import DISMISSALS_NAME, DRAFTS_FOLDER, STATE_NAME
from recollect.records.redaction_port import RedactionGate
from recollect.storage.files.dismissals import FileDismissals
from recollect.storage.files.drafts import FileDrafts
from recollect.storage.files.root import MemoryRoot
from recollect.storage.files.store import FileStore
from recollect.storage.files.vault import FileVault
from recollect.storage.private import make_folder
from recollect.storage.project import Project
from recollect.storage.sqlite.adoption import adopt
from recollect.storage.sqlite.connections import file_was_made_here
from recollect.storage.sqlite.state import StateDatabase
from recollect.working.ports import DraftStore

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StateVersions:
    """Numbers that differ when something may have changed: in sessions, runs, traces, or what waits."""

    sessions: Version = ()
    runs: Version = ()
    traces: Version = ()
    review: Version = ()


class StateSource(Protocol):
    """The stores of one project, opened when they are needed. Reading creates none."""

    def exists(self) -> bool:
        """Whether something may have been stored here."""
        ...

    def is_foreign(self) -> bool:
        """Whether what is stored was made elsewhere, so that opening it would move it aside."""
        ...

    def prepare(self) -> None:
        """Make what writing needs. Raises StoreError."""
        ...

    def open(self) -> StateStores:
        """The stores of sessions, runs and learning. The caller closes them. Raises StoreError."""
        ...

    def drafts(self, gate: RedactionGate) -> DraftStore:
        """The drafts, behind a gate."""
        ...

    def dismissals(self) -> Dismissals:
        """What a person wants to see no more."""
        ...

    def vault(self) -> Vault:
        """The results that were too large for a reply."""
        ...

    def adopt(self) -> bool:
        """Take over what was moved aside because it was made elsewhere; False without any."""
        ...

    def erase(self, memory: str) -> bool:
        """Erase what is recorded about a memory; False when that is not possible now."""
        ...

    def versions(self) -> StateVersions:
        """What those who show it live compare, at the price of a few looks. Raises StoreError."""
        ...


@dataclass(frozen=True, slots=True)
class FolderState:
    """Files and SQLite in a state folder, which `prepare` makes."""

    folder: Path
    prepare: Callable[[], None] = lambda: None

    def exists(self) -> bool:
        return self._database.exists()

    def is_foreign(self) -> bool:
        return self.exists() and not file_was_made_here(str(self._database))

    def open(self) -> StateStores:
        return StateDatabase(str(self._database))

    def drafts(self, gate: RedactionGate) -> DraftStore:
        return FileDrafts(self.folder, gate)

    def dismissals(self) -> Dismissals:
        self.prepare()
        return FileDismissals(self.folder)

    def vault(self) -> Vault:
        return FileVault(self.folder)

    def adopt(self) -> bool:
        return adopt(str(self._database))

    def erase(self, memory: str) -> bool:
        if not self.exists():
            return True
        stores = self.open()
        try:
            return stores.erase(memory)
        except StoreError:
            return False
        finally:
            stores.close()

    def versions(self) -> StateVersions:
        state = database_version(self._database)
        waiting = (file_time(self.folder / DRAFTS_FOLDER), file_time(self.folder / DISMISSALS_NAME))
        return StateVersions(state, state, state, waiting)

    @property
    def _database(self) -> Path:
        return self.folder / STATE_NAME


def state_of_root(root: MemoryRoot) -> StateSource:
    """The state of a memory root, beside its memories."""

    def prepare() -> None:
        if root.private:
            make_folder(root.path)
        FileStore(root).prepare_state()

    return FolderState(root.state, prepare)


def state_of_project(project: Project, config: Config) -> StateSource:
    """The state of a project: in the database that is configured, else beside its memories.

    Raises StoreError when the database cannot be used, and RefusedError without its driver.
    """
    local = state_of_root(project.root)
    if not config.database:
        return local
    with importing_driver():
        from recollect.app.database_state import (  # noqa: PLC0415 - the driver costs 100 ms
            open_database_state,
        )
    return open_database_state(project, config, local)


def database_version(path: Path) -> Version:
    """The state of a database. A WAL without content counts as none: opening and closing makes one."""
    log = Path(f"{path}-wal")
    log_size = _size(log)
    return (file_time(path), _size(path), file_time(log) if log_size else 0, log_size)


def file_time(path: Path) -> int:
    """When a file was last changed, in nanoseconds; 0 without one."""
    with suppress(OSError):
        return path.stat().st_mtime_ns
    return 0


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
