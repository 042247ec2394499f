"""Both graphs of a project as a search channel: links from the index, skills from their folders."""

import time
from collections.abc import Mapping, Sequence

from recollect.app.search_index import SearchIndex
from recollect.app.skills import Skills
from recollect.graph.causal import CausalSearch
from recollect.graph.channels import implemented, resolved, skill_channel
from recollect.graph.cross_edges import CrossEdge
from recollect.graph.skills import SkillGraph, SkillNode
from recollect.graph.unified import SECONDS, GraphHits, GraphQuery, GraphSearch, search_graphs
from recollect.ids import UnifiedId, as_memory
from recollect.markdown.plain import plain
from recollect.retrieval.index import Document

AFTER_MEMORIES = 10  # the priority of a skill, where scores are equal


class GraphChannel:
    """Fills the `Graph` port. `warnings` collects failures of the graphs until a caller reads them."""

    def __init__(self, index: SearchIndex, skills: Skills | None, seconds: float = SECONDS) -> None:
        self._index, self._skills, self._seconds = index, skills, seconds
        self._graphs: dict[str, GraphSearch] = {"causal": self._causal}
        if skills is not None:
            self._graphs["skill"] = skill_channel(skills.search)
        self.warnings: list[str] = []

    def search(self, query: GraphQuery) -> GraphHits:
        deadline = time.monotonic() + self._seconds
        hits = search_graphs(self._graphs, query, lambda: deadline - time.monotonic())
        self.warnings += hits.warnings
        return hits

    def crossing(self, ids: Sequence[UnifiedId]) -> Sequence[CrossEdge]:
        graph = self._graph()
        memories = [id for id in ids if as_memory(id)]
        links = self._index.reader().edges().around(memories, 1) if memories else ()
        edges = implemented(links)
        return resolved(edges, graph) + graph.bridges(set(ids)) if graph else edges

    def skills(self, ids: Sequence[UnifiedId]) -> Mapping[UnifiedId, Document]:
        graph = self._graph()
        nodes = [node for id in ids if (node := graph.find(id) if graph else None)]
        return {node.id: _document(node) for node in nodes}

    def _graph(self) -> SkillGraph | None:
        """The skill graph if it has been read; only `search` waits for it."""
        ready = self._skills.ready() if self._skills else None
        return ready.graph if ready else None

    def _causal(
        self, query: GraphQuery, limit: int, seconds: float
    ) -> Sequence[tuple[UnifiedId, float]]:
        edges = self._index.reader().edges()
        with edges.limited(seconds):
            return CausalSearch(edges).search(query.seeds, limit)


def _document(node: SkillNode) -> Document:
    return Document(
        id=node.id,
        title=node.title,
        tags=node.tags,
        body=_readable(node),
        created_at="",
        category="skill",
        priority=AFTER_MEMORIES,
        path=node.path,
    )


def _readable(node: SkillNode) -> str:
    """A page as plain text: its description first, without markup and without repeating the title."""
    lines = [plain(line.lstrip("#> \t")) for line in node.text.splitlines()]
    if (first := next((line for line in lines if line), "")) == node.title:
        lines.remove(first)
    return "\n".join([node.description, *lines]).strip()
