"""The writing side of the index. Fills the `IndexWriter` port over SQLite FTS5."""

import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping, Sequence

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
from recollect.storage.sqlite.connections import leave_reserve, writing
from recollect.storage.sqlite.schema import storable
from recollect.text.stemming import stems
from recollect.text.tokens import tokens

NEIGHBOURS = 2  # documents of the same thread, on each side, whose words a document is found by too
_SHORT_BATCH = 50  # where the time is limited
_BATCH = 500  # files per transaction: a process that is killed keeps what it has finished
_GROWTH = 4  # bytes of the database and its WAL, at most, for each byte of a file


class SqliteIndexWriter:
    """Writes to an open index. Not for two threads at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def synchronise(
        self,
        source: DocumentSource,
        now: int,
        progress: Progress | None = None,
        folders: Collection[str] | None = None,
    ) -> Changes:
        stale, gone = self.outdated(source, now, folders)
        return self.apply(stale, gone, source, now, progress)[0]

    def refresh(self, source: DocumentSource, paths: Iterable[str], now: int) -> Changes:
        states = {path: source.state(path) for path in paths}
        stale = [state for state in states.values() if state is not None]
        gone = [path for path, state in states.items() if state is None]
        return self.apply(stale, gone, source, now)[0]

    def apply(
        self,
        stale: Sequence[FileState],
        gone: Sequence[str],
        source: DocumentSource,
        now: int,
        progress: Progress | None = None,
        until: float | None = None,
    ) -> tuple[Changes, bool]:
        """Read the stale files and take out those that are gone, a batch at a time.

        Files are read before each transaction, because others wait while it is open. Stops early at the
        moment `until` of the monotonic clock; returns the changes, and whether all is done. Raises
        sqlite3.OperationalError instead of taking the last space of the disk.
        """
        changes = Changes()
        batch = _BATCH if until is None else _SHORT_BATCH
        for start in range(0, max(len(stale), len(gone)), batch):
            if until is not None and time.monotonic() > until:
                return changes, False
            contents = []
            for done, state in enumerate(stale[start : start + batch], start=start + 1):
                contents.append((state, source.read(state.path)))
                if progress:
                    progress(done, len(stale))
            if contents:
                leave_reserve(self._db, _GROWTH * sum(state.size for state, _ in contents))
            with writing(self._db):
                changes += self._put(contents, gone[start : start + batch], now)
        return changes, True

    def _put(
        self, contents: Sequence[tuple[FileState, Content]], gone: Sequence[str], now: int
    ) -> Changes:
        threads: set[str] = set()
        before = self._db.total_changes
        changes = Changes()
        for path in gone:
            changes += Changes(removed=int(self._is_recorded(path)))
            threads |= self._remove(path)
        for state, content in contents:
            change, touched = self._update(state, content, now)
            changes, threads = changes + change, threads | touched
        if self._db.total_changes != before:
            self._finish(threads)
        return changes

    def _is_recorded(self, path: str) -> bool:
        return self._db.execute("SELECT 1 FROM file WHERE path = ?", (path,)).fetchone() is not None

    def changed_folders(self, times: Mapping[str, int]) -> list[str] | None:
        """The folders that may have changed since they were listed; None before the first time.

        A folder that changed shortly before it was listed may have changed again within the same step of
        the file system's clock, so it counts as changed.
        """
        sql = "SELECT key, value FROM meta WHERE key IN ('folders', 'listed')"
        properties = dict(self._db.execute(sql))
        recorded = [int(at) for at in properties.get("folders", "").split()]
        if "listed" not in properties or len(recorded) != len(times):
            return None
        before = dict(zip(times, recorded, strict=True))
        settled = int(properties["listed"]) - CLOCK_DOUBT
        return [folder for folder, at in times.items() if before[folder] != at or at > settled]

    def record_folder_times(self, times: Mapping[str, int], listed_at: int) -> None:
        """Record that the index is equal to folders with these times, which were listed at that moment."""
        changed = self.changed_folders(times)
        settles = max(times.values(), default=0) <= listed_at - CLOCK_DOUBT
        text = " ".join(map(str, times.values()))
        sql = "SELECT 1 FROM meta WHERE key = 'folders' AND value = ?"
        if changed is None or (changed and settles) or not self._db.execute(sql, (text,)).fetchone():
            rows = [("folders", text), ("listed", str(listed_at))]
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def fill(self, documents: Iterable[Document]) -> None:
        threads: set[str] = set()
        with writing(self._db):
            for document in documents:
                self._add(document)
                threads.add(storable(document.thread))
            self._finish(threads)

    def outdated(
        self, source: DocumentSource, now: int, folders: Collection[str] | None = None
    ) -> tuple[list[FileState], list[str]]:
        """The files to read again and the paths that are gone, of all folders or of some."""
        inside, values = _inside(folders)
        recorded = set(
            self._db.execute(f"SELECT path, modified, size FROM file WHERE {inside}", values)
        )
        sql = f"SELECT path, modified, size, digest FROM file WHERE modified > seen - ? AND {inside}"
        rows = self._db.execute(sql, (CLOCK_DOUBT, *values))
        recent = {FileState(*state): digest for *state, digest in rows}
        return differences(recorded, recent, source, now, folders)

    def _update(self, state: FileState, content: Content, now: int) -> tuple[Changes, set[str]]:
        """Put one file's content in; returns the change and the threads that it touched."""
        sql = "SELECT digest FROM file WHERE path = ?"
        before = self._db.execute(sql, (state.path,)).fetchone()
        if before is not None and before[0] == content.digest:
            sql = "UPDATE file SET modified = ?, size = ?, seen = ? WHERE path = ?"
            self._db.execute(sql, (state.modified, state.size, now, state.path))
            return Changes(), set()
        threads = self._remove(state.path)
        key = None
        if (document := content.document) is not None:
            key = self._add(document)
            threads.add(storable(document.thread))
        sql = "INSERT INTO file VALUES (?, ?, ?, ?, ?, ?)"
        self._db.execute(sql, (state.path, state.modified, state.size, content.digest, now, key))
        return (Changes(added=1) if before is None else Changes(changed=1)), threads

    def _remove(self, path: str) -> set[str]:
        """Take a file out; returns the thread of its document, if it had one."""
        row = self._db.execute("SELECT document FROM file WHERE path = ?", (path,)).fetchone()
        self._db.execute("DELETE FROM file WHERE path = ?", (path,))
        if row is None or row[0] is None:
            return set()
        key = row[0]
        sql = "SELECT thread FROM document WHERE key = ?"
        thread = self._db.execute(sql, (key,)).fetchone()[0]
        for sql in (
            "DELETE FROM text WHERE rowid = ?",
            "DELETE FROM tag WHERE document = ?",
            "DELETE FROM named_file WHERE document = ?",
            "DELETE FROM edge WHERE document = ?",
            "DELETE FROM passage WHERE document = ?",
            "DELETE FROM document WHERE key = ?",
        ):
            self._db.execute(sql, (key,))
        return {thread}

    def _add(self, document: Document) -> int:
        """Put a document in; returns its key. `_finish` adds its neighbours' words."""
        title, body = storable(document.title), storable(document.body)
        tags = [storable(tag) for tag in document.tags]
        files = [storable(path) for path in document.files]
        columns = (
            document.id,
            storable(document.path),
            title,
            json.dumps(tags, ensure_ascii=False),
            body,
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
            json.dumps(files, ensure_ascii=False),
            storable(document.thread),
            storable(document.source),
            document.anchors,
            storable(plain_title(document.title)),
            document.pinned_at,
        )
        cursor = self._db.execute(f"INSERT INTO document VALUES (NULL{', ?' * len(columns)})", columns)
        key = cursor.lastrowid
        assert key is not None
        self._db.executemany("INSERT INTO tag VALUES (?, ?)", [(tag, key) for tag in sorted(set(tags))])
        named = [(_name(path), path, key) for path in dict.fromkeys(files)]
        self._db.executemany("INSERT INTO named_file VALUES (?, ?, ?)", named)
        self._db.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)", _edges(document, key))
        texts = (title, " ".join(tags), body)
        self._db.execute(
            "INSERT INTO text(rowid, title, tags, body) VALUES (?, ?, ?, ?)",
            (key, *(_stemmed(text) for text in texts)),
        )
        return key

    def _finish(self, threads: set[str]) -> None:
        """Update what depends on other documents: the words of neighbours, and the document count."""
        for thread in sorted(threads - {""}):
            self._update_context(thread)
        self._db.execute("INSERT OR REPLACE INTO meta SELECT 'documents', count(*) FROM document")

    def _update_context(self, thread: str) -> None:
        """Give each document of a thread its neighbours' words: only active ones that no tool wrote."""
        sql = (
            "SELECT key, CASE WHEN status = 'active' AND source <> 'tool' THEN body ELSE '' END"
            " FROM document WHERE thread = ? ORDER BY created_at, id, priority"
        )
        rows = list(self._db.execute(sql, (thread,)))
        for place, (key, _) in enumerate(rows):
            near = rows[max(place - NEIGHBOURS, 0) : place] + rows[place + 1 : place + 1 + NEIGHBOURS]
            words = "\n".join(body for _, body in near)
            sql = "UPDATE text SET context = ? WHERE rowid = ?"
            self._db.execute(sql, (_stemmed(words), key))


def _inside(folders: Collection[str] | None) -> tuple[str, list[str]]:
    """The SQL for the paths in these folders, or for all, and its values."""
    if folders is None:
        return "1", []
    ends = [end for folder in folders for end in (f"{folder}/", f"{folder}0")]  # 0 follows / in ASCII
    return f"({' OR '.join(['path > ? AND path < ?'] * len(folders)) or '0'})", ends


def _name(path: str) -> str:
    """The key of a file in `named_file`: its base name, or `*` for a pattern."""
    return "*" if is_pattern(path) else base_name(path)


def _edges(document: Document, key: int) -> list[tuple[str, str, str, str, int, int]]:
    """The links of a document, each once; of duplicates, the first that has evidence."""
    evidence: dict[tuple[str, str], str] = {}
    for link in document.links:
        place = (link.type.value, storable(link.target))
        evidence[place] = evidence.get(place) or storable(link.evidence or "")
    return [
        (document.id, type, target, evidence[type, target], document.priority, key)
        for type, target in sorted(evidence)
    ]


def _stemmed(text: str) -> str:
    """The stems of a text, for the text index."""
    return " ".join(stems(tokens(text)))
