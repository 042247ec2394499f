"""Which runbooks name an error? Asked of the kept index as it is, without loading what searches it."""

from __future__ import annotations

import os
import sqlite3

from recollect.storage.sqlite.schema import HOLDS
from recollect.working.history import mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.ids import UnifiedId

_NAMING = (
    f"SELECT id FROM document WHERE category = 'runbook' AND status = 'active' AND {HOLDS}"
    " AND instr(body, ?) ORDER BY id"
)


def runbooks_for(fingerprint: str, index: str, now: str) -> list[UnifiedId]:
    """The runbooks that hold now and name an error by its fingerprint; none without an index."""
    if not os.path.exists(index):
        return []
    try:
        # Read only, so that closing it folds no log into the index: that would take longer than asking.
        named = index.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        connection = sqlite3.connect(f"file:{named}?mode=ro", timeout=0.1, uri=True)
        try:
            rows = connection.execute(_NAMING, (now, now, mark(fingerprint))).fetchall()
        finally:
            connection.close()
    except sqlite3.DatabaseError:
        return []  # busy, of another version or corrupt: the next search sees to it
    return [row[0] for row in rows]
