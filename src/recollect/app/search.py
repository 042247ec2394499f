"""Searching a project: its memories and the user's, as a person, an agent or a prompt asks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from recollect.app.attention import boosts_of
from recollect.app.finder import Finder
from recollect.app.library import USER_PRIORITY
from recollect.app.sessions import Sessions
from recollect.app.settings import retained_since
from recollect.app.traces import ProjectTraces
from recollect.clock import to_text
from recollect.config import Config
from recollect.records.store import Progress
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.pages import CreatedCount, DocumentPage, Pages, TagCount
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Hit
from recollect.storage import private
from recollect.storage.files.store import FileStore
from recollect.storage.files.worktree import WorkTree
from recollect.values import replaced

__all__ = [
    "NOT_CONTAINED",
    "CreatedCount",
    "DocumentPage",
    "MemoryListing",
    "ProjectSearch",
    "TagCount",
]

_T = TypeVar("_T")
NOT_CONTAINED = "no memory contains these words; showing the closest by meaning"
_NO_MODEL = "search uses words only; `recollect model install` adds search by meaning"


@dataclass(frozen=True, slots=True)
class MemoryListing:
    """A page of the memories of one root, how many it has in all, and how many files are not memories."""

    page: DocumentPage
    memories: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class ProjectSearch:
    """Each use case updates the index from the files once, except those named `indexed`.

    `shown_notes` is the folder that records which hints this user has seen.
    """

    finder: Finder
    sessions: Sessions
    worktree: WorkTree
    config: Config
    clock: Callable[[], datetime]
    shown_notes: Path
    traces: ProjectTraces

    @property
    def uses_model(self) -> bool:
        """Whether an embedding model is installed and can be run."""
        return self.finder.embedder is not None

    @property
    def reranker(self) -> str:
        """The reranker of this server and how it does, or why it is not used; empty without one."""
        reranking = self.finder.reranking
        return reranking.state if reranking else self.finder.missing_reranker

    def find(
        self, request: Request, progress: Progress | None = None, *, traced: bool = True
    ) -> SearchResult:
        """Search the memory files as they are now.

        In `auto` mode the result is what a prompt would get: in force, trusted, not drifted, or nothing.
        Otherwise what is not in force comes after all that is. Without `traced` no trace is recorded: the
        beginnings of a query that a person is typing are no decisions.
        """
        return self.finder.index.updated(lambda: self.find_indexed(request, traced=traced), progress)

    def find_indexed(self, request: Request, *, traced: bool = True) -> SearchResult:
        """Search the index as it is, without a look at the files."""
        request = self._with_attention(request)
        if request.mode == "auto":
            return self._recall(request)
        if request.filters.as_of is None:
            request = replaced(request, now=to_text(self.clock()))
        started = perf_counter()
        result = self.finder.ask(request)
        took = (perf_counter() - started) * 1000
        if traced:
            self.traces.searched(request.text, request.session or "", result.answer, took)
        if result.answer.guessed:
            return replaced(result, notes=(*result.notes, NOT_CONTAINED))
        has_choice = request.strategy is None and not self.uses_model and not self.finder.missing
        if has_choice and self._is_first_time("no-model"):
            return replaced(result, notes=(*result.notes, _NO_MODEL))
        return result

    def recall_indexed(self, request: Request) -> SearchResult | None:
        """What a prompt would get from the index as it is; None when the index cannot be read."""
        return self.finder.index.attempt(lambda: self._recall(self._with_attention(request)))

    def browse(
        self, filters: Filters, progress: Progress, *, offset: int = 0, limit: int | None = None
    ) -> tuple[list[Document], int]:
        """Documents that pass, by priority and id, and how many pass in all."""

        def read() -> DocumentPage:
            pages = self.finder.index.reader().pages()
            return pages.page(filters, "priority", offset=offset, limit=limit)

        page = self.finder.index.updated(read, progress)
        return list(page.documents), page.total

    def newest_first(
        self,
        filters: Filters,
        tags: Sequence[str],
        store: FileStore,
        progress: Progress,
        *,
        offset: int,
        limit: int | None,
    ) -> MemoryListing:
        """The memories of the first root that pass and have these tags, the last changed first."""
        start = USER_PRIORITY if store.root.private else 0
        priorities = range(start, start + USER_PRIORITY)
        store.root.check_listable()
        index = self.finder.index

        def read() -> MemoryListing:
            pages = index.reader().pages()
            page = pages.page(
                filters, "changed", offset=offset, limit=limit, priorities=priorities, tags=tags
            )
            everything = pages.page(
                Filters(statuses=frozenset()), "priority", limit=0, priorities=priorities
            )
            return MemoryListing(page, everything.total, pages.count_unreadable(store.root.shown))

        return index.updated(read, progress)

    def recent(self, filters: Filters, *, offset: int, limit: int) -> DocumentPage:
        """A page of the memories of every root that pass, the last changed first."""
        return self._paged(lambda pages: pages.page(filters, "changed", offset=offset, limit=limit))

    def tags(self, limit: int) -> list[TagCount]:
        """The tags that most memories have, with how many have them."""
        return self._paged(lambda pages: pages.tags(limit))

    def _paged(self, read: Callable[[Pages], _T]) -> _T:
        index = self.finder.index
        return index.updated(lambda: read(index.reader().pages()))

    def created(self, *selections: Filters) -> list[list[CreatedCount]]:
        """For each selection how many documents pass, by the day they were made and their category."""

        def read() -> list[list[CreatedCount]]:
            pages = self.finder.index.reader().pages()
            return [pages.created(filters) for filters in selections]

        return self.finder.index.updated(read)

    def update_index(self, progress: Progress | None = None) -> None:
        """Update the index from the files."""
        self.finder.index.update(progress)

    def is_drifted(self, hit: Hit) -> bool:
        """Whether the code that a hit is anchored to has changed or gone since it was written."""
        return self.worktree.drifted(hit.document.anchors)

    def _recall(self, request: Request) -> SearchResult:
        now = self.clock()
        strict = replaced(
            request.filters,
            in_force_at=to_text(now),
            only_trusted=True,
            retained_since=retained_since(self.config, now),
        )
        result = self.finder.ask(replaced(request, filters=strict))
        hits = tuple(hit for hit in result.answer.hits if not self.is_drifted(hit))
        withheld = len(result.answer.hits) - len(hits)
        return replaced(result, answer=replaced(result.answer, hits=hits), withheld=withheld)

    def _with_attention(self, request: Request) -> Request:
        """The request with the attention of its session, if a boost that uses it is on."""
        boosts = boosts_of(self.config)
        if request.attention is not None or not boosts:
            return request
        index = self.finder.index.reader()
        attention = self.sessions.attention(index, index.edges, boosts, request.session)
        return replaced(request, attention=attention)

    def _is_first_time(self, hint: str) -> bool:
        """Whether this user has not seen a hint yet; records that they have now."""
        marker = self.shown_notes / hint
        try:
            private.make_folder(marker.parent)
            marker.touch(private.FILE, exist_ok=False)
        except OSError:
            return False
        return True
