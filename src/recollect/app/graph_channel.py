"""Both graphs of a project, as search asks them: links from the kept index, skills from their folders."""

import threading
from collections.abc import Mapping, Sequence

from recollect.app.library import DocumentIndex, MemoryIndex
from recollect.app.skills import Skills
from recollect.graph.causal import CausalSearch
from recollect.graph.channels import implemented, resolved, skill_channel
from recollect.graph.cross_edges import CrossEdge
from recollect.graph.skills import SkillGraph, SkillNode
from recollect.graph.unified import SECONDS, Asked, GraphFound, UnifiedGraph
from recollect.ids import UnifiedId, as_memory
from recollect.markdown.plain import plain
from recollect.retrieval.index import Document
from recollect.storage.sqlite.edges import SqliteEdges, limited

AFTER_MEMORIES = 10  # the priority of a skill, where scores are equal


class GraphChannel:
    """Fills the `Graph` port. `warnings` gathers what a graph could not answer, until somebody reads it.

    A walk along the links is done in a thread, on the library's own connection. It is interrupted when its
    time is up, and `search` returns only when it has let go: nobody else ever shares the connection.
    """

    def __init__(
        self, library: MemoryIndex | DocumentIndex, skills: Skills | None, seconds: float = SECONDS
    ) -> None:
        self._library, self._skills, self._seconds = library, skills, seconds
        graphs = {"causal": self._causal}
        if skills is not None:
            graphs["skill"] = skill_channel(skills.search)
        self._unified = UnifiedGraph(graphs, seconds)
        self._walking = threading.Lock()
        self._walk: tuple[Asked, SqliteEdges] | None = None
        self.warnings: list[str] = []

    def search(self, asked: Asked) -> GraphFound:
        self._walk = asked, self._edges()
        found = self._unified.search(asked)
        with self._walking:
            self._walk = None  # a thread that comes too late to begin finds nothing to do
        self.warnings += found.warnings
        return found

    def crossing(self, ids: Sequence[UnifiedId]) -> Sequence[CrossEdge]:
        graph = self._graph()
        memories = [id for id in ids if as_memory(id)]
        held = implemented(self._edges().around(memories, 1) if memories else ())
        return resolved(held, graph) + graph.bridges(set(ids)) if graph else held

    def skills(self, ids: Sequence[UnifiedId]) -> Mapping[UnifiedId, Document]:
        graph = self._graph()
        nodes = [node for id in ids if (node := graph.find(id) if graph else None)]
        return {node.id: _document(node) for node in nodes}

    def _graph(self) -> SkillGraph | None:
        """The skill graph if it is there: whoever has to wait for it waits in `search`, and not for long."""
        ready = self._skills.ready() if self._skills else None
        return ready.graph if ready else None

    def _edges(self) -> SqliteEdges:
        return SqliteEdges(self._library.reader().connection)

    def _causal(self, asked: Asked, limit: int) -> Sequence[tuple[UnifiedId, float]]:
        with self._walking:
            if self._walk is None or self._walk[0] is not asked:
                return ()
            edges = self._walk[1]
            with limited(edges.connection, self._seconds):
                return CausalSearch(edges).search(asked.seeds, limit)


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
    """What a page says, its description first, without marks and without the title once more."""
    lines = [plain(line.lstrip("#> \t")) for line in node.text.splitlines()]
    if (first := next((line for line in lines if line), "")) == node.title:
        lines.remove(first)
    return "\n".join([node.description, *lines]).strip()
