"""What prompts were given, in `state.db`: the SQLite adapter of `InjectionStore`.

The table `waiting` holds the memories that the next prompt of a session is shown.
"""

from __future__ import annotations

from recollect.storage.sqlite.schema import storable
from recollect.working.injections import Impact, Injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from recollect.ids import UnifiedId
    from recollect.storage.sqlite.state import StateConnection

_COLUMNS = "session, memory, at, probability, used, compaction, event"


class SqliteInjections:
    """Loads and saves injections."""

    def __init__(self, db: StateConnection) -> None:
        self._db = db

    def of_session(self, session: str) -> list[Injection]:
        sql = f"SELECT {_COLUMNS} FROM injection WHERE session = ? ORDER BY memory, compaction"
        rows = self._db.rows(sql, (storable(session),))
        return [Injection(session, *row[1:]) for row in rows]

    def save(self, injections: Sequence[Injection]) -> None:
        sql = f"INSERT OR REPLACE INTO injection ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        rows = [
            (
                storable(injection.session),
                injection.memory,
                injection.at,
                injection.probability,
                injection.used,
                injection.compaction,
                injection.event,
            )
            for injection in injections
        ]
        self._db.write_many(sql, rows)

    def waiting(self, session: str) -> list[UnifiedId]:
        sql = "SELECT memory FROM waiting WHERE session = ? ORDER BY memory"
        return [row[0] for row in self._db.rows(sql, (storable(session),))]

    def add_waiting(self, session: str, memories: Sequence[UnifiedId]) -> None:
        rows = [(storable(session), memory) for memory in memories]
        self._db.write_many("INSERT OR IGNORE INTO waiting VALUES (?, ?)", rows)

    def clear_waiting(self, session: str) -> None:
        self._db.rows("DELETE FROM waiting WHERE session = ?", (storable(session),))

    def keep_only(self, sessions: Collection[str]) -> None:
        self._db.keep_sessions("waiting", sessions)

    def latest(self, limit: int) -> list[Injection]:
        sql = f"SELECT {_COLUMNS} FROM injection ORDER BY at DESC, session, memory LIMIT ?"
        return [Injection(*row) for row in self._db.rows(sql, (limit,))]

    def impact(self) -> list[Impact]:
        sql = (
            "SELECT memory, count(*), count(used) FROM injection"
            " GROUP BY memory ORDER BY count(*) DESC, memory"
        )
        return [Impact(*row) for row in self._db.rows(sql)]
