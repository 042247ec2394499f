"""Documents in a team's database without files, to measure its search: a project that is deleted after."""

import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recollect.records.store import Progress
from recollect.retrieval.index import Document
from recollect.storage.postgres.index import PostgresIndex
from recollect.storage.postgres.index_writer import PostgresIndexWriter
from recollect.storage.postgres.projects import open_project_database, remove_project

if TYPE_CHECKING:
    from recollect.retrieval.vectors import VectorStore
    from recollect.storage.models.embedder import Embedder

_T = TypeVar("_T")


class TeamCorpus:
    """Fills the `SearchIndex` port over documents that are put into the database on first use."""

    def __init__(self, documents: Sequence[Document], url: str) -> None:
        self._documents, self._url = documents, url
        self.notes: list[str] = []
        self.in_memory = True
        self.folder = Path()
        self._reader: PostgresIndex | None = None

    def reader(self) -> PostgresIndex:
        if self._reader is None:
            key = f"bench-{uuid.uuid4().hex}"
            rows, _ = open_project_database(self._url, key, "a bench")
            self._reader = PostgresIndex(rows)
            PostgresIndexWriter(rows).fill(self._documents)
            rows.database.analyze()
        return self._reader

    def vectors(self, embedder: "Embedder") -> "VectorStore":
        """The vectors of a model beside the documents."""
        from recollect.storage.postgres.vectors import PostgresVectors  # noqa: PLC0415 - numpy costs 100 ms

        return PostgresVectors(self.reader().project, embedder)

    def update(self, _progress: Progress | None = None) -> PostgresIndex:
        return self.reader()

    def updated(self, work: Callable[[], _T], _progress: Progress | None = None) -> _T:
        self.reader()
        return work()

    def pinned(self, now: str) -> Sequence[Document]:  # noqa: ARG002 - the port has it
        """Nothing is: these documents are there to be searched."""
        return ()

    def attempt(self, work: Callable[[], _T]) -> _T | None:
        return work()

    def check(self, _progress: Progress | None = None) -> None:
        """Nothing to check against."""

    def rewrite(self) -> bool:
        """Nothing is deleted from it."""
        return True

    def close(self) -> None:
        """Delete the documents."""
        if self._reader is not None:
            remove_project(self._reader.project)
            self._reader = None
