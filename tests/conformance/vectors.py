"""The adapters of the `VectorStore` port. A new engine adds one factory to VECTORS."""

from collections.abc import Callable
from dataclasses import dataclass

from recollect.retrieval.index import Index
from recollect.retrieval.index_writer import IndexWriter
from recollect.retrieval.vectors import VectorStore
from recollect.storage.matrix import MatrixVectors
from recollect.storage.models.embedder import Embedder
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


VECTORS: list[MakeVectors] = [matrix_beside_sqlite]
