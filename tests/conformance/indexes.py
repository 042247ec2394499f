"""The adapters of the text index. A new engine adds one factory to INDEXES."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from tests.postgres import shared_project

from recollect.retrieval.index import Document, Index
from recollect.retrieval.index_writer import Content, FileState, IndexWriter
from recollect.storage.postgres.index import PostgresIndex
from recollect.storage.postgres.index_writer import PostgresIndexWriter
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.writer import SqliteIndexWriter


@dataclass(frozen=True, slots=True)
class EmptyIndex:
    """Both sides of a new, empty index."""

    reader: Index
    writer: IndexWriter

    def filled(self, documents: Iterable[Document]) -> Index:
        self.writer.fill(documents)
        return self.reader


MakeIndex = Callable[[], EmptyIndex]


def sqlite() -> EmptyIndex:
    connection = index_file.memory()
    return EmptyIndex(SqliteIndex(connection), SqliteIndexWriter(connection))


def postgres() -> EmptyIndex:
    project = shared_project()
    return EmptyIndex(PostgresIndex(project), PostgresIndexWriter(project))


INDEXES: list[MakeIndex] = [sqlite, postgres]


@dataclass(slots=True)
class ListedFiles:
    """A `DocumentSource` without a file system: path to (modified, size, content)."""

    rows: dict[str, tuple[int, int, Content]] = field(default_factory=dict)
    paths_read: list[str] = field(default_factory=list)

    def put(self, path: str, document: Document | None, modified: int = 1, size: int = 1) -> None:
        self.rows[path] = (modified, size, Content(repr(document), document))

    def files(self, folders: Collection[str] | None = None) -> Iterable[tuple[str, int, int]]:
        return [
            (path, modified, size)
            for path, (modified, size, _) in self.rows.items()
            if folders is None or path.rpartition("/")[0] in folders
        ]

    def state(self, path: str) -> FileState | None:
        return FileState(path, *self.rows[path][:2]) if path in self.rows else None

    def read(self, path: str) -> Content:
        self.paths_read.append(path)
        return self.rows[path][2]

    def folder_times(self) -> dict[str, int]:
        return {}
