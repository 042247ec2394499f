"""Writing the text index: its port, the files it is built from, and which of them must be read again.

Pure: a source lists and reads files, an adapter stores documents, and the clock is an argument.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from recollect.records.store import Progress
from recollect.retrieval.index import Document

# Nanoseconds. A file that changed this shortly before it was read may change again with the same time and
# size, because file systems record times coarsely; its content decides.
CLOCK_DOUBT = 2_000_000_000


class FileState(NamedTuple):
    """A file as a folder lists it; `modified` is in nanoseconds."""

    path: str
    modified: int
    size: int


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it was read; `document` is None when it is not a memory."""

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


class DocumentSource(Protocol):
    """The files that an index is built from."""

    def files(self, folders: Collection[str] | None = None) -> Iterable[tuple[str, int, int]]:
        """Path, modification time and size of every file, or of those in some folders, in any order."""
        ...

    def state(self, path: str) -> FileState | None:
        """One file as its folder lists it; None if it is gone."""
        ...

    def read(self, path: str) -> Content:
        """One of these files. A file that is not a memory is no error."""
        ...

    def folder_times(self) -> Mapping[str, int]:
        """The modification time of each folder, in nanoseconds; 0 for a missing folder."""
        ...


class IndexWriter(Protocol):
    """Writes the documents of an index. Several processes may write to one index."""

    def synchronise(
        self,
        source: DocumentSource,
        now: int,
        progress: Progress | None = None,
        folders: Collection[str] | None = None,
    ) -> Changes:
        """Make the index equal to the source, or to some folders of it.

        Unchanged files are not read; `now` is in nanoseconds. The work is done in small steps, so that a
        process that is killed leaves the finished part, and others can write in between.
        """
        ...

    def refresh(self, source: DocumentSource, paths: Iterable[str], now: int) -> Changes:
        """Make the index equal to these files of the source."""
        ...

    def fill(self, documents: Iterable[Document]) -> None:
        """Put documents that have no files into an empty index."""
        ...


def differences(
    recorded: set[tuple[str, int, int]],
    recent: Mapping[FileState, str],
    source: DocumentSource,
    now: int,
    folders: Collection[str] | None = None,
) -> tuple[list[FileState], list[str]]:
    """The files to read again, and the recorded paths that are gone; all of `folders`, if these are given.

    `recent` holds, with their digests, those of `recorded` that changed within CLOCK_DOUBT of being read.
    Lists the source only now, after `recorded` was read: a file that another process adds meanwhile then
    looks new, never removed. Compares whole sets, because most files are unchanged.
    """
    settled = recorded.difference(recent) if recent else recorded
    current = set(source.files(folders))
    different = settled ^ current
    stale = [FileState(*state) for state in sorted(different & current)]
    known = {path for path, _, _ in different - current}.union(state.path for state in recent)
    gone = sorted(known.difference(state.path for state in stale))
    return [state for state in stale if not _is_unchanged(state, recent.get(state), source, now)], gone


def _is_unchanged(state: FileState, digest: str | None, source: DocumentSource, now: int) -> bool:
    """Whether a recently written file still has the recorded content, so that no write is needed."""
    if digest is None or state.modified <= now - CLOCK_DOUBT:
        return False
    return source.read(state.path).digest == digest
