"""Has a memory file been added, replaced or removed? A cheap check that lists no folder.

A folder's own modification time changes when a file in it is created, renamed or deleted, which is how
Recollect and git write. A file edited in place goes unnoticed, so callers check a hit's file again.
"""

from __future__ import annotations

import os

from recollect.records.category_folders import FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def folder_times(roots: Iterable[str]) -> str:
    """The modification times of the folders of some roots, as text to compare."""
    return " ".join(map(str, times_of(roots)))


def times_of(roots: Iterable[str]) -> list[int]:
    """The modification time of each folder of some roots, in nanoseconds; 0 for a missing folder."""
    return [_time(os.path.join(root, folder)) for root in roots for folder in FOLDERS]


def _time(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
