"""The index as a hook uses it: opened as it is, and synchronised only when the folders have changed."""

from __future__ import annotations

import os

from recollect.hook.databases import keep_open
from recollect.hook.injection import Pointer
from recollect.paths import INDEX_NAME
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.index_file import folder_times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hook.project_paths import ProjectPaths
    from recollect.retrieval.index import Document


def open_index(place: ProjectPaths) -> SqliteIndex:
    """Open the index; synchronise it first if the folders have changed."""
    path = place.state_file(INDEX_NAME)
    if os.path.exists(path):
        opened = index_file.open_index(path)
        keep_open(opened.connection)
        index = SqliteIndex(opened.connection)
        if index.folder_times() == folder_times([place.root, place.user_root]):
            return index
    return synchronised(place)


def synchronised(place: ProjectPaths) -> SqliteIndex:
    """Open the index, synchronised with every file."""
    from pathlib import Path

    from recollect.app.library import memory_index
    from recollect.storage.files.root import MemoryRoot
    from recollect.storage.files.store import FileStore

    project = MemoryRoot(Path(place.root), place.shown)
    user = MemoryRoot(Path(os.path.realpath(place.user_root)), place.user_root)
    return memory_index([FileStore(project), FileStore(user)]).update()


def real_path(document: Document, place: ProjectPaths) -> str:
    """Where a document's file is."""
    return os.path.join(place.folder, document.path)  # a user's memory has an absolute path


def is_current(document: Document, place: ProjectPaths, index: SqliteIndex) -> bool:
    """Whether a document's file is inside its root and still what the index read."""
    path = real_path(document, place)
    real = os.path.realpath(path)
    roots = (place.root, place.user_root)
    if not any(real.startswith(os.path.realpath(root) + os.sep) for root in roots):
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


def pointer(document: Document) -> Pointer:
    """The pointer to a document that a prompt gets."""
    return Pointer(
        document.id.removeprefix("mem:"),
        document.category,
        document.title,
        document.path,
        document.tags,
    )
