"""What sessions did and what went wrong in them: deeds, troubles, and the runbooks that fix those.

Part of `state.db`. What is written here has passed the gate; `WorkingStore` sees to that.
"""

from __future__ import annotations

import time

from recollect.storage.sqlite.connections import writing
from recollect.working.history import Action, Failure, is_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from recollect.ids import UnifiedId
    from recollect.working.session import Item

SESSIONS_KEPT = 50  # whose working memory is kept
TROUBLES_KEPT = 500
_DEEDS = ("commit", "edit")
_TROUBLE = "fingerprint, command, content, event, times, resolved_at IS NOT NULL"


def now_text() -> str:
    """This moment, so fine that what came later sorts later."""
    return text_of(time.time_ns())


def text_of(moment: int) -> str:
    """A moment in nanoseconds, as it is kept: text order is time order."""
    seconds, nanoseconds = divmod(moment, 10**9)
    told = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{told}.{nanoseconds // 1000:06}Z"


class SqliteHistory:
    """Queries and notes over an open `state.db`; `note` and `succeeded` are for an open transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def deeds(self, session: str) -> tuple[Action, ...]:
        """What was done in a session, in order."""
        sql = "SELECT kind, text, event FROM deed WHERE session = ? ORDER BY event, kind, text"
        return tuple([Action(*row) for row in self._db.execute(sql, (session,))])

    def troubles(self, session: str) -> tuple[Failure, ...]:
        """What went wrong in a session, in order."""
        sql = f"SELECT {_TROUBLE} FROM trouble WHERE session = ? ORDER BY event, fingerprint"
        return tuple([_trouble(row) for row in self._db.execute(sql, (session,))])

    def note(self, session: str, item: Item, now: str) -> bool:
        """Note what an item tells was done or went wrong; whether that error had been seen before."""
        if item.kind in _DEEDS:
            for text in item.paths if item.kind == "edit" else (item.content,):
                self._deed(session, item.kind, text, item.last)
        return bool(item.fingerprint) and self._failed(session, item, now)

    def succeeded(self, session: str, command: str, event: int, now: str) -> tuple[Failure, ...]:
        """A command succeeded: what it had failed with, here or in an earlier session, is fixed."""
        sql = (
            "UPDATE trouble SET resolved_at = ? WHERE command = ? AND resolved_at IS NULL"
            f" RETURNING session, {_TROUBLE}"
        )
        found = self._db.execute(sql, (now, command)).fetchall()
        if not found and is_step(command) and self._is_broken(session):
            self._deed(session, "command", command, event)
        # An error of another session was there before this one began.
        rows = [row[1:] if row[0] == session else (*row[1:4], -1, *row[5:]) for row in found]
        return tuple(sorted([_trouble(row) for row in rows], key=lambda one: one.fingerprint))

    def fixes(self, fingerprint: str) -> list[UnifiedId]:
        """The memories that were kept as the fix of an error."""
        sql = "SELECT memory FROM fix WHERE fingerprint = ? ORDER BY memory"
        return [row[0] for row in self._db.execute(sql, (fingerprint,))]

    def fixed_by(self, fingerprint: str, memory: UnifiedId) -> None:
        """A memory was kept as the fix of an error."""
        with writing(self._db):
            self._db.execute("INSERT OR IGNORE INTO fix VALUES (?, ?)", (fingerprint, memory))

    def wait(self, session: str, memories: Sequence[UnifiedId]) -> None:
        """The next prompt of a session is to be told of these memories."""
        with writing(self._db):
            rows = [(session, memory) for memory in memories]
            self._db.executemany("INSERT OR IGNORE INTO waiting VALUES (?, ?)", rows)

    def waiting(self, session: str) -> list[UnifiedId]:
        """What this prompt of a session is to be told of. It is told once."""
        if not self._db.execute("SELECT 1 FROM waiting WHERE session = ?", (session,)).fetchone():
            return []
        sql = "DELETE FROM waiting WHERE session = ? RETURNING memory"
        with writing(self._db):
            return sorted(row[0] for row in self._db.execute(sql, (session,)).fetchall())

    def tidy(self) -> None:
        """Let go of what the oldest sessions had in mind, and of the oldest errors."""
        old = (
            "SELECT id FROM session WHERE id NOT IN"
            " (SELECT id FROM session ORDER BY seen_at DESC, id LIMIT ?)"
        )
        for table in ("item", "faded", "deed", "waiting", "turn"):
            self._db.execute(f"DELETE FROM {table} WHERE session IN ({old})", (SESSIONS_KEPT,))
        oldest = "SELECT at FROM trouble ORDER BY at DESC LIMIT 1 OFFSET ?"
        self._db.execute(f"DELETE FROM trouble WHERE at <= ({oldest})", (TROUBLES_KEPT,))

    def _failed(self, session: str, item: Item, now: str) -> bool:
        seen = (
            "SELECT 1 FROM trouble WHERE fingerprint = ? AND (session <> ? OR resolved_at IS NOT NULL)"
        )
        known = self._db.execute(seen, (item.fingerprint, session)).fetchone() is not None
        sql = (
            "INSERT INTO trouble (session, fingerprint, command, content, event, at)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (session, fingerprint) DO UPDATE SET"
            " times = times + 1, at = excluded.at, command = excluded.command,"
            " content = excluded.content, resolved_at = NULL,"
            " event = CASE WHEN resolved_at IS NULL THEN event ELSE excluded.event END"
        )
        given = (session, item.fingerprint, item.command, item.content, item.last, now)
        self._db.execute(sql, given)
        return known

    def _is_broken(self, session: str) -> bool:
        sql = "SELECT 1 FROM trouble WHERE session = ? AND resolved_at IS NULL"
        return self._db.execute(sql, (session,)).fetchone() is not None

    def _deed(self, session: str, kind: str, text: str, event: int) -> None:
        sql = (
            "INSERT INTO deed VALUES (?, ?, ?, ?)"
            " ON CONFLICT (session, kind, text) DO UPDATE SET event = excluded.event"
        )
        self._db.execute(sql, (session, kind, text, event))


def _trouble(row: tuple[object, ...]) -> Failure:
    fingerprint, command, content, event, times, resolved = row
    return Failure(
        str(fingerprint),
        str(command),
        str(content),
        int(str(event)),
        int(str(times)),
        bool(resolved),
    )
