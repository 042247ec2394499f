"""Has anything been added, replaced or removed since the index was brought in step? A cheap look.

A folder's own time changes when a file in it is made, renamed or deleted, which is how Recollect and git
write. A file edited in place is not noticed this way: who shows a hit looks at its file again.
"""

from __future__ import annotations

import os

from recollect.records.folders import FOLDER_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable


def folder_times(roots: Iterable[str]) -> str:
    """How the folders of some roots stand, as text to compare."""
    return " ".join(map(str, times_of(roots)))


def times_of(roots: Iterable[str]) -> list[int]:
    """When each folder of some roots last stood otherwise, in nanoseconds."""
    return [_time(os.path.join(root, folder)) for root in roots for folder in FOLDER_NAMES.values()]


def _time(folder: str) -> int:
    """When something was last made, renamed or deleted in a folder; 0 for one that is not there."""
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def noted_folders(db: sqlite3.Connection) -> str | None:
    """How the folders stood when the index was last in step."""
    row = db.execute("SELECT value FROM meta WHERE key = 'folders'").fetchone()
    return row[0] if row else None


def note_folders(db: sqlite3.Connection, stood: str) -> None:
    """Note that the index is in step with folders that stand like this."""
    if noted_folders(db) != stood:
        db.execute("INSERT OR REPLACE INTO meta VALUES ('folders', ?)", (stood,))
