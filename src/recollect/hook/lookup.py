"""The index as a hook uses it: opened where it is, brought in step only when the folders say so."""

from __future__ import annotations

import os

from recollect.hook.injection import Pointer
from recollect.hook.opened import left_open
from recollect.storage.sqlite import kept
from recollect.storage.sqlite.folders import folder_times, noted_folders
from recollect.storage.sqlite.index import SqliteIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from recollect.hook.place import Place
    from recollect.retrieval.index import Document


def open_index(place: Place) -> SqliteIndex:
    """The kept index, in step with the folders."""
    path = place.kept(kept.NAME)
    if os.path.exists(path):
        opened = kept.open_kept(path)
        left_open(opened.connection)
        if noted_folders(opened.connection) == folder_times([place.root, place.user_root]):
            return SqliteIndex(opened.connection)
    return synchronised(place)


def synchronised(place: Place) -> SqliteIndex:
    """The kept index, in step with every file."""
    from pathlib import Path

    from recollect.storage.files.root import MemoryRoot
    from recollect.storage.files.store import FileStore
    from recollect.storage.library import Library

    project = MemoryRoot(Path(place.root), place.shown)
    user = MemoryRoot(Path(place.user_root), place.user_root)
    return Library([FileStore(project), FileStore(user)]).index()


def real_path(document: Document, place: Place) -> str:
    """Where a document's file is."""
    return os.path.join(place.folder, document.path)  # a user's memory has an absolute path


def is_current(document: Document, place: Place, db: sqlite3.Connection) -> bool:
    """Whether a document's file is inside its root and still what the index read."""
    path = real_path(document, place)
    real = os.path.realpath(path)
    roots = (place.root, place.user_root)
    if not any(real.startswith(os.path.realpath(root) + os.sep) for root in roots):
        return False
    row = db.execute("SELECT modified, size FROM file WHERE path = ?", (document.path,)).fetchone()
    try:
        told = os.stat(path)
    except OSError:
        return False
    return row is not None and (told.st_mtime_ns, told.st_size) == tuple(row)


def is_drifted(document: Document, place: Place) -> bool:
    """Whether the code that a document speaks of has changed or gone."""
    if not document.anchors:
        return False
    from pathlib import Path

    from recollect.storage.worktree import WorkTree

    return WorkTree(Path(place.folder)).drifted(document.anchors)


def pointer(document: Document) -> Pointer:
    """What a prompt is told of a document."""
    return Pointer(
        document.id.removeprefix("mem:"),
        document.category,
        document.title,
        document.path,
        document.tags,
    )
