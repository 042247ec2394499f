"""Erasing a memory from databases, so that no byte of it stays in a file.

SQLite leaves what it deletes in free pages and in its log until they are used again. The index is written
anew, which is cheap because it is derived; in `state.db` the rows are overwritten. Then the logs are emptied.
"""

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect.errors import StoreError
from recollect.storage.sqlite.connections import BUSY_SECONDS
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.state import StateConnection

_WRITE_BACK = "PRAGMA wal_checkpoint(TRUNCATE)"
_ROWS_OF_A_MEMORY = (
    "DELETE FROM injection WHERE memory = ?",
    "DELETE FROM waiting WHERE memory = ?",
    "DELETE FROM fix WHERE memory = ?",
    "DELETE FROM trace WHERE candidate = ?",
    "UPDATE session SET kept = '' WHERE kept = ?",
)


def rewrite_index(db: sqlite3.Connection) -> bool:
    """Write an index anew without what was deleted from it; False while another process uses it."""
    with suppress(sqlite3.DatabaseError):
        db.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        db.execute("INSERT INTO text (text) VALUES ('optimize')")
        db.execute("DELETE FROM skill_page")  # a page may have been edited since
        db.execute("VACUUM")
        return not db.execute(_WRITE_BACK).fetchone()[0]
    return False


def erase_memory(db: "StateConnection", id: str) -> bool:
    """Erase a memory from `state.db`; False while another process uses it."""
    db.rows("PRAGMA secure_delete = ON")
    for sql in _ROWS_OF_A_MEMORY:
        for name in (id, f"mem:{id}"):
            db.rows(sql, (storable(name),))
    try:
        return not db.rows(_WRITE_BACK)[0][0]
    except StoreError:
        return False
