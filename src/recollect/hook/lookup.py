"""The index as a hook uses it: opened where it is, brought in step only when the folders say so."""

import os
import sqlite3
from pathlib import Path

from recollect.hook.injection import Pointer
from recollect.hook.place import Place
from recollect.retrieval.index import Document
from recollect.storage.sqlite import kept
from recollect.storage.sqlite.folders import folder_times, noted_folders
from recollect.storage.sqlite.index import SqliteIndex


def open_index(place: Place) -> SqliteIndex:
    """The kept index, in step with the folders."""
    path = place.root.state / "index.db"
    if path.exists():
        opened = kept.open_kept(path)
        if noted_folders(opened.connection) == folder_times([place.root, place.user_root]):
            return SqliteIndex(opened.connection)
        opened.connection.close()
    return synchronised(place)


def synchronised(place: Place) -> SqliteIndex:
    """The kept index, in step with every file."""
    from recollect.storage.files.store import FileStore  # noqa: PLC0415 - only when something changed
    from recollect.storage.library import Library  # noqa: PLC0415

    stores = [FileStore(place.root), FileStore(place.user_root)]
    return Library(stores).index()


def real_path(document: Document, place: Place) -> Path:
    """Where a document's file is."""
    return place.folder / document.path  # an absolute path, a user's memory, stays what it is


def is_current(document: Document, place: Place, db: sqlite3.Connection) -> bool:
    """Whether a document's file is inside its root and still what the index read."""
    path = real_path(document, place)
    real = os.path.realpath(path)
    roots = (place.root.path, place.user_root.path)
    if not any(real.startswith(os.path.realpath(root) + os.sep) for root in roots):
        return False
    row = db.execute("SELECT modified, size FROM file WHERE path = ?", (document.path,)).fetchone()
    try:
        told = path.stat()
    except OSError:
        return False
    return row is not None and (told.st_mtime_ns, told.st_size) == tuple(row)


def is_drifted(document: Document, place: Place) -> bool:
    """Whether the code that a document speaks of has changed or gone."""
    if not document.anchors:
        return False
    from recollect.storage.worktree import WorkTree  # noqa: PLC0415 - few memories have any

    return WorkTree(place.folder).drifted(document.anchors)


def pointer(document: Document) -> Pointer:
    """What a prompt is told of a document."""
    return Pointer(
        document.id.removeprefix("mem:"),
        document.category,
        document.title,
        document.path,
        document.tags,
    )
