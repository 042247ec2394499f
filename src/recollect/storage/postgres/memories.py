"""Memories in PostgreSQL: the same bytes as in files. Fills the `MemoryStore` port.

A write is one transaction: the memory, its revision and its place in the index are stored together or not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock

from recollect.errors import (
    ConflictError,
    InvalidConfigError,
    InvalidError,
    MemoryNotFoundError,
    OutsideRootError,
)
from recollect.ids import SLUG, MemoryId
from recollect.records import memory_file
from recollect.records.categories import FOLDERS, Category
from recollect.records.json_format import render
from recollect.records.memory_file import digest, read_memory
from recollect.records.record import Memory
from recollect.records.store import Broken, Progress, Scan, Stored
from recollect.retrieval.documents import document_of
from recollect.retrieval.index_writer import Content, FileState
from recollect.storage.postgres.database import Connection, ProjectDatabase
from recollect.storage.postgres.index_writer import PostgresIndexWriter

_PUT = """
INSERT INTO memory (project, path, data, digest) VALUES (%(project)s, %(path)s, %(data)s, %(digest)s)
ON CONFLICT (project, path) DO UPDATE SET data = excluded.data, digest = excluded.digest
"""
_REVISION = """
INSERT INTO memory_revision (project, path, author, data)
VALUES (%(project)s, %(path)s, %(author)s, %(data)s)
"""
_DELETE = "DELETE FROM memory WHERE project = %(project)s AND path = %(path)s"
_READ_AT_ONCE = 500  # files
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


@dataclass(slots=True)
class PostgresMemories:
    """The memories of one project. Writers of a project wait for each other, at most `lock_wait` seconds.

    `shown` is put before the paths of memories: where this machine has a copy of them. `refusal` says why
    nothing may be written. `keep_rejected` stores a version that lost a race and returns where. `on_written`
    is called after the transaction, without a lock.
    """

    project: ProjectDatabase
    shown: str = ""
    author: str = ""
    lock_wait: float = 10.0
    refusal: str = ""
    keep_rejected: Callable[[Memory], str | None] | None = None
    on_written: Callable[[], None] | None = None
    _depth: int = 0
    _threads: RLock = field(default_factory=RLock)

    def load(self, id: MemoryId) -> Stored:
        for category, path, data in self._named([id]):
            return self._stored(category, path, data)
        raise MemoryNotFoundError(id)

    def scan(self, progress: Progress | None = None) -> Scan:
        sql = "SELECT path, data FROM memory WHERE project = %s"
        with self.project.reading() as connection:
            rows = connection.execute(sql, (self.project.key,)).fetchall()
        stored: list[Stored] = []
        broken: list[Broken] = []
        for done, (category, path, data) in enumerate(_in_order(rows), start=1):
            try:
                stored.append(self._stored(category, path, data))
            except InvalidError as error:
                broken.append(memory_file.broken(f"{self.shown}{path}", error))
            if progress:
                progress(done, len(rows))
        return Scan(tuple(stored), tuple(broken))

    def raw_files(self, paths: Sequence[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """Every file of a memory as it is, or those at some paths, a few at a time."""
        key = self.project.key
        if paths is None:
            with self.project.reading() as connection:
                rows = connection.execute("SELECT path FROM memory WHERE project = %s", (key,))
                paths = [path for (path,) in rows]
        sql = "SELECT path, data FROM memory WHERE project = %s AND path = ANY (%s)"
        for start in range(0, len(paths), _READ_AT_ONCE):
            with self.project.reading() as connection:
                some = list(paths[start : start + _READ_AT_ONCE])
                rows = connection.execute(sql, (key, some))
                files = [(path, bytes(data)) for path, data in rows]
            yield from files

    def has(self, id: MemoryId) -> bool:
        return SLUG.fullmatch(id) is not None and bool(self._named([id]))

    def taken(self) -> set[str]:
        sql = "SELECT path FROM memory WHERE project = %s"
        with self.project.reading() as connection:
            rows = connection.execute(sql, (self.project.key,)).fetchall()
        return {path.rpartition("/")[2].removesuffix(".json") for (path,) in rows}

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self.refusal:
            raise InvalidConfigError(self.refusal)
        with self._threads, self.project.writing() as connection:
            if not self._depth:
                wait = f"{round(self.lock_wait * 1000)}ms"
                connection.execute("SELECT set_config('lock_timeout', %s, true)", (wait,))
                connection.execute(_LOCK, (self.project.key,))
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
        if not self._depth and self.on_written:
            self.on_written()

    def create(self, memory: Memory) -> Stored:
        with self.writing():
            for _, path, data in self._named([memory.id]):
                current = digest(data) if _is_valid(path, data) else "unreadable"
                raise ConflictError(memory.id, "(new)", current, self._rejected(memory))
            return self._put(memory)

    def replace(self, old: Stored, new: Memory) -> Stored:
        with self.writing():
            self._check_version(new.category, old, new)
            return old if new == old.memory else self._put(new)

    def delete(self, old: Stored) -> None:
        with self.writing():
            self._check_version(old.memory.category, old, None)
            self.apply({path_of(old.memory.category, old.memory.id): None})

    def apply(self, files: Mapping[str, bytes | None]) -> None:
        """Store or (None) delete files as they are, valid or not, in one transaction."""
        with self.writing(), self.project.writing() as connection:
            rows = [
                {
                    "project": self.project.key,
                    "path": path,
                    "data": data,
                    "digest": digest(data or b""),
                    "author": self.author or connection.info.user,
                }
                for path, data in files.items()
            ]
            with connection.cursor() as cursor:
                cursor.executemany(_PUT, [row for row in rows if row["data"] is not None])
                cursor.executemany(_DELETE, [row for row in rows if row["data"] is None])
                cursor.executemany(_REVISION, rows)
            self._index(connection, files)

    def _index(self, connection: Connection, files: Mapping[str, bytes | None]) -> None:
        (now,) = connection.execute("SELECT extract(epoch FROM now())::bigint").fetchone() or (0,)
        contents = [
            (FileState(path, now, len(data)), content_of(path, data))
            for path, data in files.items()
            if data is not None
        ]
        gone = [path for path, data in files.items() if data is None]
        PostgresIndexWriter(self.project).put(contents, gone, now)

    def _put(self, memory: Memory) -> Stored:
        path, data = path_of(memory.category, memory.id), render(memory.document)
        self.apply({path: data})
        return Stored(memory, f"{self.shown}{path}", digest(data))

    def _stored(self, category: Category, path: str, data: bytes) -> Stored:
        stem = path.rpartition("/")[2].removesuffix(".json")
        return read_memory(data, category, stem, f"{self.shown}{path}")

    def _check_version(self, category: Category, old: Stored, new: Memory | None) -> None:
        path = path_of(category, old.memory.id)
        sql = "SELECT digest FROM memory WHERE project = %s AND path = %s FOR UPDATE"
        with self.project.writing() as connection:
            row = connection.execute(sql, (self.project.key, path)).fetchone()
        current = row[0] if row else None
        if current != old.digest:
            raise ConflictError(
                old.memory.id, old.digest, current, self._rejected(new) if new else None
            )

    def _rejected(self, memory: Memory) -> str | None:
        return self.keep_rejected(memory) if self.keep_rejected else None

    def _named(self, ids: Sequence[MemoryId]) -> list[tuple[Category, str, bytes]]:
        """The files of these ids, the first category by priority first."""
        paths = [f"{folder}/{id}.json" for id in ids for folder in FOLDERS]
        sql = "SELECT path, data FROM memory WHERE project = %s AND path = ANY (%s)"
        with self.project.reading() as connection:
            rows = connection.execute(sql, (self.project.key, paths)).fetchall()
        return _in_order(rows)


def path_of(category: Category, id: MemoryId) -> str:
    """Where a memory is, below its project. Raises OutsideRootError if the id is not a slug."""
    if not SLUG.fullmatch(id):
        raise OutsideRootError(f"{id!r} is not a memory id, so it does not name a memory.")
    return f"{category.folder}/{id}.json"


def content_of(path: str, data: bytes) -> Content:
    """What the index stores of a file; one that is not a memory has no document."""
    folder, _, name = path.partition("/")
    try:
        stored = read_memory(data, FOLDERS[folder], name.removesuffix(".json"), path)
        return Content(stored.digest, document_of(stored))
    except (InvalidError, KeyError) as error:
        return Content(f"unreadable: {error}", None)


def _in_order(rows: Sequence[tuple[str, bytes]]) -> list[tuple[Category, str, bytes]]:
    """Files by category priority and name."""
    order = {folder: number for number, folder in enumerate(FOLDERS)}
    known = [(path.partition("/")[0], path, bytes(data)) for path, data in rows]
    ranked = sorted((order[folder], path, data) for folder, path, data in known if folder in order)
    return [(FOLDERS[path.partition("/")[0]], path, data) for _, path, data in ranked]


def _is_valid(path: str, data: bytes) -> bool:
    return content_of(path, data).document is not None
