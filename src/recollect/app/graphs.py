"""The causal graph: questions about the links between memories, answered from the index."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from recollect.errors import InvalidError, MemoryNotFoundError, NotFoundError, RefusedError
from recollect.graph import why
from recollect.graph.causal import Edge, Edges
from recollect.graph.why import Explained, Why
from recollect.ids import UnifiedId, as_memory
from recollect.records.record import Memory
from recollect.records.store import Progress, Stored
from recollect.retrieval.request import Request, SearchResult
from recollect.storage import git
from recollect.storage.sqlite.index_database import SearchIndex

_ALSO = 3  # other hits that a question is told of
_ASKED = 10  # hits among which the first memory is looked for: a skill may fit better, and has no why
_MOST_COMMITS = 20  # that git is asked about
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


@dataclass(frozen=True, slots=True)
class ProjectGraphs(Graphs):
    """The same with the memories themselves at hand, the project's and the user's."""

    get: Callable[[str], Stored]
    find: Callable[[Request, Progress | None], SearchResult]
    folder: Path

    def why(self, text: str, depth: int = why.DEPTH, progress: Progress | None = None) -> Explained:
        """Why the memory of that id is as it is, or else the one that answers the question best.

        Raises NotFoundError when there is neither.
        """
        memory, others = self._meant(text, progress)
        told = self.ask(lambda edges: why.explain(memory, edges, self.memory, depth), progress)
        return Explained(told, others, self._commits(told))

    def _meant(self, text: str, progress: Progress | None) -> tuple[Memory, tuple[UnifiedId, ...]]:
        missing: NotFoundError = NotFoundError(
            f"nothing is known about {text!r}; ask in other words, or give the id of a memory."
        )
        try:
            return self.get(text).memory, ()
        except MemoryNotFoundError as error:
            missing = error
        except RefusedError:
            pass  # no id: a question
        if text.startswith("mem:"):
            raise missing
        if text.startswith("skill:"):
            raise RefusedError(
                f"{text!r} is a skill, and links lead back from memories; `recollect show {text}` "
                "shows the memories that it speaks of."
            )
        ids = [hit.document.id for hit in self.find(Request(text, limit=_ASKED), progress).answer.hits]
        best = next((id for id in ids if as_memory(id)), None)
        if best is None:
            raise missing
        return self.get(best).memory, tuple(id for id in ids if id != best)[:_ALSO]

    def memory(self, id: UnifiedId) -> Memory | None:
        """A memory that a link leads to; None when there is none, or none that can be read."""
        if (memory := as_memory(id)) is None:
            return None
        try:
            return self.get(memory).memory
        except (MemoryNotFoundError, InvalidError):
            return None

    def _commits(self, told: Why) -> tuple[tuple[str, str], ...]:
        """What git knows of the commits that the evidence names."""
        edges = [step.edge for step in told.steps]
        named = why.commits(edge.evidence for edge in (*edges, *told.successors, *told.contradictions))
        found = []
        for commit in named[:_MOST_COMMITS]:
            ask = ("show", "-s", "--format=%cs %s", "--end-of-options", f"{commit}^{{commit}}")
            if answer := git.ask(self.folder, *ask):
                found.append((commit, answer.splitlines()[-1]))
        return tuple(found)
