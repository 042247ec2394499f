"""Looking after a project's memory: health, derived files, backup, export, settings, removal."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import paths
from recollect.agents.install import FileChange
from recollect.app.connections import Connections
from recollect.app.finder import Finder
from recollect.app.library import MemorySpace
from recollect.app.rules import overlapping_rules
from recollect.app.sessions import Sessions
from recollect.app.settings import adoption_notes, check_writable, set_value, unknown_keys
from recollect.app.skills import Skills
from recollect.config import Config
from recollect.errors import RefusedError, StoreError
from recollect.health import doctor
from recollect.health.finding import HealthFinding
from recollect.health.subject import Subject
from recollect.importing.export import export_document
from recollect.records.store import Broken, Progress, Scan
from recollect.storage import backup
from recollect.storage import project as projects
from recollect.storage.files import setup
from recollect.storage.files.setup import SetupChange
from recollect.storage.files.worktree import WorkTree
from recollect.storage.project import Project
from recollect.working.view import Session

if TYPE_CHECKING:
    from recollect.app.server_takeover import Restored


@dataclass(frozen=True, slots=True)
class Examination:
    """One root that was examined, and what is wrong with it."""

    space: MemorySpace
    subject: Subject
    findings: list[HealthFinding]

    @property
    def count(self) -> int:
        """How many memories the root has."""
        return len(self.subject.scan.stored)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The `index.md` of a root after it was written."""

    path: str
    changed: bool
    scan: Scan


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What a person does about the memory as a whole."""

    project: Project
    space: MemorySpace
    user_space: MemorySpace
    worktree: WorkTree
    finder: Finder
    connections: Connections
    skills: Skills
    config: Config
    sessions: Sessions

    @property
    def adoption_notes(self) -> list[str]:
        """What a user of the claude-memory plugin should know about the project's configuration."""
        return adoption_notes(self.project.root.path, self.config)

    def examine(self, progress: Progress | None = None) -> list[Examination]:
        """Examine the project's root and, if it exists, the user's; or the user's alone."""
        scan = self.space.memories.scan(progress)
        if self.user_space is self.space:
            subject = self._subject(self.space, scan, self.space)
            return [Examination(self.space, subject, doctor.examine(subject))]
        subjects = [(self.space, self._project_subject(scan))]
        if self.user_space.store.root.path.is_dir():
            scan = self.user_space.memories.scan()
            subjects.append((self.user_space, self._subject(self.user_space, scan, self.space)))
        return [Examination(space, subject, doctor.examine(subject)) for space, subject in subjects]

    def _broken_connections(self) -> tuple[tuple[str, str], ...]:
        reasons = {name: self.connections.failure(name) for name in self.connections.connected()}
        return tuple((name, reason) for name, reason in reasons.items() if reason)

    def _project_subject(self, scan: Scan) -> Subject:
        return self._subject(
            self.space,
            scan,
            self.user_space,
            project=None
            if self.config.database
            else self.project,  # git has no part in a team's database
            identity=projects.identify(self.project),
            hook_log=self._user_folder / paths.HOOK_LOG,
            skills=self.skills.reread(),
            sessions=self._sessions(),
            overlapping_rules=overlapping_rules(self.config),
            config_problems=tuple(map(str, self.config.problems)),
            unknown_keys=tuple(map(str, unknown_keys(self.project.root.path))),
            config_notes=tuple(adoption_notes(self.project.root.path, self.config)),
            broken_connections=self._broken_connections(),
        )

    def _sessions(self) -> tuple[Session, ...]:
        """The sessions of the project; none if their database cannot be used, which is another finding.

        A database that was made elsewhere is not opened: that would move it aside.
        """
        if self.sessions.state.is_foreign():
            return ()
        try:
            return tuple(self.sessions.all())
        except StoreError:
            return ()

    def _subject(
        self, space: MemorySpace, scan: Scan, other: MemorySpace, **surroundings: object
    ) -> Subject:
        memories = space.memories
        return Subject(
            space.store,
            scan,
            self.worktree,
            memories.retention,
            memories.gate,
            memories.clock(),
            frozenset(other.store.taken()),
            **surroundings,  # type: ignore[arg-type]
        )

    def fix(self, examination: Examination) -> list[HealthFinding]:
        """Fix what is safe to fix; returns the findings that were fixed."""
        memories = examination.space.memories
        return doctor.fix(examination.subject, memories, examination.findings)

    def write_inventory(self, progress: Progress | None = None) -> Inventory:
        """Write the `index.md` of the root from its memories."""
        changed, scan = self.space.store.rebuild_inventory(progress)
        return Inventory(f"{self.project.root.shown}/index.md", changed, scan)

    def check_index(self, progress: Progress | None = None) -> list[str]:
        """Update the search index and read all of it; a damaged one is rebuilt. Returns notes about it."""
        self.finder.index.check(progress)
        return self.finder.index.notes

    def embed(self, progress: Progress | None = None, stop: Callable[[], bool] = lambda: False) -> int:
        """Embed the memories that have no vectors, until `stop`; returns how many, 0 without a model."""
        return self.finder.embed(progress, stop)

    def count_missing_vectors(self) -> int:
        """How many memories have no vectors; 0 without a model."""
        return self.finder.count_missing()

    def back_up(self, target: Path | None) -> tuple[Path, int]:
        """Pack the project's memory into one file; returns its path and how many files it contains."""
        stamp = self.space.memories.clock().strftime("%Y%m%d-%H%M%S")
        whose = "user" if self.project.root.private else self.project.folder.name
        name = f"{whose}-{stamp}.tar.gz"
        path = target or self._user_folder / "backups" / name
        path = path / name if path.is_dir() else path
        if path.exists():
            raise RefusedError(f"{str(path)!r} already exists; name another file.")
        return path, backup.back_up(self.space.store, path)

    def export(self, progress: Progress | None = None) -> tuple[bytes, int, tuple[Broken, ...]]:
        """All memories of the root as the bytes of one file, how many, and the files that are broken."""
        memories = self.space.memories
        scan = memories.scan(progress)
        cleaned = [memories.cleaned(stored) for stored in scan.stored]
        name = projects.identify(self.project).name
        return export_document(cleaned, name, memories.clock()), len(cleaned), scan.broken

    def configure(self, key: str, value: str, *, user: bool) -> Path | None:
        """Set one key in the project's configuration file, or in the user's.

        Returns where a file is that could not be read and was moved aside.
        """
        root = self._user_folder if user else self.project.root.path
        return set_value(root / paths.CONFIG_NAME, key, value, private=user)

    def uninstall(self) -> list[SetupChange]:
        """Remove what `init` installed and what a takeover changed; the memories stay.

        Takeovers come first: their files are as they were left then, with what `init` wrote.
        """
        check_writable(self.config)
        from recollect.app.server_takeover import (  # noqa: PLC0415 - the gateway, for this alone
            restore_takeovers,
        )

        taken = restore_takeovers(self._user_folder, str(self.project.folder.resolve()))
        steps = [_given_back(file) for file in taken]
        for harness in self.connections.connected():
            changes = self.connections.disconnecting(harness)
            self.connections.apply(changes)
            steps += [_disconnected(harness, change) for change in changes]
        return [*steps, *setup.uninstall(self.project)]

    @property
    def _user_folder(self) -> Path:
        return self.user_space.store.root.path.parent


def _given_back(file: "Restored") -> SetupChange:
    return SetupChange(file.path, "kept" if file.outcome == "kept" else "changed", file.reason)


def _disconnected(harness: str, change: FileChange) -> SetupChange:
    path = f"{harness}: {change.path}"
    if change.advice:
        return SetupChange(path, "kept", change.advice.split("\n")[0])
    if change.after is None:
        return SetupChange(path, "removed", "it had no other content")
    return SetupChange(path, "changed", "removed our entries and left the rest unchanged")
