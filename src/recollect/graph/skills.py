"""The skill graph: pages of Markdown skill folders, and what leads from one to another. Pure, immutable.

A folder's SKILL.md contains the other pages in it; wiki links, relative links and the front matter lead
further, and across to memories. A link that leads nowhere makes no edge; it is kept as a finding.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from recollect.errors import RefusedError
from recollect.graph.cross_edges import CrossEdge, CrossType
from recollect.graph.skill_names import SkillNames, Unmet, is_head, named, own_name
from recollect.graph.skill_page import EdgeType, Reference, SkillPage, SkillSource, read
from recollect.ids import UnifiedId, parse_unified

_K = TypeVar("_K")
_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class SkillNode:
    """One page. `path` is where to open it; `text` is as much of it as a search looks at."""

    id: UnifiedId
    path: str
    name: str
    title: str
    description: str
    tags: tuple[str, ...]
    headings: tuple[str, ...]
    excerpt: str
    text: str


@dataclass(frozen=True, slots=True)
class SkillEdge:
    """One page leads to another."""

    source: UnifiedId
    type: EdgeType
    target: UnifiedId

    @property
    def ends(self) -> tuple[UnifiedId, UnifiedId]:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link that leads nowhere, or the wrong way: where it stands, and why."""

    path: str
    line: int
    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """A file that is not in the graph, or not whole, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SkillGraph:
    """All pages and their edges. Nothing in it can be changed, so that many may read it at once."""

    nodes: Mapping[UnifiedId, SkillNode]
    edges: tuple[SkillEdge, ...]
    crossing: tuple[CrossEdge, ...]
    broken: tuple[BrokenLink, ...]
    notes: tuple[Note, ...]
    near: Mapping[UnifiedId, tuple[UnifiedId, ...]]
    _folded: Mapping[str, tuple[UnifiedId, ...]]

    def find(self, id: UnifiedId) -> SkillNode | None:
        """The page of that id; one whose id differs in case only, when there is no other such."""
        if id in self.nodes:
            return self.nodes[id]
        alike = self._folded.get(id.casefold(), ())
        return self.nodes[alike[0]] if len(alike) == 1 else None

    def bridges(self, ids: Collection[UnifiedId]) -> list[CrossEdge]:
        """The edges to memories that skills among `ids` hold, where the memory is among them too."""
        return [edge for edge in self.crossing if edge.source in ids and edge.target in ids]


def build(
    sources: Sequence[SkillSource],
    files: Collection[tuple[str, str]] = (),
    notes: Iterable[Note] = (),
    *,
    whole: bool = True,
) -> SkillGraph:
    """Make the graph of these pages. `files` are the other files beside them, as (folder, path).

    Folders come in the order of `sources`: a skill hides those of the same name in later folders. When
    the folders were not read to their end (`whole` is false), no link is called broken.
    """
    kept, told = _visible(sources)
    told += notes
    pages: dict[UnifiedId, SkillPage] = {}
    for id, source in named(kept):
        if id is None:
            told.append(Note(source.shown, "has a path that no id can be made of; rename it"))
        else:
            pages[id] = read(source)
    drawn = _Drawing(pages, SkillNames(pages, frozenset(files)), whole)
    drawn.draw()
    return SkillGraph(
        MappingProxyType({id: _node(id, page) for id, page in sorted(pages.items())}),
        tuple(sorted(drawn.edges, key=lambda edge: (edge.source, edge.type, edge.target))),
        tuple(sorted(drawn.crossing, key=lambda edge: (edge.source, edge.type, edge.target))),
        tuple(drawn.broken),
        tuple(told),
        _adjacency([edge.ends for edge in drawn.edges] + [edge.ends for edge in drawn.crossing]),
        _grouped((id.casefold(), id) for id in sorted(pages)),
    )


def _visible(sources: Sequence[SkillSource]) -> tuple[list[SkillSource], list[Note]]:
    """The pages of skills that no earlier folder has; a copy is hidden without a word."""
    owner: dict[str, str] = {}
    texts = {}
    kept, told = list[SkillSource](), list[Note]()
    for source in sources:
        top = own_name(source.path).partition("/")[0].casefold()
        if owner.setdefault(top, source.folder) == source.folder:
            kept.append(source)
            texts[source.path] = source.text
        elif texts.get(source.path) != source.text:
            told.append(Note(source.shown, f"is hidden by the skill of that name in {owner[top]}"))
    return kept, told


def _node(id: UnifiedId, page: SkillPage) -> SkillNode:
    told = page.name, page.title, page.description, page.tags, page.headings
    return SkillNode(id, page.source.shown, *told, page.excerpt, page.text)


class _Drawing:
    """The edges of a graph in the making."""

    def __init__(self, pages: Mapping[UnifiedId, SkillPage], names: SkillNames, whole: bool) -> None:
        self.pages, self.names, self.whole = pages, names, whole
        self.edges: set[SkillEdge] = set()
        self.crossing: set[CrossEdge] = set()
        self.broken: list[BrokenLink] = []

    def draw(self) -> None:
        parents: dict[tuple[str, str], UnifiedId] = {}
        for id, page in self.pages.items():
            if is_head(page.source.path):
                parents.setdefault((page.source.folder, page.source.path.rpartition("/")[0]), id)
        for id, page in self.pages.items():
            if parent := _parent(page.source, parents):
                self.edges.add(SkillEdge(parent, EdgeType.CONTAINS, id))
            for reference in page.references:
                self._follow(id, page, reference)

    def _follow(self, id: UnifiedId, page: SkillPage, reference: Reference) -> None:
        match reference.type:
            case CrossType():
                self._cross(id, page, reference, reference.type)
            case EdgeType():
                meant = self.names.meant(page, reference)
                if isinstance(meant, Unmet):
                    self._break(page, reference, meant.reason)
                elif meant is not None and meant != id:
                    self.edges.add(SkillEdge(id, reference.type, meant))

    def _cross(self, id: UnifiedId, page: SkillPage, reference: Reference, type: CrossType) -> None:
        try:
            self.crossing.add(CrossEdge(id, type, parse_unified(reference.target)))
        except RefusedError as error:
            self._break(page, reference, str(error))

    def _break(self, page: SkillPage, reference: Reference, reason: str) -> None:
        if self.whole:
            found = BrokenLink(page.source.shown, reference.line, reference.target, reason)
            self.broken.append(found)


def _parent(source: SkillSource, parents: Mapping[tuple[str, str], UnifiedId]) -> UnifiedId | None:
    """The SKILL.md of the nearest folder above that has one; a page is not in itself."""
    above = source.path.split("/")[:-1]
    if is_head(source.path):
        if not above:
            return None
        above.pop()
    for length in range(len(above), -1, -1):
        if id := parents.get((source.folder, "/".join(above[:length]))):
            return id
    return None


def _adjacency(
    pairs: Iterable[tuple[UnifiedId, UnifiedId]],
) -> Mapping[UnifiedId, tuple[UnifiedId, ...]]:
    """Who is next to whom, either way."""
    both = {pair for one, other in pairs for pair in ((one, other), (other, one))}
    return _grouped(sorted(both))


def _grouped(pairs: Iterable[tuple[_K, _V]]) -> Mapping[_K, tuple[_V, ...]]:
    found: dict[_K, list[_V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return MappingProxyType({key: tuple(values) for key, values in found.items()})
