"""The writing side of the index. Fills the `IndexWriter` port over tables of documents and postings."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.records.duplicates import plain_title
from recollect.records.store import Progress
from recollect.retrieval.files import base_name, is_pattern
from recollect.retrieval.index import Document
from recollect.retrieval.index_writer import (
    CLOCK_DOUBT,
    Changes,
    Content,
    DocumentSource,
    FileState,
    differences,
)
from recollect.storage.postgres.database import Connection, ProjectDatabase, ProjectKey
from recollect.storage.postgres.document_words import (
    DocumentWords,
    add_words,
    read_words,
    remove_words,
    words_of,
)
from recollect.storage.postgres.glob_pattern import as_regex
from recollect.storage.postgres.text_values import restored, storable

NEIGHBOURS = 2  # documents of the same thread, on each side, whose words a document is found by too
BATCH = 500  # files per transaction: a process that is killed keeps what it has finished
_DERIVED = ("tag", "named_file", "edge", "passage")
_COLUMNS = (
    "project, key, id, path, title, tags, body, category, priority, status, created_at, updated_at,"
    " valid_from, valid_to, gone_at, ended_as, ended_at, files, thread, source, anchors, plain_title"
)
_ADD_DOCUMENT = (
    f"INSERT INTO document ({_COLUMNS}) VALUES ({', '.join(['%s'] * len(_COLUMNS.split(',')))})"
)
_ADD_TAG = "INSERT INTO tag (project, tag, document) VALUES (%s, %s, %s)"
_ADD_FILE = (
    "INSERT INTO named_file (project, name, path, pattern, document) VALUES (%s, %s, %s, %s, %s)"
)
_ADD_EDGE = (
    "INSERT INTO edge (project, source, type, target, evidence, priority, document)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
_RECORD = """
INSERT INTO index_file (project, path, modified, size, digest, seen, document)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (project, path) DO UPDATE SET modified = excluded.modified, size = excluded.size,
digest = excluded.digest, seen = excluded.seen, document = excluded.document
"""
_LOCK_STATE = """
INSERT INTO index_state (project, version, documents, tokens) VALUES (%s, 0, 0, 0)
ON CONFLICT (project) DO UPDATE SET version = index_state.version
"""
_COUNT = """
UPDATE index_state SET version = version + 1, documents = documents + %s, tokens = tokens + %s
WHERE project = %s
"""
_THREAD = """
SELECT key, CASE WHEN status = 'active' AND source <> 'tool' THEN body ELSE '' END FROM document
WHERE project = %s AND md5(thread) = md5(%s) AND thread <> '' ORDER BY created_at, id, priority
"""


class PostgresIndexWriter:
    """Writes the index of one project. Writers of one project wait for each other."""

    def __init__(self, project: ProjectDatabase) -> None:
        self._project = project

    def synchronise(
        self,
        source: DocumentSource,
        now: int,
        progress: Progress | None = None,
        folders: Collection[str] | None = None,
    ) -> Changes:
        stale, gone = self._outdated(source, now, folders)
        return self._apply(stale, gone, source, now, progress)

    def refresh(self, source: DocumentSource, paths: Iterable[str], now: int) -> Changes:
        states = {path: source.state(path) for path in paths}
        stale = [state for state in states.values() if state is not None]
        gone = [path for path, state in states.items() if state is None]
        return self._apply(stale, gone, source, now)

    def fill(self, documents: Iterable[Document]) -> None:
        waiting = list(documents)
        for start in range(0, len(waiting), BATCH):
            some = waiting[start : start + BATCH]
            self._project.write(lambda connection, some=some: self._fill(connection, some))  # type: ignore[misc]

    def put(self, files: Sequence[tuple[FileState, Content]], gone: Sequence[str], now: int) -> Changes:
        """Put files into the index and take others out, in one transaction."""
        return self._project.write(lambda connection: self._put(connection, files, gone, now))

    def _fill(self, connection: Connection, documents: Sequence[Document]) -> None:
        change = _Change(connection, self._project.key)
        change.add(documents)
        change.finish()

    def _outdated(
        self, source: DocumentSource, now: int, folders: Collection[str] | None
    ) -> tuple[list[FileState], list[str]]:
        inside, values = _inside(folders)
        sql = (
            f"SELECT path, modified, size, digest, seen FROM index_file WHERE project = %s AND {inside}"
        )
        with self._project.reading() as connection:
            rows = connection.execute(sql, (self._project.key, *values)).fetchall()
        states = [
            (FileState(restored(path), *rest), digest, seen) for path, *rest, digest, seen in rows
        ]
        recent = {
            state: digest for state, digest, seen in states if state.modified > seen - CLOCK_DOUBT
        }
        return differences({(*state,) for state, _, _ in states}, recent, source, now, folders)

    def _apply(
        self,
        stale: Sequence[FileState],
        gone: Sequence[str],
        source: DocumentSource,
        now: int,
        progress: Progress | None = None,
    ) -> Changes:
        """Read the stale files and take out those that are gone. Files are read before each transaction."""
        changes = Changes()
        for start in range(0, max(len(stale), len(gone)), BATCH):
            contents = []
            for done, state in enumerate(stale[start : start + BATCH], start=start + 1):
                contents.append((state, source.read(state.path)))
                if progress:
                    progress(done, len(stale))
            changes += self.put(contents, gone[start : start + BATCH], now)
        return changes

    def _put(
        self,
        connection: Connection,
        files: Sequence[tuple[FileState, Content]],
        gone: Sequence[str],
        now: int,
    ) -> Changes:
        change = _Change(connection, self._project.key)
        known = self._recorded(connection, [*gone, *(state.path for state, _ in files)])
        removed = [path for path in gone if path in known]
        changed = [
            (state, content)
            for state, content in files
            if known.get(state.path, (None, None))[0] != content.digest
        ]
        outdated = [*removed, *(state.path for state, _ in changed if state.path in known)]
        change.remove([key for path in outdated if (key := known[path][1]) is not None])
        connection.execute(
            "DELETE FROM index_file WHERE project = %s AND path = ANY (%s)",
            (self._project.key, [storable(path) for path in removed]),
        )
        with_document = [content.document for _, content in changed if content.document is not None]
        keys = iter(change.add(with_document))
        keys_by_path = {
            state.path: next(keys) if content.document is not None else None
            for state, content in changed
        }
        self._record(connection, files, known, keys_by_path, now)
        change.finish()
        count = len(outdated) - len(removed)
        return Changes(added=len(changed) - count, changed=count, removed=len(removed))

    def _recorded(
        self, connection: Connection, paths: Sequence[str]
    ) -> dict[str, tuple[str, int | None]]:
        """Digest and document of those of these files that the index knows."""
        sql = (
            "SELECT path, digest, document FROM index_file WHERE project = %s AND path = ANY (%s)"
            " ORDER BY path FOR UPDATE"
        )
        rows = connection.execute(sql, (self._project.key, [storable(path) for path in paths]))
        return {restored(path): (digest, document) for path, digest, document in rows}

    def _record(
        self,
        connection: Connection,
        files: Sequence[tuple[FileState, Content]],
        known: Mapping[str, tuple[str, int | None]],
        keys: Mapping[str, int | None],
        now: int,
    ) -> None:
        rows = [
            (
                self._project.key,
                storable(state.path),
                state.modified,
                state.size,
                storable(content.digest),
                now,
                keys[state.path] if state.path in keys else known[state.path][1],
            )
            for state, content in files
        ]
        with connection.cursor() as cursor:
            cursor.executemany(_RECORD, rows)


@dataclass(slots=True)
class _Change:
    """One transaction on the index: documents out, documents in, then what depends on other documents."""

    connection: Connection
    project: ProjectKey
    _threads: set[str] = field(default_factory=set)
    _documents: int = 0
    _tokens: int = 0
    _is_locked: bool = False

    def remove(self, keys: Collection[int]) -> None:
        """Take documents out."""
        if not keys:
            return
        self._lock()
        values = (self.project, list(keys))
        self._tokens -= remove_words(
            self.connection, self.project, read_words(self.connection, self.project, keys)
        )
        sql = "DELETE FROM document WHERE project = %s AND key = ANY (%s) RETURNING thread"
        rows = self.connection.execute(sql, values).fetchall()
        self._threads.update(row[0] for row in rows)
        self._documents -= len(rows)
        for table in _DERIVED:
            sql = f"DELETE FROM {table} WHERE project = %s AND document = ANY (%s)"
            self.connection.execute(sql, values)

    def add(self, documents: Sequence[Document]) -> list[int]:
        """Put documents in; returns their keys. `finish` adds their neighbours' words."""
        if not documents:
            return []
        self._lock()
        sql = "SELECT nextval('document_key') FROM generate_series(1, %s)"
        keys: list[int] = [row[0] for row in self.connection.execute(sql, (len(documents),))]
        keyed = list(zip(keys, documents, strict=True))
        with self.connection.cursor() as cursor:
            cursor.executemany(
                _ADD_DOCUMENT, [_document_row(self.project, key, each) for key, each in keyed]
            )
            cursor.executemany(_ADD_TAG, _tag_rows(self.project, keyed))
            cursor.executemany(_ADD_FILE, _file_rows(self.project, keyed))
            cursor.executemany(_ADD_EDGE, _edge_rows(self.project, keyed))
        texts = {key: _words(document) for key, document in keyed}
        self._tokens += add_words(self.connection, self.project, texts)
        self._threads.update(storable(document.thread) for document in documents)
        self._documents += len(documents)
        return keys

    def finish(self) -> None:
        """Update what depends on other documents: the words of neighbours, and the counts."""
        for thread in sorted(self._threads - {""}):
            self._update_context(thread)
        if self._is_locked:
            self.connection.execute(_COUNT, (self._documents, self._tokens, self.project))

    def _lock(self) -> None:
        """Let one writer of the project go on at a time."""
        if not self._is_locked:
            self.connection.execute(_LOCK_STATE, (self.project,))
            self._is_locked = True

    def _update_context(self, thread: str) -> None:
        """Give each document of a thread its neighbours' words: only active ones that no tool wrote."""
        rows = self.connection.execute(_THREAD, (self.project, thread)).fetchall()
        before = read_words(self.connection, self.project, [key for key, _ in rows])
        after: dict[int, DocumentWords] = {}
        for place, (key, _) in enumerate(rows):
            near = rows[max(place - NEIGHBOURS, 0) : place] + rows[place + 1 : place + 1 + NEIGHBOURS]
            context = words_of("\n".join(restored(body) for _, body in near))
            if before[key].context != context:
                after[key] = before[key]._replace(context=context)
        changed = {key: before[key] for key in after}
        self._tokens -= remove_words(self.connection, self.project, changed)
        self._tokens += add_words(self.connection, self.project, after)


def _words(document: Document) -> DocumentWords:
    return DocumentWords(
        words_of(document.title), words_of(" ".join(document.tags)), words_of(document.body), []
    )


def _document_row(project: ProjectKey, key: int, document: Document) -> tuple[object, ...]:
    return (
        project,
        key,
        document.id,
        storable(document.path),
        storable(document.title),
        [storable(tag) for tag in document.tags],
        storable(document.body),
        document.category,
        document.priority,
        document.status,
        document.created_at,
        document.updated_at,
        document.valid_from,
        document.valid_to,
        document.gone_at,
        storable(document.ended_as),
        document.ended_at,
        [storable(path) for path in document.files],
        storable(document.thread),
        storable(document.source),
        storable(document.anchors),
        storable(plain_title(document.title)),
    )


def _tag_rows(
    project: ProjectKey, keyed: Sequence[tuple[int, Document]]
) -> list[tuple[ProjectKey, str, int]]:
    return [
        (project, storable(tag), key) for key, document in keyed for tag in sorted(set(document.tags))
    ]


def _file_rows(
    project: ProjectKey, keyed: Sequence[tuple[int, Document]]
) -> list[tuple[ProjectKey, str, str, str | None, int]]:
    return [
        (
            project,
            "*" if is_pattern(path) else base_name(storable(path)),
            storable(path),
            as_regex(storable(path)) if is_pattern(path) else None,
            key,
        )
        for key, document in keyed
        for path in dict.fromkeys(document.files)
    ]


def _edge_rows(project: ProjectKey, keyed: Sequence[tuple[int, Document]]) -> list[tuple[object, ...]]:
    """The links of documents, each once; of duplicates, the first that has evidence."""
    rows: list[tuple[object, ...]] = []
    for key, document in keyed:
        evidence: dict[tuple[str, str], str] = {}
        for link in document.links:
            place = (link.type.value, storable(link.target))
            evidence[place] = evidence.get(place) or storable(link.evidence or "")
        rows += [
            (project, document.id, type, target, evidence[type, target], document.priority, key)
            for type, target in sorted(evidence)
        ]
    return rows


def _inside(folders: Collection[str] | None) -> tuple[str, list[str]]:
    """The SQL for the paths in these folders, or for all, and its values."""
    if folders is None:
        return "true", []
    ends = [storable(end) for folder in folders for end in (f"{folder}/", f"{folder}0")]  # 0 follows /
    return f"({' OR '.join(['path > %s AND path < %s'] * len(folders)) or 'false'})", ends
