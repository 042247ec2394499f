"""Has anything been added, replaced or removed since the index was brought in step? A cheap look.

A folder's own time changes when a file in it is made, renamed or deleted, which is how Recollect and git
write. A file edited in place is not noticed this way: who shows a hit looks at its file again.
"""

import json
import sqlite3
from collections.abc import Iterable

from recollect.storage.files.root import MemoryRoot


def folder_times(roots: Iterable[MemoryRoot]) -> str:
    """How the folders of some roots stand, as text to compare."""
    return json.dumps([root.folder_times() for root in roots])


def noted_folders(db: sqlite3.Connection) -> str | None:
    """How the folders stood when the index was last in step."""
    row = db.execute("SELECT value FROM meta WHERE key = 'folders'").fetchone()
    return row[0] if row else None


def note_folders(db: sqlite3.Connection, stood: str) -> None:
    """Note that the index is in step with folders that stand like this."""
    if noted_folders(db) != stood:
        db.execute("INSERT OR REPLACE INTO meta VALUES ('folders', ?)", (stood,))
