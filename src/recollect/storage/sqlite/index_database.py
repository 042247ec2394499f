"""The index as the application uses it: opened on first use, updated from files, rebuilt when corrupt.

No error of SQLite leaves this module unless a rebuild would not help either.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from recollect.errors import StoreError
from recollect.paths import INDEX_NAME
from recollect.records.store import Progress
from recollect.retrieval.index import Document
from recollect.retrieval.index_writer import DocumentSource
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.connections import BUSY_SECONDS, is_busy, is_corrupt
from recollect.storage.sqlite.erasing import rewrite_index
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.writer import SqliteIndexWriter

FIRST_BUILD_SECONDS = 60.0  # how long to wait for another process that builds the index
_UNREADABLE = (sqlite3.DatabaseError, *index_file.CORRUPTION_ERRORS)
_T = TypeVar("_T")


class IndexDatabase:
    """The index of the files of one source. Derived: deleting it changes no answer.

    `prepare` makes the folder, or raises StoreError; the index is then in memory. `notes` collects what a
    user should know, until a caller reads it. Not for two threads at once.

    `files` is for callers that update with every key that somebody types, and have all files watched: while
    it returns the same value, an update looks only at folders that changed.
    """

    def __init__(
        self,
        folder: Path,
        source: DocumentSource,
        prepare: Callable[[], None],
        files: Callable[[], object] | None = None,
    ) -> None:
        self.folder, self._source, self._prepare = folder, source, prepare
        self._files = files
        self._walked: object = None  # the version that all files had when they were last looked at
        self.notes: list[str] = []
        self.in_memory = False
        self._reader: SqliteIndex | None = None

    def exists(self) -> bool:
        """Whether there is an index file."""
        return os.path.lexists(self._path)

    def reader(self) -> SqliteIndex:
        """The index as it is, without a look at the files."""
        if self._reader is None:
            try:
                self._prepare()
            except StoreError as error:
                note = f"the index cannot be stored: {error}"
                opened = index_file.OpenIndex(index_file.memory(), note, in_memory=True)
            else:
                opened = index_file.open_index(self._path)
            self._reader = self._use(opened)
        return self._reader

    def update(self, progress: Progress | None = None) -> SqliteIndex:
        """The index, equal to the files. A corrupt one is rebuilt, and a note says so.

        While another process writes, it stays as it was before. An index that was never complete is
        waited for, because it would miss memories without knowing it.
        """
        files = self._files() if self._files is not None else None
        if files is not None and files == self._walked:
            return self.catch_up(progress)
        index = self._update_by(self._synchronise, progress)
        self._walked = files
        return index

    def catch_up(self, progress: Progress | None = None) -> SqliteIndex:
        """`update`, but only of folders in which a file was created, replaced, renamed or deleted.

        A file that was edited in place stays as it was.
        """
        return self._update_by(self._synchronise_changed, progress)

    def refresh(self, paths: Collection[str], wait: float = BUSY_SECONDS) -> SqliteIndex:
        """Update these files alone. An index that cannot be written now is left to the next update."""
        index = self._waiting(wait)
        with suppress(sqlite3.DatabaseError):
            SqliteIndexWriter(index.connection).refresh(self._source, paths, time.time_ns())
        return index

    def update_within(self, seconds: float, most: int | None = None) -> SqliteIndex:
        """`update` for a caller that must answer soon: the index, updated as far as that goes.

        Does nothing where more than `most` files have changed, or another process writes. What is read in
        the time stays in the index.
        """
        until = time.monotonic() + seconds
        try:
            self._synchronise_until(until, most)
        except _UNREADABLE as error:
            if not isinstance(error, sqlite3.DatabaseError) or not is_busy(error):
                self._replace(error)
                self._synchronise_until(until, most)
        return self.reader()

    def _synchronise_until(self, until: float, most: int | None) -> None:
        index = self._waiting(max(until - time.monotonic(), 0) / 4)
        writer, times, now = (
            SqliteIndexWriter(index.connection),
            self._source.folder_times(),
            time.time_ns(),
        )
        stale, gone = writer.outdated(self._source, now)
        if most is not None and len(stale) + len(gone) > most:
            return
        _, is_complete = writer.apply(stale, gone, self._source, now, until=until)
        if is_complete:
            writer.record_folder_times(times, now)

    def _waiting(self, seconds: float) -> SqliteIndex:
        """The index over a connection that waits so long for other writers."""
        index = self.reader()
        index.connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
        return index

    def _update_by(
        self, synchronise: Callable[[Progress | None], None], progress: Progress | None
    ) -> SqliteIndex:
        until = time.monotonic() + FIRST_BUILD_SECONDS
        try:
            while self._must_wait(synchronise, progress, until):
                pass
        except _UNREADABLE as error:
            self._recover(error, progress)
        return self.reader()

    def updated(self, work: Callable[[], _T], progress: Progress | None = None) -> _T:
        """Update the index once, then `work` with it; if it turns out corrupt, rebuild it and work again."""
        self.update(progress)
        try:
            return work()
        except _UNREADABLE as error:
            self._recover(error, progress)
            return work()

    def pinned(self, now: str) -> Sequence[Document]:
        """Update the index once; pinned documents that are in force now, those confirmed last first."""
        return self.updated(lambda: self.reader().pinned(now))

    def attempt(self, work: Callable[[], _T]) -> _T | None:
        """Work with the index as it is; None when it cannot be read, which `updated` repairs."""
        try:
            return work()
        except sqlite3.DatabaseError:
            return None

    def check(self, progress: Progress | None = None) -> None:
        """Update the index and read all of it; any damage leads to a rebuild."""
        index = self.update(progress)
        try:
            damage = index_file.damage(index.connection)
        except sqlite3.DatabaseError as error:
            self._recover(error, progress)
        else:
            if damage:
                self._recover(sqlite3.DatabaseError(damage), progress)

    def rewrite(self) -> bool:
        """Update the index and write it anew, so that nothing deleted stays in its file.

        False while another process uses it.
        """
        return rewrite_index(self.update().connection)

    def close(self) -> None:
        """Close the database; the next use opens it again."""
        if self._reader is not None:
            self._reader.connection.close()
            self._reader = None

    @property
    def _path(self) -> str:
        return str(self.folder / INDEX_NAME)

    def _use(self, opened: index_file.OpenIndex) -> SqliteIndex:
        self.in_memory = opened.in_memory
        if opened.note:
            self._note(opened.note)
        return SqliteIndex(opened.connection)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _must_wait(
        self,
        synchronise: Callable[[Progress | None], None],
        progress: Progress | None,
        until: float,
    ) -> bool:
        """Try to update; whether to try again, because another process builds the index."""
        try:
            synchronise(progress)
        except sqlite3.DatabaseError as error:
            if not is_busy(error):
                raise
            is_complete = self.reader().folder_times() is not None
            if not is_complete and time.monotonic() < until:
                return True
            self._note(
                f"the index could not be updated ({error})"
                if is_complete
                else "another process is still building the index: not every memory was searched"
            )
        return False

    def _synchronise(self, progress: Progress | None) -> None:
        """Update from all files, and record the folder times from before they were listed."""
        self._synchronise_folders(None, self._source.folder_times(), progress)

    def _synchronise_changed(self, progress: Progress | None) -> None:
        """Update from the files of the folders that changed; from all files if that is not known."""
        times = self._source.folder_times()
        folders = SqliteIndexWriter(self.reader().connection).changed_folders(times)
        if folders is None or folders:
            self._synchronise_folders(folders, times, progress)

    def _synchronise_folders(
        self, folders: Collection[str] | None, times: Mapping[str, int], progress: Progress | None
    ) -> None:
        writer, now = SqliteIndexWriter(self.reader().connection), time.time_ns()
        writer.synchronise(self._source, now, progress, folders)
        try:
            writer.record_folder_times(times, now)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise  # when busy, the next reader sees other times, and lists the files

    def _recover(self, error: Exception, progress: Progress | None) -> None:
        """Rebuild from the files. Raises `error` again when that would not help."""
        self._replace(error)
        self._synchronise(progress)

    def _replace(self, error: Exception) -> None:
        """Use an empty index: a new file if this one is corrupt, else in memory.

        Raises `error` again when that would not help.
        """
        failure = (
            error if isinstance(error, sqlite3.DatabaseError) else sqlite3.DatabaseError(str(error))
        )
        if isinstance(error, sqlite3.ProgrammingError) or is_busy(failure) or self.in_memory:
            raise error
        self.close()
        self._reader = self._use(
            index_file.replace_corrupt(self._path)
            if is_corrupt(failure)
            else index_file.in_memory_fallback(self._path, failure)
        )


class DocumentDatabase:
    """An index of documents that have no files: in memory, or in the file `at` for later use.

    It has the methods of IndexDatabase. There is nothing to update or rebuild it from.
    """

    def __init__(self, documents: Sequence[Document], at: Path | None = None) -> None:
        self._documents, self._at = documents, at
        self.notes: list[str] = []
        self.in_memory = at is None
        self.folder = Path() if at is None else at.parent
        self._reader: SqliteIndex | None = None

    def reader(self) -> SqliteIndex:
        """The index, filled on first use if it is empty."""
        if self._reader is None:
            db = (
                index_file.memory()
                if self._at is None
                else index_file.open_index(str(self._at)).connection
            )
            self._reader = SqliteIndex(db)
            if self._documents and not self._reader.size:
                SqliteIndexWriter(db).fill(self._documents)
        return self._reader

    def update(self, _progress: Progress | None = None) -> SqliteIndex:
        return self.reader()

    def catch_up(self, _progress: Progress | None = None) -> SqliteIndex:
        return self.reader()

    def updated(self, work: Callable[[], _T], _progress: Progress | None = None) -> _T:
        return work()

    def pinned(self, now: str) -> Sequence[Document]:
        return self.reader().pinned(now)

    def attempt(self, work: Callable[[], _T]) -> _T | None:
        return work()

    def check(self, _progress: Progress | None = None) -> None:
        """Nothing to check against."""

    def rewrite(self) -> bool:
        """Nothing is deleted from it."""
        return True

    def close(self) -> None:
        if self._reader is not None:
            self._reader.connection.close()
            self._reader = None
