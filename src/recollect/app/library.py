"""The kept index of a project's memories and the user's: opened, brought in step, ready to be asked."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recollect.errors import InvalidError, StoreError
from recollect.records.store import Progress
from recollect.retrieval.documents import document_of
from recollect.retrieval.index import Document
from recollect.storage.files.store import FileStore
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.connections import is_busy, is_corrupt
from recollect.storage.sqlite.folder_times import folder_times, note_folders, noted_folders
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.schema import storable
from recollect.storage.sqlite.writer import Changes, Content, fill, synchronise
from recollect.values import replaced

FIRST_BUILD_SECONDS = 60.0  # that a first build by another process is waited for
_AFTER_THE_PROJECT = 10  # added to the priority of the user's memories: the project's win a tie


@dataclass(slots=True)
class MemoryIndex:
    """The index over one or more roots, kept in the first. Derived: deleting it changes no answer."""

    stores: Sequence[FileStore]
    notes: list[str] = field(default_factory=list)
    in_memory: bool = False
    _db: sqlite3.Connection | None = None
    _reader: SqliteIndex | None = None
    _folders: dict[str, tuple[FileStore, Path, int]] = field(default_factory=dict)

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
                self._note(f"the index cannot be kept: {error}")
                self._db, self.in_memory = index_file.memory(), True
            else:
                self._take(index_file.open_index(str(self.folder / index_file.NAME)))
        assert self._db is not None
        return self._db

    def _take(self, opened: index_file.OpenIndex) -> None:
        self._db, self.in_memory = opened.connection, opened.in_memory
        if opened.note:
            self._note(opened.note)

    def index(self, progress: Progress | None = None) -> SqliteIndex:
        """The index, in step with the files. A corrupt one is replaced, and a note says so.

        While another process writes, it is as it was before. One that was never whole is waited for: it
        would not find what it has not got yet.
        """
        until = time.monotonic() + FIRST_BUILD_SECONDS
        try:
            while self._is_held_up(progress, until):
                pass
        except (sqlite3.DatabaseError, *index_file.CORRUPTION_ERRORS) as error:
            self.heal(error, progress)
        return self.reader()

    def _is_held_up(self, progress: Progress | None, until: float) -> bool:
        """Try to bring the index in step; whether to try again, because another process makes it."""
        try:
            self.synchronise(progress)
        except sqlite3.DatabaseError as error:
            if not is_busy(error):
                raise
            was_whole = noted_folders(self.open()) is not None
            if not was_whole and time.monotonic() < until:
                return True
            self._note(
                f"the index could not be brought up to date ({error})"
                if was_whole
                else "another process is still making the index: not every memory was searched"
            )
        return False

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def check(self, progress: Progress | None = None) -> None:
        """Bring the index in step and look at all of it; one with any damage is replaced."""
        self.index(progress)
        try:
            damage = index_file.damage(self.open())
        except sqlite3.DatabaseError as error:
            self.heal(error, progress)
        else:
            if damage:
                self.heal(sqlite3.DatabaseError(damage), progress)

    def heal(self, error: Exception, progress: Progress | None = None) -> None:
        """Start anew from the files: in a new file if this one is corrupt, else in memory.

        Raises `error` again when that would not help.
        """
        told = error if isinstance(error, sqlite3.DatabaseError) else sqlite3.DatabaseError(str(error))
        if isinstance(error, sqlite3.ProgrammingError) or is_busy(told) or self.in_memory:
            raise error
        self.close()
        path = str(self.folder / index_file.NAME)
        self._take(
            index_file.replace_corrupt(path)
            if is_corrupt(told)
            else index_file.in_memory_fallback(path, told)
        )
        self.synchronise(progress)

    def reader(self) -> SqliteIndex:
        """The index as it is."""
        db = self.open()
        if self._reader is None or self._reader.connection is not db:
            self._reader = SqliteIndex(db)
        return self._reader

    def synchronise(self, progress: Progress | None = None) -> Changes:
        """Bring the index in step with the files, and note how the folders stood when it was."""
        db = self.open()
        stood = folder_times(str(store.root.path) for store in self.stores)
        changes = synchronise(db, self._states(), self._read, time.time_ns(), progress)
        try:
            note_folders(db, stood)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise  # who looks at the folders next finds them changed, and looks closer
        return changes

    def _states(self) -> Iterator[tuple[str, int, int]]:
        for number, store in enumerate(self.stores):
            for folder, files in store.root.listings():
                shown = storable(store.root.show(folder))
                self._folders[shown] = (store, folder, number)
                for name, modified, size in files:
                    yield f"{shown}/{storable(name)}", modified, size

    def _read(self, shown: str) -> Content:
        """What a file says. A name that had to be spelled out leads nowhere, and would name no memory."""
        of, _, name = shown.rpartition("/")
        store, folder, number = self._folders[of]
        path = folder / name
        try:
            stored = store.read(path)
        except InvalidError as error:
            return Content(storable(f"unreadable: {error}"), None)
        document = document_of(stored)
        own = replaced(document, priority=document.priority + number * _AFTER_THE_PROJECT)
        return Content(stored.digest, own)

    def close(self) -> None:
        """Let go of the index."""
        if self._db is not None:
            self._db.close()
            self._db = None


@dataclass(slots=True)
class DocumentIndex:
    """An index over documents that are in no file. Stands for a Library.

    It lives in memory, or in the file `at`, where it stays and is found again.
    """

    documents: Sequence[Document]
    at: Path | None = None
    notes: list[str] = field(default_factory=list)
    _reader: SqliteIndex | None = None

    @property
    def in_memory(self) -> bool:
        return self.at is None

    @property
    def folder(self) -> Path:
        """Where what belongs to the index is kept."""
        return Path() if self.at is None else self.at.parent

    def open(self) -> sqlite3.Connection:
        """The connection, with every document in it."""
        return self.reader().connection

    def reader(self) -> SqliteIndex:
        """The index."""
        if self._reader is None:
            db = (
                index_file.memory()
                if self.at is None
                else index_file.open_index(str(self.at)).connection
            )
            if self.documents and not db.execute("SELECT 1 FROM document LIMIT 1").fetchone():
                fill(db, self.documents)
            self._reader = SqliteIndex(db)
        return self._reader

    def index(self, _progress: Progress | None = None) -> SqliteIndex:
        """The index; there is nothing to bring it in step with."""
        return self.reader()

    def check(self, _progress: Progress | None = None) -> None:
        """Look at nothing: there are no files to start anew from."""

    def heal(self, error: Exception, _progress: Progress | None = None) -> None:
        """Raises `error` again: there are no files to start anew from."""
        raise error
