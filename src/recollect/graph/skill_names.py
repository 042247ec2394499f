"""Resolve a link to a page: by path, then by name, ignoring case where that is unambiguous. Pure."""

import posixpath
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from recollect.errors import RefusedError
from recollect.graph.skill_page import Reference, SkillPage
from recollect.ids import UnifiedId, as_skill, parse_unified, skill_id


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Why a link resolves to no page."""

    reason: str


_NOT_FOUND = Unresolved("no such page or file")
_Place = tuple[str, str]  # folder, path


def is_head(path: str) -> bool:
    """Whether a page is the SKILL.md of its folder."""
    return path.rpartition("/")[2].casefold() == "skill.md"


def own_name(path: str) -> str:
    """A page's path without its suffix; for a SKILL.md, its folder."""
    folder = path.rpartition("/")[0]
    return folder if folder and is_head(path) else path.rpartition(".")[0] or path


def with_ids(pages: Iterable[SkillPage]) -> Iterator[tuple[UnifiedId | None, SkillPage]]:
    """Each page with a unique id; None for a path that makes no valid id.

    If two pages have the same name (`deploy.md` beside `deploy/SKILL.md`), the SKILL.md gets it and the other
    one keeps its suffix.
    """
    taken: set[UnifiedId] = set()
    ordered = sorted(pages, key=lambda page: not page.source.path.endswith("SKILL.md"))
    for page in ordered:
        name = own_name(page.source.path)
        try:
            if (id := skill_id(name)) in taken:
                name = page.source.path
            while (id := skill_id(name)) in taken:
                name += ".md"
        except RefusedError:
            yield None, page
            continue
        taken.add(id)
        yield id, page


@dataclass(slots=True)
class SkillNames:
    """Pages by path and by name. `files` are the other files there, as (folder, path)."""

    pages: Mapping[UnifiedId, SkillPage]
    files: Collection[_Place] = ()
    _exact: dict[_Place, UnifiedId] = field(default_factory=dict)
    _folded: dict[_Place, list[UnifiedId]] = field(default_factory=dict)
    _by_names: dict[str, list[UnifiedId]] = field(default_factory=dict)
    _folders: set[_Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        for id, page in self.pages.items():
            place = page.source.folder, _normal(page.source.path)
            self._exact[place] = id
            self._folded.setdefault((place[0], place[1].casefold()), []).append(id)
            last = (as_skill(id) or "").rpartition("/")[2]
            for name in {last.casefold(), page.name.casefold()} - {""}:
                self._by_names.setdefault(name, []).append(id)
        for folder, path in [*self._exact, *self.files]:
            while path := path.rpartition("/")[0]:
                self._folders.add((folder, path))

    def resolve(self, page: SkillPage, reference: Reference) -> UnifiedId | Unresolved | None:
        """The page that a reference names; None when it leads to a file or out of the skill folder."""
        target = _normal(reference.target)
        if target.startswith("skill:"):
            return self._by_id(target)
        folder, base = page.source.folder, posixpath.dirname(page.source.path)
        relative = _joined(base, target)
        if not reference.wiki:
            if relative is None:
                return None
            return self._at(folder, relative) or self._missing(folder, relative)
        for path in (relative, _joined("", target)):
            if path is not None and (page_id := self._at(folder, path)):
                return page_id
        return self._by_name(target, page) or self._missing(folder, _joined("", target) or "")

    def _at(self, folder: str, path: str) -> UnifiedId | Unresolved | None:
        """The page at a path, with or without its suffix; ignoring case if only one page matches."""
        candidates = (path, f"{path}.md", f"{path}/SKILL.md")
        for candidate in candidates:
            if id := self._exact.get((folder, candidate)):
                return id
        for candidate in candidates:
            if ids := self._folded.get((folder, candidate.casefold())):
                return ids[0] if len(ids) == 1 else _ambiguous(ids)
        return None

    def _by_name(self, name: str, page: SkillPage) -> UnifiedId | Unresolved | None:
        """The page of that name; pages of the same skill take precedence."""
        ids = self._by_names.get(name.removesuffix(".md").casefold(), [])
        top = page.source.path.partition("/")[0]
        own = [id for id in ids if (as_skill(id) or "").partition("/")[0] == top]
        chosen = own or ids
        return chosen[0] if len(chosen) == 1 else _ambiguous(chosen) if chosen else None

    def _by_id(self, target: str) -> UnifiedId | Unresolved:
        try:
            id = parse_unified(target)
        except RefusedError as error:
            return Unresolved(str(error))
        return id if id in self.pages else _NOT_FOUND

    def _missing(self, folder: str, path: str) -> Unresolved | None:
        place = folder, path
        return None if not path or place in self.files or place in self._folders else _NOT_FOUND


def _ambiguous(ids: list[UnifiedId]) -> Unresolved:
    return Unresolved(f"ambiguous: {', '.join(sorted(ids)[:5])}")


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _joined(base: str, target: str) -> str | None:
    """The path of a relative target; None when it is outside of the skill folder."""
    path = posixpath.normpath(posixpath.join(base, target))
    if path == ".":
        return ""
    return None if path == ".." or path.startswith(("../", "/")) else path
