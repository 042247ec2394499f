"""The composition root: configuration and a folder in, a working Recollect out.

The only place that joins ports and adapters. Doors ask it for what they need.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect import config as configuration
from recollect.clock import Clock, utc_now
from recollect.config import Config
from recollect.errors import MemoryNotFoundError, NoProjectError
from recollect.health import doctor
from recollect.health.finding import Finding
from recollect.health.patient import Patient
from recollect.records.anchors import Verdict
from recollect.records.categories import Category
from recollect.records.lifecycle import Retention
from recollect.records.memories import Memories
from recollect.records.record import Memory
from recollect.records.store import Progress, Scan, Stored
from recollect.storage import backup, merge_driver
from recollect.storage import project as projects
from recollect.storage.files import atomic, setup
from recollect.storage.files.setup import Step
from recollect.storage.files.store import FileStore
from recollect.storage.project import Identity, Project
from recollect.storage.worktree import WorkTree
from recollect.working.redact import gate


@dataclass(frozen=True, slots=True)
class Shelf:
    """The memories of one root, and the store below them for those who look after it."""

    memories: Memories
    store: FileStore


@dataclass(frozen=True, slots=True)
class Recollect:
    """One project's memory, with the user's own beside it."""

    config: Config
    project: Project
    shelf: Shelf
    user_shelf: Shelf
    worktree: WorkTree

    @property
    def memories(self) -> Memories:
        """The project's memories."""
        return self.shelf.memories

    @property
    def user_memories(self) -> Memories:
        """The user's memories, the same in every project."""
        return self.user_shelf.memories

    @property
    def identity(self) -> Identity:
        """The name of the project."""
        return projects.identify(self.project)

    def home_of(self, id: str) -> Memories:
        """Whose memory `id` is: the project's, else the user's."""
        try:
            self.memories.get(id)
        except MemoryNotFoundError:
            try:
                self.user_memories.get(id)
            except MemoryNotFoundError:
                return self.memories  # whose error names near ids
            return self.user_memories
        return self.memories

    def get(self, id: str) -> Stored:
        """The memory of that id, the project's before the user's."""
        return self.home_of(id).get(id)

    def look(self, progress: Progress | None = None) -> "list[tuple[Shelf, Patient, list[Finding]]]":
        """Examine the project's root and, where there is one, the user's."""
        scan = self.memories.scan(progress)
        patients = [(self.shelf, self._patient(self.shelf, scan, self.user_shelf, in_project=True))]
        if self.user_shelf.store.root.path.is_dir():
            own = self._patient(self.user_shelf, self.user_memories.scan(), self.shelf)
            patients.append((self.user_shelf, own))
        return [(shelf, patient, doctor.examine(patient)) for shelf, patient in patients]

    def _patient(
        self, shelf: "Shelf", scan: Scan, other: "Shelf", *, in_project: bool = False
    ) -> Patient:
        return Patient(
            shelf.store,
            scan,
            self.worktree,
            shelf.memories.retention,
            shelf.memories.gate,
            shelf.memories.clock(),
            frozenset(other.store.taken()),
            self.project if in_project else None,
            self.identity if in_project else None,
        )

    def mend(self, shelf: "Shelf", patient: Patient, findings: list[Finding]) -> list[Finding]:
        """Do what is safe about these findings; returns those that were dealt with."""
        return doctor.mend(patient, shelf.memories, findings)

    def back_up(self, target: Path | None) -> tuple[Path, int]:
        """Pack the project's memory into one file; where it went, and how many files it holds."""
        stamp = self.memories.clock().strftime("%Y%m%d-%H%M%S")
        name = f"{self.project.folder.name}-{stamp}.tar.gz"
        path = target or self.user_shelf.store.root.path.parent / "backups" / name
        return path, backup.back_up(self.shelf.store, path)

    def configure(self, key: str, value: str, *, user: bool) -> None:
        """Set one key in the project's configuration file, or in the user's."""
        root = self.user_shelf.store.root.path.parent if user else self.project.root.path
        path = root / configuration.FILE_NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text("utf-8-sig") if path.exists() else ""
        atomic.write(path, configuration.with_value(before, key, value).encode(), str(path))

    def uninstall(self) -> list[Step]:
        """Take out what `init` put in; the memories stay."""
        return setup.uninstall(self.project)

    def verdicts(self, memory: Memory) -> list[tuple[str, Verdict]]:
        """What became of the code that a memory is anchored to: (path, verdict) for each anchor."""
        return [(anchor.path, self.worktree.verdict(anchor)) for anchor in memory.anchors]


def open_project(
    start: Path | str = ".", *, env: Mapping[str, str] = os.environ, clock: Clock = utc_now
) -> Recollect:
    """Open the memory of the project that `start` is in.

    Mends what a killed writer left behind. Raises NoProjectError where there is no memory root.
    """
    user_file = configuration.user_file(env)
    early = configuration.load(env, user_file)
    project = projects.locate(Path(start), early.text("memory_root"))
    config = configuration.load(env, user_file, project.root.path / configuration.FILE_NAME)
    shelf = _shelf(FileStore(project.root, config.number("lock_wait_seconds")), config, clock)
    user = projects.user_root(configuration.data_folder(env))
    user_shelf = _shelf(FileStore(user, config.number("lock_wait_seconds")), config, clock)
    for opened in (shelf, user_shelf):
        if opened.store.recover():
            opened.memories.close_superseded()
    return Recollect(config, project, shelf, user_shelf, WorkTree(project.folder))


def init_project(
    start: Path | str = ".", *, env: Mapping[str, str] = os.environ, clock: Clock = utc_now
) -> tuple[Recollect, list[Step]]:
    """Give the project that `start` is in a memory root; one that is there is adopted as it is."""
    early = configuration.load(env, configuration.user_file(env))
    root = early.text("memory_root")
    try:
        project = projects.locate(Path(start), root)
    except NoProjectError:
        project = projects.project_at(projects.home_of(Path(start)), root)
    steps = setup.install(project, FileStore(project.root, early.number("lock_wait_seconds")))
    return open_project(project.folder, env=env, clock=clock), steps


def merge_files(base: Path, ours: Path, theirs: Path, shown: str) -> bool:
    """Merge two versions of a memory as git's merge driver; False when a conflict is left."""
    return merge_driver.merge_files(base, ours, theirs, shown)


def _shelf(store: FileStore, config: Config, clock: Clock) -> Shelf:
    return Shelf(Memories(store, gate, clock, _retention(config)), store)


def _retention(config: Config) -> Retention:
    days = {
        category: config.number(f"categories.{category.value}.retention_days") for category in Category
    }
    most = {
        Category.SESSION_SUMMARY: config.number("categories.session_summary.max_retained"),
    }
    return Retention(config.number("delete.grace_period_days"), days, most)
