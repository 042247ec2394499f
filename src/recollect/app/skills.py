"""The skills of a project and its user: read from their folders, cached and searched."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from recollect import paths
from recollect.app.skill_cache import ExpiringValue
from recollect.config import Config
from recollect.graph.skill_search import SkillSearch, searchable
from recollect.graph.skills import SkillGraph, build
from recollect.ids import as_skill
from recollect.records.record import Memory
from recollect.storage.files.skill_folders import SkillFolder, folders_of, gather
from recollect.storage.project import Project
from recollect.text.stemming import stems
from recollect.text.tokens import STOP_WORDS, tokens


class Skills:
    """Where the skill graph comes from. Many threads may ask at once."""

    def __init__(
        self,
        folders: Sequence[SkillFolder],
        seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folders = tuple(folders)
        self._cached = ExpiringValue(self._read, seconds, now)

    def search(self) -> SkillSearch:
        """The indexed graph, read at most `seconds` ago."""
        return self._cached.get()

    def ready(self) -> SkillSearch | None:
        """The graph that was read last, if any; never waits."""
        return self._cached.ready()

    def refresh(self) -> None:
        """Read the folders again at the next search."""
        self._cached.drop()

    def reread(self) -> SkillGraph:
        """Read the folders now. Needs no text search, so that `doctor` works without one."""
        self.refresh()
        return self._graph()

    def saved(self, memory: Memory) -> None:
        """Refresh after a memory was saved that names a skill, because the skill may have changed with it."""
        files = [*memory.related_files, *(anchor.path for anchor in memory.anchors)]
        shown = tuple(f"{folder.shown}/" for folder in self.folders)
        if any(as_skill(link.target) for link in memory.links) or any(
            file.startswith(shown) for file in files
        ):
            self.refresh()

    def _read(self) -> SkillSearch:
        return searchable(self._graph(), _terms)

    def _graph(self) -> SkillGraph:
        gathered = gather(self.folders)
        return build(gathered.pages, gathered.files, gathered.notes, whole=gathered.whole)


def skills_of(config: Config, project: Project, home: Path) -> Skills:
    """The skills that the configuration names."""
    file = project.root.path / paths.CONFIG_NAME
    folders = folders_of(config, project.folder, home, file)
    return Skills(folders, config.graph.skill_cache_ttl_ms / 1000)


def _terms(text: str) -> Sequence[str]:
    """The stems of a text's words, as search by words has them."""
    return stems(token for token in dict.fromkeys(tokens(text)) if token not in STOP_WORDS)
