"""The index as a hook uses it: opened as it is, and synchronised only when the folders have changed."""

from __future__ import annotations

import os

from recollect.hook.databases import keep_open
from recollect.hook.injection import Pointer
from recollect.paths import MEMORY_FOLDERS, is_inside, read_plain
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.index_file import folder_times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from recollect.hook.project_paths import ProjectPaths
    from recollect.retrieval.index import Document
    from recollect.storage.sqlite.index_database import IndexDatabase


# Files whose listing takes some milliseconds, and files that a prompt waits for to be read. Beyond these an
# update is left to the next command or the server, and a prompt is answered from what the index has.
_MOST_LISTED, _MOST_READ = 2_000, 200
_MOST_AT_START = 5_000  # files that the start of a session begins to index
_PROMPT_SECONDS, _START_SECONDS = 0.3, 0.5  # for an update, of the 0.9 that a hook has
_WRITER_WAIT = 0.05  # seconds for another process that writes to the index
_MOST_BYTES = 1024 * 1024  # of a memory that is shown


def open_index(place: ProjectPaths) -> SqliteIndex:
    """Open the index; update it first if the folders have changed and that takes little time."""
    path = place.index_file
    most = _MOST_READ
    if os.path.exists(path):
        opened = index_file.open_index(path)
        keep_open(opened.connection)
        index = SqliteIndex(opened.connection)
        times = index.folder_times()
        if times == folder_times([place.memory_root, place.user_root]):
            return index
        most = _MOST_READ if times is None else _MOST_LISTED
        if not _has_at_most(most, place):
            return index
    elif not _has_at_most(most, place):
        return SqliteIndex(index_file.memory())
    return _database(place).update_within(_PROMPT_SECONDS * place.patience, _MOST_READ)


def open_index_at_start(place: ProjectPaths) -> SqliteIndex:
    """Open the index and update it, as far as a session's start can wait for that."""
    if _has_at_most(_MOST_AT_START, place):
        return _database(place).update_within(_START_SECONDS * place.patience)
    return open_index(place)


def refreshed(place: ProjectPaths, documents: Iterable[Document]) -> SqliteIndex:
    """Open the index after the files of these documents were read again."""
    paths = [document.path for document in documents]
    return _database(place).refresh(paths, _WRITER_WAIT * place.patience)


def _has_at_most(most: int, place: ProjectPaths) -> bool:
    """Whether the memory folders have so few files. Counts no further."""
    count = 0
    for root in (place.memory_root, place.user_root):
        for folder in MEMORY_FOLDERS.values():
            try:
                with os.scandir(os.path.join(root, folder)) as entries:
                    for _ in entries:
                        count += 1
                        if count > most:
                            return False
            except OSError:
                continue
    return True


def _database(place: ProjectPaths) -> IndexDatabase:
    from pathlib import Path

    from recollect.app.library import memory_index
    from recollect.storage.files.root import MemoryRoot
    from recollect.storage.files.store import FileStore

    project = MemoryRoot(Path(place.memory_root), place.shown_memory_root)
    user = MemoryRoot(Path(os.path.realpath(place.user_root)), place.user_root)
    database = memory_index([FileStore(project), FileStore(user)])
    keep_open(database)
    return database


def real_path(document: Document, place: ProjectPaths) -> str:
    """Where a document's file is."""
    return os.path.join(place.folder, document.path)  # a user's memory has an absolute path


def is_current(document: Document, place: ProjectPaths, index: SqliteIndex) -> bool:
    """Whether a document's file is inside its root and still what the index read."""
    path = real_path(document, place)
    real = os.path.realpath(path)
    if not (is_inside(real, place.root) or is_inside(real, os.path.realpath(place.user_root))):
        return False
    try:
        status = os.stat(path)
    except OSError:
        return False
    return index.file_state(document.path) == (status.st_mtime_ns, status.st_size)


def is_drifted(document: Document, place: ProjectPaths) -> bool:
    """Whether the code that a document is about has changed or is missing."""
    if not document.anchors:
        return False
    from pathlib import Path

    from recollect.storage.files.worktree import WorkTree

    return WorkTree(Path(place.folder)).drifted(document.anchors)


def content_of(document: Document, place: ProjectPaths) -> dict[str, Any]:
    """What a document's file says in its category's own fields; nothing where it cannot be read."""
    import json

    try:
        content = json.loads(read_plain(real_path(document, place), _MOST_BYTES)).get("content")
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def pointer(document: Document, place: ProjectPaths) -> Pointer:
    """The pointer to a document that a prompt gets, with its gist unless the settings leave it out."""
    sentence = ""
    if place.config.retrieval.gist:
        from recollect.records.gist import gist

        sentence = gist(document.category, content_of(document, place), document.title)
    return Pointer(
        document.id.removeprefix("mem:"),
        document.category,
        document.title,
        document.path,
        document.tags,
        sentence,
    )
