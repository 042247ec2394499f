"""The stores of a project whose memories are in a team's database."""

import getpass
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.app.library import MemorySpace, memory_index
from recollect.app.local_copy import LocalCopy
from recollect.app.settings import refusal
from recollect.app.team_index import TeamIndex, TeamLookup
from recollect.app.team_rows import team_rows
from recollect.clock import Clock
from recollect.config import Config
from recollect.paths import TEAM_COPY
from recollect.records.lookup import Lookup
from recollect.records.memories import Memories
from recollect.records.store import MemoryStore
from recollect.storage import private
from recollect.storage.files.root import MemoryRoot
from recollect.storage.files.store import FileStore
from recollect.storage.postgres.database import PoolLimits, ProjectDatabase
from recollect.storage.postgres.index import PostgresIndex
from recollect.storage.postgres.memories import PostgresMemories
from recollect.storage.postgres.projects import shared_database
from recollect.storage.postgres.replica import ReplicatedProject
from recollect.storage.postgres.revisions import PostgresRevisions
from recollect.storage.project import Project

if TYPE_CHECKING:
    from recollect.retrieval.vectors import VectorStore
    from recollect.storage.models.embedder import Embedder


@dataclass(frozen=True, slots=True)
class TeamStores:
    """A project in a team's database: its rows, its memories, its index, and this machine's copy of them."""

    rows: ProjectDatabase
    memories: PostgresMemories
    space: MemorySpace
    index: TeamIndex
    revisions: PostgresRevisions

    def vectors(self, embedder: "Embedder") -> "VectorStore":
        """The vectors of a model beside the memories."""
        from recollect.storage.postgres.vectors import PostgresVectors  # noqa: PLC0415 - numpy costs 100 ms

        return PostgresVectors(self.rows, embedder)


def open_team(
    project: Project,
    user: FileStore,
    config: Config,
    clock: Clock,
    operations: Callable[[MemoryStore, Lookup], Memories],
) -> TeamStores:
    """Connect, migrate where that is needed, and bring this machine's copy up to date.

    `operations` makes the operations on a store of memories.

    Raises StoreError when the database cannot be used, and InvalidConfigError for its address.
    """
    rows = team_rows(project, config)
    root = copy_root(project)
    FileStore(project.root).prepare_state()
    private.make_folder(root.path)
    store = FileStore(root, config.lock_wait_seconds, clock)
    copy = LocalCopy(rows, store, memory_index([store, user]))
    shown = f"{root.shown}/"
    index = PostgresIndex(rows, shown)
    searched = PostgresIndex(_searched_rows(rows, config), shown)
    memories = PostgresMemories(
        rows,
        shown,
        _author(),
        config.lock_wait_seconds,
        refusal(config),
        store.store_rejected,
        copy.refresh,
    )
    copy.refresh()
    return TeamStores(
        rows,
        memories,
        MemorySpace(operations(memories, TeamLookup(index)), store),
        TeamIndex(searched, copy),
        PostgresRevisions(rows),
    )


def _searched_rows(rows: ProjectDatabase, config: Config) -> ProjectDatabase:
    """The rows that searches read: a replica's, where one is configured."""
    if not config.database_replica:
        return rows
    replica = shared_database(config.database_replica, PoolLimits(), migrated=False)
    return ReplicatedProject(rows, replica)


def copy_root(project: Project) -> MemoryRoot:
    """Where this machine has its copy of a team's memories."""
    state = project.root.state
    return MemoryRoot(state / TEAM_COPY, f"{project.root.show(state)}/{TEAM_COPY}")


def _author() -> str:
    """Who is named in the history: the account of this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
