"""The calls of sessions in their order, in `state.db`: the SQLite adapter of `SequenceStore`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.learning import retention
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.state import StateConnection


class SqliteSequences:
    """Adds calls. Safe for many processes at once."""

    def __init__(self, db: "StateConnection") -> None:
        self._db = db

    def add(self, calls: Sequence[tuple[str, str]]) -> None:
        rows = [(storable(session), storable(tool)) for session, tool in calls]
        with self._db.transaction():
            self._db.write_many("INSERT INTO tool_call (session, tool) VALUES (?, ?)", rows)
            self._db.rows(
                "DELETE FROM tool_call WHERE key <= (SELECT max(key) FROM tool_call) - ?",
                (retention.MAX_CALLS,),
            )

    def latest(self, sessions: int, calls: int) -> Sequence[Sequence[str]]:
        sql = (
            "WITH newest AS (SELECT key, session, tool FROM tool_call ORDER BY key DESC LIMIT ?)"
            " SELECT session, tool FROM newest WHERE session IN"
            " (SELECT session FROM newest GROUP BY session ORDER BY max(key) DESC LIMIT ?)"
            " ORDER BY key"
        )
        sequences: dict[str, list[str]] = {}
        for session, tool in self._db.rows(sql, (calls, sessions)):
            sequences.setdefault(session, []).append(tool)
        return list(sequences.values())
