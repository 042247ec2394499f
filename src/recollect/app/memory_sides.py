"""Two places that have memories as files, side by side: a root in the project, and a team's database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.errors import InvalidError, RefusedError
from recollect.records.categories import FOLDERS
from recollect.records.memories import Memories
from recollect.records.memory_file import digest, read_memory
from recollect.storage.files.store import FileStore
from recollect.storage.postgres.memories import PostgresMemories

_STEP = 200  # files that are read or written at once
_MOST_NAMED = 5


class MemorySide(Protocol):
    """A place that has the bytes of memories by path: `decisions/x.json`."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    def digests(self) -> dict[str, str]:
        """What each file contains, from its bytes."""
        ...

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Some of the files."""
        ...

    def apply(self, files: Mapping[str, bytes | None]) -> None:
        """Write or (None) delete files, as they are."""
        ...


@dataclass(frozen=True, slots=True)
class FileSide:
    """The files of a memory root."""

    store: FileStore
    name: str = "files"

    def digests(self) -> dict[str, str]:
        return {path: digest(data) for path, data in self.store.raw_files()}

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        return {path: self.store.root.read(self.store.root.path / path) for path in paths}

    def apply(self, files: Mapping[str, bytes | None]) -> None:
        self.store.put_files(files)


@dataclass(frozen=True, slots=True)
class DatabaseSide:
    """The memories of a project in a database."""

    memories: PostgresMemories
    name: str = "database"

    def digests(self) -> dict[str, str]:
        return {path: digest(data) for path, data in self.memories.raw_files()}

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        return dict(self.memories.raw_files(paths))

    def apply(self, files: Mapping[str, bytes | None]) -> None:
        self.memories.apply(files)


def batches(paths: Sequence[str]) -> Iterator[list[str]]:
    """Paths, some at a time: what is done of them stays done when a process is killed."""
    for start in range(0, len(paths), _STEP):
        yield list(paths[start : start + _STEP])


def named(paths: Sequence[str]) -> str:
    """The first of some paths, and how many there are."""
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(paths[:_MOST_NAMED]) + more


def refuse_secrets(files: Mapping[str, bytes], memories: Memories) -> None:
    """Raise RefusedError if a file contains a secret: people may write files by hand."""
    guilty = [path for path, data in files.items() if _has_secret(path, data, memories)]
    if guilty:
        raise RefusedError(
            f"there are secrets in {named(guilty)}; `recollect redact --scan --fix` removes them."
        )


def _has_secret(path: str, data: bytes, memories: Memories) -> bool:
    folder, _, name = path.partition("/")
    try:
        stored = read_memory(data, FOLDERS[folder], name.removesuffix(".json"), path)
    except (InvalidError, KeyError):
        return bool(memories.gate(data.decode("utf-8", "replace"))[1])
    return bool(memories.gated(stored.memory.document)[1])
