"""The kept index of a project's memories and the user's: opened, brought in step, ready to be asked."""

import hashlib
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from recollect.errors import InvalidError, StoreError
from recollect.records.store import Progress
from recollect.retrieval.documents import document_of
from recollect.retrieval.index import Document
from recollect.storage.files.store import FileStore
from recollect.storage.sqlite import kept
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.writer import Changes, Content, FileState, fill, synchronise

NAME = "index.db"
_AFTER_THE_PROJECT = 10  # added to the priority of the user's memories: the project's win a tie


@dataclass(slots=True)
class Library:
    """The index over one or more roots, kept in the first. Derived: deleting it changes no answer."""

    stores: Sequence[FileStore]
    notes: list[str] = field(default_factory=list)
    in_memory: bool = False
    _db: sqlite3.Connection | None = None
    _places: dict[str, tuple[FileStore, Path, int]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where the index is kept."""
        return self.stores[0].root.state

    def open(self) -> sqlite3.Connection:
        """The connection, opened on first use. Where nothing can be kept it is in memory."""
        if self._db is None:
            try:
                self.stores[0].prepare_state()
            except StoreError as error:
                self.notes.append(f"the index cannot be kept: {error}")
                self._db, self.in_memory = kept.memory(), True
            else:
                self._take(kept.open_kept(self.folder / NAME))
        assert self._db is not None
        return self._db

    def _take(self, opened: kept.Opened) -> None:
        self._db, self.in_memory = opened.connection, opened.in_memory
        if opened.note:
            self.notes.append(opened.note)

    def index(self, progress: Progress | None = None) -> SqliteIndex:
        """The index, in step with the files. A corrupt one is replaced, and a note says so."""
        try:
            self.synchronise(progress)
        except sqlite3.OperationalError as error:
            self.notes.append(f"the index could not be brought up to date ({error})")
        except sqlite3.DatabaseError:
            self.close()
            self._take(kept.replace_corrupt(self.folder / NAME))
            self.synchronise(progress)
        return SqliteIndex(self.open())

    def synchronise(self, progress: Progress | None = None) -> Changes:
        """Bring the index in step with the files."""
        db = self.open()
        states = list(self._states())
        return synchronise(db, states, self._read, time.time_ns(), progress)

    def _states(self) -> list[FileState]:
        found = []
        for number, store in enumerate(self.stores):
            for _, path in store.root.files():
                shown = store.root.show(path)
                try:
                    told = path.stat()
                except OSError:
                    continue  # gone since it was listed, or a link to nowhere
                self._places[shown] = (store, path, number)
                found.append(FileState(shown, told.st_mtime_ns, told.st_size))
        return found

    def _read(self, shown: str) -> Content:
        store, path, number = self._places[shown]
        try:
            digest = hashlib.sha256(store.root.read(path)).hexdigest()
            document = document_of(store.read(path))
        except InvalidError as error:
            return Content(f"unreadable: {error}", None)
        own = replace(document, priority=document.priority + number * _AFTER_THE_PROJECT)
        return Content(digest, own)

    def close(self) -> None:
        """Let go of the index."""
        if self._db is not None:
            self._db.close()
            self._db = None


@dataclass(slots=True)
class Corpus:
    """An index over documents that are in no file, for as long as it is needed. Stands for a Library."""

    documents: Sequence[Document]
    notes: list[str] = field(default_factory=list)
    in_memory: bool = True
    folder: Path = Path()
    _db: sqlite3.Connection | None = None

    def open(self) -> sqlite3.Connection:
        """The connection, with every document in it."""
        if self._db is None:
            self._db = kept.memory()
            fill(self._db, self.documents)
        return self._db

    def index(self, _progress: Progress | None = None) -> SqliteIndex:
        """The index."""
        return SqliteIndex(self.open())
