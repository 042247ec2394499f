"""Both graphs of a project, as search asks them: links from the kept index, skills from their folders."""

from collections.abc import Mapping, Sequence

from recollect.graph.causal import CausalSearch
from recollect.graph.channels import implemented, skill_channel
from recollect.graph.cross import CrossEdge
from recollect.graph.skills import SkillGraph, SkillNode
from recollect.graph.unified import Asked, GraphFound, UnifiedGraph
from recollect.ids import UnifiedId, as_memory
from recollect.retrieval.index import Document
from recollect.storage.library import Corpus, Library
from recollect.storage.skills import Skills
from recollect.storage.sqlite.edges import SqliteEdges

AFTER_MEMORIES = 10  # the priority of a skill, where scores are equal


class GraphChannel:
    """Fills the `Graph` port. `warnings` gathers what a graph could not answer, until somebody reads it."""

    def __init__(self, library: Library | Corpus, skills: Skills | None) -> None:
        self._library, self._skills = library, skills
        graphs = {"causal": self._causal}
        if skills is not None:
            graphs["skill"] = skill_channel(skills.search)
        self._unified = UnifiedGraph(graphs)
        self.warnings: list[str] = []

    def search(self, asked: Asked) -> GraphFound:
        found = self._unified.search(asked)
        self.warnings += found.warnings
        return found

    def crossing(self, ids: Sequence[UnifiedId]) -> Sequence[CrossEdge]:
        graph = self._graph()
        memories = [id for id in ids if as_memory(id)]
        held = implemented(self._edges().around(memories, 1) if memories else (), graph)
        return held + (graph.bridges(set(ids)) if graph else [])

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
        return CausalSearch(self._edges()).search(asked.seeds, limit)


def _document(node: SkillNode) -> Document:
    return Document(
        id=node.id,
        title=node.title,
        tags=node.tags,
        body=node.text,
        created_at="",
        category="skill",
        priority=AFTER_MEMORIES,
        path=node.path,
    )
