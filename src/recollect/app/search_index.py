"""The index as search uses it, whichever engine has it: the port that both composition roots fill."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recollect.graph.causal import Edges
from recollect.graph.graph_map import MapNode
from recollect.ids import UnifiedId
from recollect.records.store import Progress
from recollect.retrieval.index import Document, Index
from recollect.retrieval.pages import Pages

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # as in `Index`, which a hook loads

_T = TypeVar("_T")


class TimedEdges(Edges, Protocol):
    """Links that can be asked for under a time limit."""

    def limited(self, seconds: float) -> AbstractContextManager[None]:
        """Let statements inside this context take so long in all; raises TimeoutError after that."""


class IndexReader(Index, Protocol):
    """An open index, with what the application asks beside search."""

    def edges(self) -> TimedEdges:
        """The links between the documents."""

    def pages(self) -> Pages:
        """The documents in an order, a page at a time."""

    def map_nodes(self) -> list[MapNode]:
        """Every memory as a node of a map."""

    def count_without_vectors(self, model: str) -> int:
        """How many documents have no vectors of a model, whether it is loaded or not."""

    def successors(self, ids: Sequence[UnifiedId]) -> Mapping[UnifiedId, tuple[tuple[str, str], ...]]:
        """The memories that supersede each of these, and when they start being valid."""


class SearchIndex(Protocol):
    """An index that is opened on first use and kept equal to what it is derived from.

    `notes` collects what a user should know, until a caller reads it. `folder` has files beside the index,
    unless it is `in_memory`.
    """

    notes: list[str]
    in_memory: bool

    @property
    def folder(self) -> Path: ...

    def reader(self) -> IndexReader:
        """The index as it is."""

    def update(self, progress: Progress | None = None) -> IndexReader:
        """The index, equal to what it is derived from."""

    def updated(self, work: Callable[[], _T], progress: Progress | None = None) -> _T:
        """Update the index once, then `work` with it."""

    def pinned(self, now: str) -> Sequence[Document]:
        """Update the index once; pinned documents that are in force now, those confirmed last first."""

    def attempt(self, work: Callable[[], _T]) -> _T | None:
        """Work with the index as it is; None when it cannot be read now."""

    def check(self, progress: Progress | None = None) -> None:
        """Update the index and look for damage, which is repaired."""

    def rewrite(self) -> bool:
        """Leave nothing that was deleted in the files of the index; False while another process uses it."""

    def close(self) -> None:
        """Close it; the next use opens it again."""
