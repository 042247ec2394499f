"""The skill graph: the pages of Markdown skill folders and their edges. Pure, immutable.

A folder's SKILL.md contains the other pages in it; wiki links, relative links and the front matter make the
other edges, to memories too. A broken link makes no edge; it is reported as a finding.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from recollect.errors import RefusedError
from recollect.graph.cross_edges import CrossEdge, CrossType
from recollect.graph.skill_names import SkillNames, Unresolved, is_head, own_name, with_ids
from recollect.graph.skill_page import EdgeType, Reference, SkillPage, SkillSource
from recollect.ids import UnifiedId, parse_unified

_K = TypeVar("_K")
_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class SkillNode:
    """One page. `path` is where to open it; `text` is the part of it that search uses.

    `terms` are those of its fields, if they are known (`skill_search.field_terms`).
    """

    id: UnifiedId
    path: str
    name: str
    title: str
    description: str
    tags: tuple[str, ...]
    headings: tuple[str, ...]
    excerpt: str
    text: str
    terms: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class SkillEdge:
    """An edge from one page to another."""

    source: UnifiedId
    type: EdgeType
    target: UnifiedId

    @property
    def ends(self) -> tuple[UnifiedId, UnifiedId]:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link that resolves to nothing, or has the wrong direction: its place and the reason."""

    path: str
    line: int
    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """A file that is not in the graph, or only in part, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SkillGraph:
    """All pages and their edges. Immutable, so that threads can share it."""

    nodes: Mapping[UnifiedId, SkillNode]
    edges: tuple[SkillEdge, ...]
    crossing: tuple[CrossEdge, ...]
    broken: tuple[BrokenLink, ...]
    notes: tuple[Note, ...]
    neighbours: Mapping[UnifiedId, tuple[UnifiedId, ...]]
    _folded: Mapping[str, tuple[UnifiedId, ...]]

    def find(self, id: UnifiedId) -> SkillNode | None:
        """The page of that id, ignoring case if only one page matches then."""
        if id in self.nodes:
            return self.nodes[id]
        ids = self._folded.get(id.casefold(), ())
        return self.nodes[ids[0]] if len(ids) == 1 else None

    def bridges(self, ids: Collection[UnifiedId]) -> list[CrossEdge]:
        """The edges from skills to memories where both ends are among `ids`."""
        return [edge for edge in self.crossing if edge.source in ids and edge.target in ids]


def build(
    parsed: Sequence[SkillPage],
    files: Collection[tuple[str, str]] = (),
    notes: Iterable[Note] = (),
    *,
    whole: bool = True,
) -> SkillGraph:
    """Build the graph of these pages. `files` are the other files beside them, as (folder, path).

    Folders come in the order of `parsed`: a skill hides those of the same name in later folders. When
    the folders were not read to their end (`whole` is false), no link is called broken.
    """
    visible, all_notes = _visible(parsed)
    all_notes += notes
    pages: dict[UnifiedId, SkillPage] = {}
    for id, page in with_ids(visible):
        if id is None:
            all_notes.append(Note(page.source.shown, "its path does not make a valid id; rename it"))
        else:
            pages[id] = page
    builder = _EdgeBuilder(pages, SkillNames(pages, frozenset(files)), whole)
    builder.add_all()
    return SkillGraph(
        MappingProxyType({id: _node(id, page) for id, page in sorted(pages.items())}),
        tuple(sorted(builder.edges, key=lambda edge: (edge.source, edge.type, edge.target))),
        tuple(sorted(builder.crossing, key=lambda edge: (edge.source, edge.type, edge.target))),
        tuple(builder.broken),
        tuple(all_notes),
        _adjacency([edge.ends for edge in builder.edges] + [edge.ends for edge in builder.crossing]),
        _grouped((id.casefold(), id) for id in sorted(pages)),
    )


def _visible(pages: Sequence[SkillPage]) -> tuple[list[SkillPage], list[Note]]:
    """The pages of skills that no earlier folder has, and notes on hidden pages that are not copies."""
    owner: dict[str, str] = {}
    digests = {}
    visible, notes = list[SkillPage](), list[Note]()
    for page in pages:
        source = page.source
        top = own_name(source.path).partition("/")[0].casefold()
        if owner.setdefault(top, source.folder) == source.folder:
            visible.append(page)
            digests[source.path] = page.digest
        elif digests.get(source.path) != page.digest:
            notes.append(Note(source.shown, f"hidden by the skill of the same name in {owner[top]}"))
    return visible, notes


def _node(id: UnifiedId, page: SkillPage) -> SkillNode:
    fields = page.name, page.title, page.description, page.tags, page.headings
    return SkillNode(id, page.source.shown, *fields, page.excerpt, page.text, page.terms)


class _EdgeBuilder:
    """Collects the edges of a graph, and its broken links."""

    def __init__(self, pages: Mapping[UnifiedId, SkillPage], names: SkillNames, whole: bool) -> None:
        self.pages, self.names, self.whole = pages, names, whole
        self.edges: set[SkillEdge] = set()
        self.crossing: set[CrossEdge] = set()
        self.broken: list[BrokenLink] = []

    def add_all(self) -> None:
        parents: dict[tuple[str, str], UnifiedId] = {}
        for id, page in self.pages.items():
            if is_head(page.source.path):
                parents.setdefault((page.source.folder, page.source.path.rpartition("/")[0]), id)
        for id, page in self.pages.items():
            if parent := _parent(page.source, parents):
                self.edges.add(SkillEdge(parent, EdgeType.CONTAINS, id))
            for reference in page.references:
                self._add_reference(id, page, reference)

    def _add_reference(self, id: UnifiedId, page: SkillPage, reference: Reference) -> None:
        match reference.type:
            case CrossType():
                self._add_crossing(id, page, reference, reference.type)
            case EdgeType():
                target = self.names.resolve(page, reference)
                if isinstance(target, Unresolved):
                    self._add_broken(page, reference, target.reason)
                elif target is not None and target != id:
                    self.edges.add(SkillEdge(id, reference.type, target))

    def _add_crossing(
        self, id: UnifiedId, page: SkillPage, reference: Reference, type: CrossType
    ) -> None:
        try:
            self.crossing.add(CrossEdge(id, type, parse_unified(reference.target)))
        except RefusedError as error:
            self._add_broken(page, reference, str(error))

    def _add_broken(self, page: SkillPage, reference: Reference, reason: str) -> None:
        if self.whole:
            link = BrokenLink(page.source.shown, reference.line, reference.target, reason)
            self.broken.append(link)


def _parent(source: SkillSource, parents: Mapping[tuple[str, str], UnifiedId]) -> UnifiedId | None:
    """The SKILL.md of the closest folder that has one; a SKILL.md is not its own parent."""
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
    """The neighbours of each node, in both directions."""
    both = {pair for source, target in pairs for pair in ((source, target), (target, source))}
    return _grouped(sorted(both))


def _grouped(pairs: Iterable[tuple[_K, _V]]) -> Mapping[_K, tuple[_V, ...]]:
    groups: dict[_K, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return MappingProxyType({key: tuple(values) for key, values in groups.items()})
