"""The kept index: writing side. Brings it in step with the files, and no further."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from recollect.retrieval.files import base_name, is_pattern
from recollect.retrieval.index import Document
from recollect.retrieval.tokens import tokens
from recollect.storage.sqlite.connections import writing
from recollect.storage.sqlite.schema import storable
from recollect.storage.sqlite.stemmer import Stemmer

NEIGHBOURS = 2  # on each side, of the same thread: what was said just before and after
_AT_ONCE = 1_000  # files that are put in together
_DOUBT = 2_000_000_000  # nanoseconds: a file changed this close to its reading is read again


class FileState(NamedTuple):
    """A file as the disk lists it."""

    path: str
    modified: int
    size: int


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it was read; `document` is None when it is no memory."""

    digest: str
    document: Document | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a synchronisation did."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(
            self.added + other.added, self.changed + other.changed, self.removed + other.removed
        )


def synchronise(
    db: sqlite3.Connection,
    states: Iterable[tuple[str, int, int]],
    read: Callable[[str], Content],
    now: int,
    progress: Callable[[int, int], None] | None = None,
) -> Changes:
    """Make the index say what the files say. Modification time and size first, content when in doubt.

    `states` is gone through after it is read what the index knows: what another process puts in
    meanwhile is then new to us, never missing from our list.
    """
    stale, gone = _differences(db, states, read, now)
    if not gone and not stale:
        return Changes()
    changes = Changes(removed=len(gone))
    stemmer = Stemmer()
    # In batches: who is stopped on the way, as a hook may be, has not worked for nothing.
    for start in range(0, max(len(stale), len(gone)), _AT_ONCE):
        batch = stale[start : start + _AT_ONCE]
        with writing(db):
            threads = {
                thread for path in gone[start : start + _AT_ONCE] for thread in _forget(db, path)
            }
            for done, state in enumerate(batch, start=start + 1):
                change, touched = _brought_in(db, state, read(state.path), now, stemmer)
                changes, threads = changes + change, threads | touched
                if progress:
                    progress(done, len(stale))
            _finish(db, threads, stemmer)
    return changes


def _finish(db: sqlite3.Connection, threads: set[str], stemmer: Stemmer) -> None:
    """What a change of some documents means for others: their neighbours' words, and how many they are."""
    for thread in sorted(threads - {""}):
        _retell(db, thread, stemmer)
    db.execute("INSERT OR REPLACE INTO meta SELECT 'documents', count(*) FROM document")


def _differences(
    db: sqlite3.Connection,
    states: Iterable[tuple[str, int, int]],
    read: Callable[[str], Content],
    now: int,
) -> tuple[list[FileState], list[str]]:
    """The files to read again and the paths that are gone. Compared as whole sets: most are as they were."""
    settled = set(db.execute("SELECT path, modified, size FROM file"))
    sql = "SELECT path, modified, size, digest FROM file WHERE modified > seen - ?"
    doubted = {FileState(*state): digest for *state, digest in db.execute(sql, (_DOUBT,))}
    settled.difference_update(doubted)
    current = set(states)
    different = settled ^ current
    stale = [FileState(*state) for state in sorted(different & current)]
    known = {path for path, _, _ in different - current}.union(state.path for state in doubted)
    gone = sorted(known.difference(state.path for state in stale))
    return [state for state in stale if not _unchanged(state, doubted.get(state), read, now)], gone


def _unchanged(state: FileState, digest: str | None, read: Callable[[str], Content], now: int) -> bool:
    """Whether a file written a moment ago says what it said: whoever finds that need not queue to write."""
    if digest is None or state.modified <= now - _DOUBT:
        return False
    return read(state.path).digest == digest


def _brought_in(
    db: sqlite3.Connection, state: FileState, content: Content, now: int, stemmer: Stemmer
) -> tuple[Changes, set[str]]:
    """Put what a file says into the index; what that changed, and the threads it is about."""
    before = db.execute("SELECT digest FROM file WHERE path = ?", (state.path,)).fetchone()
    if before is not None and before[0] == content.digest:
        _touch(db, state, now)
        return Changes(), set()
    threads = _forget(db, state.path) | _keep(db, state, content, now, stemmer)
    return (Changes(added=1) if before is None else Changes(changed=1)), threads


def _touch(db: sqlite3.Connection, state: FileState, now: int) -> None:
    sql = "UPDATE file SET modified = ?, size = ?, seen = ? WHERE path = ?"
    db.execute(sql, (state.modified, state.size, now, state.path))


def _forget(db: sqlite3.Connection, path: str) -> set[str]:
    """Take a file out; returns the thread it was in."""
    row = db.execute("SELECT document FROM file WHERE path = ?", (path,)).fetchone()
    db.execute("DELETE FROM file WHERE path = ?", (path,))
    if row is None or row[0] is None:
        return set()
    key = row[0]
    thread = db.execute("SELECT thread FROM document WHERE key = ?", (key,)).fetchone()[0]
    for sql in (
        "DELETE FROM text WHERE rowid = ?",
        "DELETE FROM tag WHERE document = ?",
        "DELETE FROM named_file WHERE document = ?",
        "DELETE FROM edge WHERE document = ?",
        "DELETE FROM passage WHERE document = ?",
        "DELETE FROM document WHERE key = ?",
    ):
        db.execute(sql, (key,))
    return {thread}


def _keep(
    db: sqlite3.Connection, state: FileState, content: Content, now: int, stemmer: Stemmer
) -> set[str]:
    """Put a file in; returns the thread it is in."""
    document = content.document
    key = None if document is None else add(db, document, stemmer)
    sql = "INSERT INTO file VALUES (?, ?, ?, ?, ?, ?)"
    db.execute(sql, (state.path, state.modified, state.size, content.digest, now, key))
    return set() if document is None else {storable(document.thread)}


def add(db: sqlite3.Connection, document: Document, stemmer: Stemmer) -> int:
    """Put a document in; returns its key. Its neighbours are told when all are in."""
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
        json.dumps(files, ensure_ascii=False),
        storable(document.thread),
        storable(document.source),
        document.anchors,
    )
    cursor = db.execute(f"INSERT INTO document VALUES (NULL{', ?' * len(columns)})", columns)
    key = cursor.lastrowid
    assert key is not None
    db.executemany("INSERT INTO tag VALUES (?, ?)", [(tag, key) for tag in sorted(set(tags))])
    named = [(_name(path), path, key) for path in dict.fromkeys(files)]
    db.executemany("INSERT INTO named_file VALUES (?, ?, ?)", named)
    db.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)", _edges(document, key))
    texts = (title, " ".join(tags), body)
    db.execute(
        "INSERT INTO text(rowid, title, tags, body) VALUES (?, ?, ?, ?)",
        (key, *(stemmer.text(tokens(text)) for text in texts)),
    )
    return key


def _name(path: str) -> str:
    """What a file is looked up by: its last part, or `*` for a pattern."""
    return "*" if is_pattern(path) else base_name(path)


def _edges(document: Document, key: int) -> list[tuple[str, str, str, str, int, int]]:
    """The links of a document, each once: of one that is told twice, the one with evidence."""
    told: dict[tuple[str, str], str] = {}
    for link in document.links:
        place = (link.type.value, storable(link.target))
        told[place] = told.get(place) or storable(link.evidence or "")
    of = document.id, document.priority
    return [(of[0], type, target, told[type, target], of[1], key) for type, target in sorted(told)]


def _retell(db: sqlite3.Connection, thread: str, stemmer: Stemmer) -> None:
    """Give every piece of a thread its neighbours' words: of those that hold and that a person wrote."""
    sql = (
        "SELECT key, CASE WHEN status = 'active' AND source <> 'tool' THEN body ELSE '' END"
        " FROM document WHERE thread = ? ORDER BY created_at, id, priority"
    )
    pieces = list(db.execute(sql, (thread,)))
    for place, (key, _) in enumerate(pieces):
        near = pieces[max(place - NEIGHBOURS, 0) : place] + pieces[place + 1 : place + 1 + NEIGHBOURS]
        context = stemmer.text(tokens("\n".join(words for _, words in near)))
        db.execute("UPDATE text SET context = ? WHERE rowid = ?", (context, key))


def fill(db: sqlite3.Connection, documents: Iterable[Document]) -> None:
    """Put many documents into an empty index at once, without files behind them."""
    threads: set[str] = set()
    stemmer = Stemmer()
    with writing(db):
        for document in documents:
            add(db, document, stemmer)
            threads.add(storable(document.thread))
        _finish(db, threads, stemmer)
