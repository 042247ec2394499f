"""Taking over a session database that was moved aside, because a person says that it is theirs."""

from __future__ import annotations

import os
import sqlite3

from recollect.errors import StateError
from recollect.storage.sqlite.connections import FOREIGN, connect, has_code, mark, move_aside, rename
from recollect.storage.sqlite.working_tables import origin


def adopt(path: str) -> bool:
    """Replace the database at `path` by the one that was moved aside; False when there is none.

    Raises StateError when that one has views or triggers, or is no database. The replaced one is renamed.
    """
    foreign = f"{path}{FOREIGN}"
    if not os.path.isfile(foreign):
        return False

    def prepare(db: sqlite3.Connection) -> None:
        if has_code(db):
            raise StateError(foreign, "it has views or triggers, which are never ours")
        origin(db)
        mark(db, foreign)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    try:
        connect(foreign, prepare).close()
    except sqlite3.Error as error:
        raise StateError(foreign, str(error)) from error
    if os.path.exists(path):
        move_aside(path, ".replaced")
    rename(foreign, path)
    return True
