"""Which page a link means: by its path, by its name, in any case where that leaves no doubt. Pure."""

import posixpath
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from recollect.errors import RefusedError
from recollect.graph.skill_page import Reference, SkillPage, SkillSource
from recollect.ids import UnifiedId, as_skill, parse_unified, skill_id


@dataclass(frozen=True, slots=True)
class Unmet:
    """Why a link leads to no page."""

    reason: str


_NOWHERE = Unmet("leads to no page and no file")
_Place = tuple[str, str]  # folder, path


def is_head(path: str) -> bool:
    """Whether a page stands for the folder it is in."""
    return path.rpartition("/")[2].casefold() == "skill.md"


def own_name(path: str) -> str:
    """A page's path without its ending; the SKILL.md of a folder is the folder."""
    folder = path.rpartition("/")[0]
    return folder if folder and is_head(path) else path.rpartition(".")[0] or path


def named(sources: Iterable[SkillSource]) -> Iterator[tuple[UnifiedId | None, SkillSource]]:
    """Each page with an id that no other has; None for a path that no id can be made of.

    Where two want one (`deploy.md` beside `deploy/SKILL.md`), the SKILL.md has it and the other keeps its
    ending in its name.
    """
    taken: set[UnifiedId] = set()
    ordered = sorted(sources, key=lambda source: not source.path.endswith("SKILL.md"))
    for source in ordered:
        name = own_name(source.path)
        try:
            if (id := skill_id(name)) in taken:
                name = source.path
            while (id := skill_id(name)) in taken:
                name += ".md"
        except RefusedError:
            yield None, source
            continue
        taken.add(id)
        yield id, source


@dataclass(slots=True)
class SkillNames:
    """Every way to say which page is meant. `files` are the other files there, as (folder, path)."""

    pages: Mapping[UnifiedId, SkillPage]
    files: Collection[_Place] = ()
    _exact: dict[_Place, UnifiedId] = field(default_factory=dict)
    _folded: dict[_Place, list[UnifiedId]] = field(default_factory=dict)
    _called: dict[str, list[UnifiedId]] = field(default_factory=dict)
    _folders: set[_Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        for id, page in self.pages.items():
            place = page.source.folder, _normal(page.source.path)
            self._exact[place] = id
            self._folded.setdefault((place[0], place[1].casefold()), []).append(id)
            last = (as_skill(id) or "").rpartition("/")[2]
            for name in {last.casefold(), page.name.casefold()} - {""}:
                self._called.setdefault(name, []).append(id)
        for folder, path in [*self._exact, *self.files]:
            while path := path.rpartition("/")[0]:
                self._folders.add((folder, path))

    def meant(self, page: SkillPage, reference: Reference) -> UnifiedId | Unmet | None:
        """The page that a reference means; None when it means none that we could know."""
        target = _normal(reference.target)
        if target.startswith("skill:"):
            return self._by_id(target)
        folder, base = page.source.folder, posixpath.dirname(page.source.path)
        near = _joined(base, target)
        if not reference.wiki:
            return None if near is None else self._at(folder, near) or self._missing(folder, near)
        for path in (near, _joined("", target)):
            if path is not None and (found := self._at(folder, path)):
                return found
        return self._by_name(target, page) or self._missing(folder, _joined("", target) or "")

    def _at(self, folder: str, path: str) -> UnifiedId | Unmet | None:
        """The page at a path, with or without its ending; in another case if only one is there."""
        ways = (path, f"{path}.md", f"{path}/SKILL.md")
        for way in ways:
            if id := self._exact.get((folder, way)):
                return id
        for way in ways:
            if ids := self._folded.get((folder, way.casefold())):
                return ids[0] if len(ids) == 1 else _several(ids)
        return None

    def _by_name(self, name: str, page: SkillPage) -> UnifiedId | Unmet | None:
        """The page of that name: one of the same skill before the others."""
        ids = self._called.get(name.removesuffix(".md").casefold(), [])
        top = page.source.path.partition("/")[0]
        own = [id for id in ids if (as_skill(id) or "").partition("/")[0] == top]
        chosen = own or ids
        return chosen[0] if len(chosen) == 1 else _several(chosen) if chosen else None

    def _by_id(self, target: str) -> UnifiedId | Unmet:
        try:
            id = parse_unified(target)
        except RefusedError as error:
            return Unmet(str(error))
        return id if id in self.pages else _NOWHERE

    def _missing(self, folder: str, path: str) -> Unmet | None:
        place = folder, path
        return None if not path or place in self.files or place in self._folders else _NOWHERE


def _several(ids: list[UnifiedId]) -> Unmet:
    return Unmet(f"may mean any of {', '.join(sorted(ids)[:5])}")


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _joined(base: str, target: str) -> str | None:
    """Where a relative path leads; None when that is outside of the skill folder."""
    path = posixpath.normpath(posixpath.join(base, target))
    if path == ".":
        return ""
    return None if path == ".." or path.startswith(("../", "/")) else path
