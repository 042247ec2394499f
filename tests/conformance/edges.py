"""The adapters of the `Edges` port. A new engine adds one factory to EDGES."""

from collections.abc import Callable, Iterable

from tests.postgres import shared_project

from recollect.graph.causal import Edges
from recollect.retrieval.index import Document
from recollect.storage.postgres.edges import PostgresEdges
from recollect.storage.postgres.index_writer import PostgresIndexWriter
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.edges import SqliteEdges
from recollect.storage.sqlite.writer import SqliteIndexWriter

MakeEdges = Callable[[Iterable[Document]], Edges]


def sqlite(documents: Iterable[Document]) -> Edges:
    connection = index_file.memory()
    SqliteIndexWriter(connection).fill(documents)
    return SqliteEdges(connection)


def postgres(documents: Iterable[Document]) -> Edges:
    project = shared_project()
    PostgresIndexWriter(project).fill(documents)
    return PostgresEdges(project)


EDGES: list[MakeEdges] = [sqlite, postgres]
