"""`state.db`: what cannot be derived again. Sessions, what they have in mind, and what prompts were given.

Migrations are ordered functions; the database's `user_version` counts those it has had. The adapters of the
session ports are opened here; their tables are in `working_tables`.
"""

from __future__ import annotations

import time

from recollect.storage.sqlite.connections import BUSY_SECONDS, writing
from recollect.storage.sqlite.injections import SqliteInjections
from recollect.storage.sqlite.sessions import SqliteSessions
from recollect.storage.sqlite.state_connection import StateConnection

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from recollect.storage.sqlite.history import SqliteHistory
    from recollect.storage.sqlite.state_connection import StateTransaction
    from recollect.storage.sqlite.turns import SqliteTurns

NAME = "state.db"


def _sessions_and_injections(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import sessions_and_injections

    sessions_and_injections(db)


def _working_memory(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import working_memory

    working_memory(db)


def _turns(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import turns

    turns(db)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _sessions_and_injections,
    _working_memory,
    _turns,
)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _migrate(db: sqlite3.Connection) -> None:
    if _version(db) >= len(MIGRATIONS):
        return
    with writing(db):
        for number in range(_version(db), len(MIGRATIONS)):
            MIGRATIONS[number](db)
            db.execute(f"PRAGMA user_version = {number + 1}")


class StateDatabase:
    """The SQLite adapter of `SessionDatabase`. Safe for many processes at once.

    `wait` is how many seconds it waits for another writer. Raises UnwritableError when that was not enough,
    and StateError when the file is no database of ours.
    """

    def __init__(self, path: str, wait: float = BUSY_SECONDS) -> None:
        self._db = StateConnection(path, _migrate, wait)
        self.sessions = SqliteSessions(self._db)
        self.injections = SqliteInjections(self._db)

    @property
    def history(self) -> SqliteHistory:
        from recollect.storage.sqlite.history import SqliteHistory  # most prompts need neither this

        return SqliteHistory(self._db)

    @property
    def turns(self) -> SqliteTurns:
        from recollect.storage.sqlite.turns import SqliteTurns  # nor this: 0.3 ms each

        return SqliteTurns(self._db)

    def transaction(self) -> StateTransaction:
        """Load, compute and save without another writer in between."""
        return self._db.transaction()

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


def now() -> str:
    """This moment in whole seconds."""
    return f"{precise_now()[:19]}Z"


def precise_now() -> str:
    """This moment in microseconds, so that later events sort later."""
    return precise_text(time.time_ns())


def precise_text(nanoseconds: int) -> str:
    """A moment since the epoch as text. The order of the texts is the order in time."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest // 1000:06}Z"
