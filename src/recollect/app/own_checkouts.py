"""Which folders belong to a project? Its own, its other worktrees, and clones with the same identity."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recollect.agents.past_events import Context
from recollect.errors import RecollectError
from recollect.paths import is_inside, nearest_root
from recollect.storage import git
from recollect.storage import project as projects
from recollect.storage.project import Project

_PREFIX = "worktree "


@dataclass(slots=True)
class OwnCheckouts:
    """The checkouts of one project, for folders that transcripts name. Answers are remembered."""

    project: Project
    root: str  # the memory root as configured, relative to a project
    folders: Sequence[Path] = ()
    _known: dict[str, str | None] = field(default_factory=dict)
    _hashes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        listed = git.ask(self.project.folder, "worktree", "list", "--porcelain") or ""
        lines = [line[len(_PREFIX) :] for line in listed.splitlines() if line.startswith(_PREFIX)]
        self.folders = list(dict.fromkeys([self.project.folder, *map(Path, lines)]))
        for folder in self.folders:
            for path in (str(folder), os.path.realpath(folder)):
                self._hashes[hashlib.sha256(path.encode()).hexdigest()] = str(folder)

    def of(self, context: Context) -> str | None:
        """The checkout that a session ran in; None for a folder of another project, or an unknown one."""
        if not context.folder:
            return self._hashes.get(context.project_hash)
        if context.folder not in self._known:
            self._known[context.folder] = self._checkout(context.folder)
        return self._known[context.folder] or self._hashes.get(context.project_hash)

    def _checkout(self, folder: str) -> str | None:
        if not folder.startswith("/") or "\0" in folder:
            return None
        real = os.path.realpath(folder)
        for own in self.folders:
            top = os.path.realpath(own)
            if is_inside(real, top):
                nearest = nearest_root(real, self.root) if Path(real).is_dir() else None
                return None if nearest and nearest[0] != top else str(own)
        return self._clone(Path(real))

    def _clone(self, folder: Path) -> str | None:
        """The top of another clone of the project; only one that is still there can be recognised."""
        top = git.top_level(folder) if folder.is_dir() else None
        if top is None:
            return None
        try:
            other = projects.identify(projects.locate(folder, self.root))
        except RecollectError:
            other = projects.identify(projects.project_at(top, self.root))
        own = projects.identify(self.project)
        return str(top) if other.source == own.source == "git" and other.name == own.name else None
