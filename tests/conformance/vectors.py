"""The adapters of the `VectorStore` port. A new engine adds one factory to VECTORS."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.postgres import shared_project

from recollect.retrieval.index import Index
from recollect.retrieval.index_writer import IndexWriter
from recollect.retrieval.vectors import VectorStore
from recollect.storage.matrix import MatrixVectors
from recollect.storage.models.embedder import Embedder
from recollect.storage.postgres.index import PostgresIndex
from recollect.storage.postgres.index_writer import PostgresIndexWriter
from recollect.storage.postgres.vectors import PostgresVectors
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.writer import SqliteIndexWriter


@dataclass(frozen=True, slots=True)
class EmptyVectors:
    """Vectors of a new, empty index, and both sides of that index."""

    vectors: VectorStore
    index: Index
    writer: IndexWriter


MakeVectors = Callable[[Embedder], EmptyVectors]


def matrix_beside_sqlite(embedder: Embedder) -> EmptyVectors:
    connection = index_file.memory()
    index = SqliteIndex(connection)
    vectors = MatrixVectors(index.passages(), None, embedder)
    return EmptyVectors(vectors, index, SqliteIndexWriter(connection))


def pgvector(embedder: Embedder) -> EmptyVectors:
    project = shared_project()
    return EmptyVectors(
        PostgresVectors(project, embedder), PostgresIndex(project), PostgresIndexWriter(project)
    )


def pgvector_hnsw(embedder: Embedder) -> EmptyVectors:
    """However few the passages, they get an index."""
    project = shared_project()
    vectors = PostgresVectors(project, embedder, exact_up_to=0)
    return EmptyVectors(vectors, PostgresIndex(project), PostgresIndexWriter(project))


VECTORS: list[MakeVectors] = [matrix_beside_sqlite, pgvector, pgvector_hnsw]
