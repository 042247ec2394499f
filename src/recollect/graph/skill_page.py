"""One Markdown page of a skill folder: its title, description, text and references. Pure; no text raises."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from recollect.graph.cross_edges import CrossType
from recollect.markdown import page
from recollect.markdown.front_matter import Values
from recollect.markdown.plain import cut, plain

MOST_TEXT = 2_000  # characters that search uses beside the headings; a page states its purpose first
MOST_HEADINGS = 100
MOST_REFERENCES, MOST_DECLARED = 20_000, 1_000
TITLE_LENGTH, DESCRIPTION_LENGTH, EXCERPT_LENGTH = 120, 1024, 300

_RELATED = frozenset({"related", "related_skills", "see_also"})
_DEPENDS = frozenset({"depends", "depends_on"})


class EdgeType(StrEnum):
    """The type of an edge between two pages."""

    CONTAINS = "contains"
    LINKS = "links"
    RELATED = "related"
    DEPENDS = "depends"


@dataclass(frozen=True, slots=True)
class SkillSource:
    """The text of a page, the skill folder it was found in, and its path there.

    A page that was parsed by an earlier process comes without its text.
    """

    folder: str
    path: str
    text: str

    @property
    def shown(self) -> str:
        return f"{self.folder}/{self.path}"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference of a page to a page or a memory, as it is written there."""

    type: EdgeType | CrossType
    target: str
    line: int
    wiki: bool = True


@dataclass(frozen=True, slots=True)
class SkillPage:
    """A page, parsed. `digest` identifies its text; `terms` are those of its fields, if they are known."""

    source: SkillSource
    name: str
    title: str
    description: str
    tags: tuple[str, ...]
    headings: tuple[str, ...]
    text: str
    excerpt: str
    references: tuple[Reference, ...]
    digest: str = ""
    terms: tuple[tuple[str, ...], ...] = ()


def read(source: SkillSource) -> SkillPage:
    """Parse a page. Fields that the front matter lacks are taken from the text."""
    parsed = page.read(source.text)
    head, titled = parsed.head, [part for part in parsed.sections if part.level and part.title]
    headings = tuple(plain(section.title) for section in titled[:MOST_HEADINGS])
    name = _first(head, "name")
    top = next((plain(section.title) for section in titled if section.level == 1), "")
    references = list(islice(_declared(head, source.text), MOST_DECLARED))
    links = islice(parsed.links(), MOST_REFERENCES - len(references))
    references += [Reference(EdgeType.LINKS, link.target, link.line, link.wiki) for link in links]
    return SkillPage(
        source,
        name,
        cut(_first(head, "title") or top or name or _stem(source.path), TITLE_LENGTH),
        cut(" ".join(" ".join(head.get("description", ())).split()), DESCRIPTION_LENGTH),
        tuple(dict.fromkeys(_listed((*head.get("tags", ()), *head.get("keywords", ()))))),
        headings,
        parsed.text[:MOST_TEXT],
        _excerpt(parsed.paragraphs()),
        tuple(references),
        hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def _stem(path: str) -> str:
    """The name of a page that states none: its file's, or for a SKILL.md its folder's."""
    *folders, last = path.split("/")
    return folders[-1] if folders and last.casefold() == "skill.md" else last.rpartition(".")[0]


def _first(head: Values, key: str) -> str:
    return next(iter(head.get(key, ())), "").strip()


def _excerpt(paragraphs: Iterable[str]) -> str:
    """The first words of a page that are not headings, code or tables."""
    excerpt = ""
    for text in paragraphs:
        excerpt += f" {text[: EXCERPT_LENGTH * 2]}"
        if len(excerpt) > EXCERPT_LENGTH:
            break
    return cut(plain(excerpt), EXCERPT_LENGTH)


def _declared(head: Values, text: str) -> Iterator[Reference]:
    """The references of the front matter: its own keys, or those below `metadata`."""
    for key, value in _pairs(head):
        type = _type(key)
        if type is not None:
            for target in _listed((value,)):
                yield Reference(type, target, _line(text, target))


def _pairs(head: Values) -> Iterator[tuple[str, str]]:
    for key, values in head.items():
        for value in values:
            name, colon, rest = value.partition(":")
            if key == "metadata" and colon:
                yield name, rest
            else:
                yield key, value


_TYPES: Mapping[str, EdgeType | CrossType] = {
    **dict.fromkeys(_RELATED, EdgeType.RELATED),
    **dict.fromkeys(_DEPENDS, EdgeType.DEPENDS),
    **{type.value: type for type in CrossType},
}


def _type(key: str) -> EdgeType | CrossType | None:
    return _TYPES.get(key.strip().lower().replace("-", "_").replace(" ", "_"))


def _listed(values: tuple[str, ...]) -> Iterator[str]:
    """The names in some values: `a, b`, `[a, b]`, `[[a|shown]]`."""
    for value in values:
        for part in value.split(","):
            name = part.strip(" \t[]\"'").partition("|")[0].strip()
            if name:
                yield name


def _line(text: str, target: str) -> int:
    before = text.partition(target)[0]
    return before.count("\n") + 1
