"""The skills of a project and its user: read from their folders, kept for a while, and searched."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from recollect import user_paths
from recollect.app.skill_cache import ExpiringValue
from recollect.config import Config
from recollect.graph.skill_search import SkillSearch, searchable
from recollect.graph.skills import SkillGraph, build
from recollect.ids import as_skill
from recollect.records.record import Memory
from recollect.storage.files.skill_folders import SkillFolder, folders_of, gather
from recollect.storage.project import Project
from recollect.text.stemming import stems
from recollect.text.stop_words import STOP_WORDS
from recollect.text.tokens import tokens


class Skills:
    """Where the skill graph comes from. Many threads may ask at once."""

    def __init__(
        self,
        folders: Sequence[SkillFolder],
        seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folders = tuple(folders)
        self._kept = ExpiringValue(self._read, seconds, now)

    def search(self) -> SkillSearch:
        """The graph as it was read at most so many seconds ago, ready to be asked."""
        return self._kept.get()

    def ready(self) -> SkillSearch | None:
        """What was read last, if anything, for a look at what a search has just found; never waits."""
        return self._kept.ready()

    def refresh(self) -> None:
        """Read the folders anew when next asked."""
        self._kept.drop()

    def reread(self) -> SkillGraph:
        """The graph as it is now. Needs no text search, so that `doctor` works without one."""
        self.refresh()
        return self._graph()

    def saved(self, memory: Memory) -> None:
        """Take note that a memory was written: one that speaks of skills may come with changed skills."""
        files = [*memory.related_files, *(anchor.path for anchor in memory.anchors)]
        shown = tuple(f"{folder.shown}/" for folder in self.folders)
        if any(as_skill(link.target) for link in memory.links) or any(
            file.startswith(shown) for file in files
        ):
            self.refresh()

    def _read(self) -> SkillSearch:
        return searchable(self._graph(), _terms)

    def _graph(self) -> SkillGraph:
        found = gather(self.folders)
        return build(found.pages, found.files, found.notes, whole=found.whole)


def skills_of(config: Config, project: Project, home: Path) -> Skills:
    """The skills that the configuration names."""
    file = project.root.path / user_paths.CONFIG_NAME
    folders = folders_of(config, project.folder, home, file)
    return Skills(folders, config.graph.skill_cache_ttl_ms / 1000)


def _terms(text: str) -> Sequence[str]:
    """The stems of a text's words, as search by words has them."""
    return stems(token for token in dict.fromkeys(tokens(text)) if token not in STOP_WORDS)
