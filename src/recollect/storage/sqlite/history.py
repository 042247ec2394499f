"""What sessions did and what failed in them, in `state.db`: the SQLite adapter of `HistoryStore`.

The table `deed` holds actions and `trouble` failures; `fix` the memories that fixed an error.
"""

from __future__ import annotations

from recollect.storage.sqlite.schema import storable
from recollect.values import replaced
from recollect.working.history import Action, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from recollect.ids import UnifiedId
    from recollect.storage.sqlite.state import StateConnection

_FAILURE = "fingerprint, command, content, event, times, resolved_at, session, at"


class SqliteHistory:
    """Loads and saves actions, failures and the runbooks for them."""

    def __init__(self, db: StateConnection) -> None:
        self._db = db

    def actions(self, session: str) -> tuple[Action, ...]:
        sql = "SELECT kind, text, event FROM deed WHERE session = ? ORDER BY event, kind, text"
        return tuple([Action(*row) for row in self._db.rows(sql, (storable(session),))])

    def save_action(self, session: str, action: Action) -> None:
        sql = "INSERT OR REPLACE INTO deed VALUES (?, ?, ?, ?)"
        self._db.rows(sql, (storable(session), action.kind, action.text, action.event))

    def failures(self, session: str) -> tuple[Failure, ...]:
        where = "session = ? ORDER BY event, fingerprint"
        rows = self._failures(where, storable(session))
        return tuple([replaced(Failure(*row), session=session) for row in rows])

    def failures_of(self, fingerprint: str) -> tuple[Failure, ...]:
        rows = self._failures("fingerprint = ? ORDER BY session", fingerprint)
        return tuple([Failure(*row) for row in rows])

    def unresolved(self, command: str) -> tuple[Failure, ...]:
        where = "command = ? AND resolved_at IS NULL ORDER BY session, fingerprint"
        return tuple([Failure(*row) for row in self._failures(where, command)])

    def save_failure(self, failure: Failure) -> None:
        sql = f"INSERT OR REPLACE INTO trouble ({_FAILURE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        error = (failure.fingerprint, failure.command, failure.content)
        counts = (failure.event, failure.times, failure.resolved_at)
        self._db.rows(sql, (*error, *counts, storable(failure.session), failure.at))

    def fixes(self, fingerprint: str) -> list[UnifiedId]:
        sql = "SELECT memory FROM fix WHERE fingerprint = ? ORDER BY memory"
        return [row[0] for row in self._db.rows(sql, (fingerprint,))]

    def add_fix(self, fingerprint: str, memory: UnifiedId) -> None:
        self._db.rows("INSERT OR IGNORE INTO fix VALUES (?, ?)", (fingerprint, memory))

    def keep_only(self, sessions: Collection[str], failures: int) -> None:
        self._db.keep_sessions("deed", sessions)
        oldest = "SELECT at FROM trouble ORDER BY at DESC LIMIT 1 OFFSET ?"
        self._db.rows(f"DELETE FROM trouble WHERE at <= ({oldest})", (failures,))

    def _failures(self, where: str, value: str) -> list[tuple[Any, ...]]:
        return self._db.rows(f"SELECT {_FAILURE} FROM trouble WHERE {where}", (value,))
