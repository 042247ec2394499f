"""The last prompts of sessions without a transcript, in `state.db`: the SQLite adapter of `TurnStore`."""

from __future__ import annotations

from recollect.storage.sqlite.schema import storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from recollect.storage.sqlite.state import StateConnection
    from recollect.working.redacted import RedactedText


class SqliteTurns:
    """Loads and saves prompts."""

    def __init__(self, db: StateConnection) -> None:
        self._db = db

    def turns(self, session: str) -> list[str]:
        sql = "SELECT text FROM turn WHERE session = ? ORDER BY key"
        return [row[0] for row in self._db.rows(sql, (storable(session),))]

    def add(self, session: str, text: RedactedText, most: int) -> None:
        name = storable(session)
        insert = "INSERT INTO turn (session, text) VALUES (?, ?)"
        self._db.rows(insert, (name, storable(text.text)))
        self._db.rows(
            "DELETE FROM turn WHERE session = ?1 AND key <="
            " (SELECT key FROM turn WHERE session = ?1 ORDER BY key DESC LIMIT 1 OFFSET ?2)",
            (name, most),
        )

    def keep_only(self, sessions: Collection[str]) -> None:
        self._db.keep_sessions("turn", sessions)
