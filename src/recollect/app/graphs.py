"""The causal graph: questions about the links between memories, answered from the index."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from recollect.app.search_index import SearchIndex
from recollect.app.skills import Skills
from recollect.errors import InvalidError, MemoryNotFoundError, NotFoundError, RefusedError
from recollect.graph import why
from recollect.graph.causal import Edge, Edges
from recollect.graph.graph_map import GraphMap, joined
from recollect.graph.map_communities import MapCommunity, communities, member_groups
from recollect.graph.why import Why, WhyAnswer
from recollect.ids import UnifiedId, as_memory
from recollect.records.record import Memory
from recollect.records.store import Progress, Stored
from recollect.retrieval.request import Request, SearchResult
from recollect.storage import git

_OTHERS = 3  # other hits that are returned with the answer
_SEARCHED = 10  # hits to find the first memory in: a skill may match better, but has no reasons
_MAX_COMMITS = 20  # that git is asked about
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Graphs:
    """The links between the documents of an index."""

    index: SearchIndex

    def ask(self, question: Callable[[Edges], _Answer], progress: Progress | None = None) -> _Answer:
        """Ask about the links that the files contain now."""
        return self.index.updated(lambda: self.known(question), progress)

    def known(self, question: Callable[[Edges], _Answer]) -> _Answer:
        """Ask about the links that the index contains already, as they are at one moment."""
        index = self.index.reader()
        with index.snapshot():
            return question(index.edges())

    def edges(self, progress: Progress | None = None) -> Sequence[Edge]:
        """Every link."""
        return self.ask(lambda edges: edges.all(), progress)

    def near(self, ids: Sequence[UnifiedId]) -> Sequence[Edge]:
        """The links of these memories, as the index contains them already."""
        return self.known(lambda edges: edges.around(ids, 1))


@dataclass(slots=True)
class LatestMap:
    """The last map and its communities, used again until the index or the skills change."""

    _version: object = None
    _map: GraphMap | None = None
    _groups: list[tuple[UnifiedId, ...]] | None = None

    def get(self, version: object, read: Callable[[], GraphMap]) -> GraphMap:
        """The map of a version, read if it is another one than the last."""
        if self._map is None or self._version != version:
            self._map, self._groups = read(), None
            self._version = version
        return self._map

    def groups(self, whole: GraphMap) -> list[tuple[UnifiedId, ...]]:
        """The members of the communities of a map."""
        if whole is not self._map:
            return member_groups(whole)
        if self._groups is None:
            self._groups = member_groups(whole)
        return self._groups


@dataclass(frozen=True, slots=True)
class ProjectGraphs(Graphs):
    """The same with the memories themselves, the project's and the user's.

    `find` searches the index as it is.
    """

    get: Callable[[str], Stored]
    find: Callable[[Request], SearchResult]
    folder: Path
    skills: Skills
    latest: LatestMap

    def map(self, progress: Progress | None = None) -> GraphMap:
        """The memories that the files contain now, the skills, and all their links."""

        def read() -> GraphMap:
            index = self.index.reader()
            with index.snapshot():
                version = index, index.version(), pages
                return self.latest.get(
                    version, lambda: joined(index.map_nodes(), index.edges().all(), pages)
                )

        pages = self.skills.search().graph
        return self.index.updated(read, progress)

    def communities(self, whole: GraphMap, at: str) -> list[MapCommunity]:
        """The communities of a map that `map` returned; `at` decides what is in force."""
        return communities(whole, self.latest.groups(whole), at)

    def why(self, text: str, depth: int = why.DEPTH, progress: Progress | None = None) -> WhyAnswer:
        """The reasons of the memory with that id, or of the memory that answers the question best.

        Raises NotFoundError when there is neither.
        """
        return self.index.updated(lambda: self._why(text, depth), progress)

    def _why(self, text: str, depth: int) -> WhyAnswer:
        memory, others = self._subject(text)
        reasons = self.known(lambda edges: why.explain(memory, edges, self.memory, depth))
        return WhyAnswer(reasons, others, self._commits(reasons))

    def _subject(self, text: str) -> tuple[Memory, tuple[UnifiedId, ...]]:
        """The memory that a text names or asks about, and other hits of the search."""
        missing: NotFoundError = NotFoundError(
            f"nothing is known about {text!r}; try other words, or give the id of a memory."
        )
        try:
            return self.get(text).memory, ()
        except MemoryNotFoundError as error:
            if text.startswith("mem:") or "-" in text:
                raise  # meant as an id: another memory is no answer
            missing = error
        except RefusedError:
            pass  # not an id, so a question
        if text.startswith("skill:"):
            raise RefusedError(
                f"{text!r} is a skill, and links lead back from memories; `recollect show {text}` "
                "shows the memories that it refers to."
            )
        answer = self.find(Request(text, limit=_SEARCHED)).answer
        ids = [hit.document.id for hit in answer.hits]
        best = next((id for id in ids if as_memory(id)), None)
        if best is None:
            raise missing
        if answer.guessed:
            near = ", ".join(id.removeprefix("mem:") for id in ids[:_OTHERS] if as_memory(id))
            raise NotFoundError(
                f"no memory contains the words of {text!r}; the closest by meaning: {near}."
            )
        return self.get(best).memory, tuple(id for id in ids if id != best)[:_OTHERS]

    def memory(self, id: UnifiedId) -> Memory | None:
        """The memory at the end of a link; None when it is missing or cannot be read."""
        if (memory := as_memory(id)) is None:
            return None
        try:
            return self.get(memory).memory
        except (MemoryNotFoundError, InvalidError):
            return None

    def _commits(self, reasons: Why) -> tuple[tuple[str, str], ...]:
        """Date and subject of the commits that the evidence names."""
        edges = [step.edge for step in reasons.steps]
        commits = why.commits(
            edge.evidence for edge in (*edges, *reasons.successors, *reasons.contradictions)
        )
        rows = []
        for commit in commits[:_MAX_COMMITS]:
            ask = ("show", "-s", "--format=%cs %s", "--end-of-options", f"{commit}^{{commit}}")
            if answer := git.ask(self.folder, *ask):
                rows.append((commit, answer.splitlines()[-1]))
        return tuple(rows)
