"""The skills of a project and its user: read from their folders, cached and searched."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from recollect import paths
from recollect.app.skill_cache import ExpiringValue
from recollect.config import Config
from recollect.graph.skill_page import SkillPage, SkillSource, read
from recollect.graph.skill_search import SkillSearch, field_terms, searchable
from recollect.graph.skills import SkillGraph, build
from recollect.ids import as_skill
from recollect.records.record import Memory
from recollect.storage.files.skill_folders import SkillFiles, SkillFolder, folders_of, gather
from recollect.storage.project import Project
from recollect.storage.sqlite.skill_pages import SkillPages
from recollect.text.stemming import stems
from recollect.text.tokens import STOP_WORDS, tokens


class Skills:
    """Where the skill graph comes from. Many threads may ask at once."""

    def __init__(
        self,
        folders: Sequence[SkillFolder],
        seconds: float,
        now: Callable[[], float] = time.monotonic,
        stored: SkillPages | None = None,
    ) -> None:
        self.folders = tuple(folders)
        self._stored = stored
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
        """Read all pages now, also those that did not change. `doctor` needs no index for that."""
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
        if self._stored is None:
            return searchable(self._graph(), _terms)
        gathered = gather(self.folders, self._stored.load(), _parsed)
        self._stored.store(gathered)
        return searchable(_built(gathered), _terms)

    def _graph(self) -> SkillGraph:
        return _built(gather(self.folders))


def _built(gathered: SkillFiles) -> SkillGraph:
    return build(gathered.pages, gathered.files, gathered.notes, whole=gathered.whole)


def _parsed(source: SkillSource) -> SkillPage:
    """A page with the terms of its fields, so that they are stored too."""
    page = read(source)
    return replace(page, terms=field_terms(page, _terms))


def skills_of(config: Config, project: Project, home: Path, *, stored: bool = True) -> Skills:
    """The skills that the configuration names; `stored` if the index may keep what was parsed."""
    file = project.root.path / paths.CONFIG_NAME
    folders = folders_of(config, project.folder, home, file)
    pages = SkillPages(str(project.root.state / paths.INDEX_NAME)) if stored else None
    return Skills(folders, config.graph.skill_cache_ttl_ms / 1000, stored=pages)


def _terms(text: str) -> Sequence[str]:
    """The stems of a text's words, as search by words has them."""
    return stems(token for token in dict.fromkeys(tokens(text)) if token not in STOP_WORDS)
