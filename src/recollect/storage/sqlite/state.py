"""What cannot be derived again: sessions, and what their prompts were given and did with it.

`state.db`, beside the index and apart from it. Migrations are ordered functions; the database's
`user_version` says how many of them it has had.
"""

from __future__ import annotations

from recollect import clock
from recollect.storage.sqlite.connections import BUSY_SECONDS, connect, writing
from recollect.storage.sqlite.schema import storable
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

NAME = "state.db"


def _sessions_and_injections(db: sqlite3.Connection) -> None:
    db.execute(
        """CREATE TABLE session (
            id TEXT PRIMARY KEY,
            started_at TEXT NOT NULL,
            events INTEGER NOT NULL DEFAULT 0,
            compactions INTEGER NOT NULL DEFAULT 0,
            pointed INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID"""
    )
    db.execute(
        """CREATE TABLE injection (
            session TEXT NOT NULL,
            memory TEXT NOT NULL,
            compaction INTEGER NOT NULL,
            event INTEGER NOT NULL,
            at TEXT NOT NULL,
            probability REAL NOT NULL,
            used TEXT,
            PRIMARY KEY (session, memory, compaction)
        ) WITHOUT ROWID"""
    )
    db.execute("CREATE INDEX injection_memory ON injection (memory)")


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


class Injection(Frozen):
    """A memory that a prompt was given. `used` is read, touched or cited, or None."""

    session: str
    memory: str
    at: str
    probability: float
    used: str | None


class Impact(Frozen):
    """How often a memory was given to a prompt, and how often that was of use."""

    memory: str
    given: int
    used: int


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
    """The bookkeeping of sessions. Safe for many processes at once; each call is one transaction.

    A session may have any name: what SQLite cannot keep of it is spelled out.
    """

    def __init__(self, path: str, wait: float = BUSY_SECONDS) -> None:
        self._db = connect(path, _migrate, wait)

    @property
    def connection(self) -> sqlite3.Connection:
        """The open database, for the working memory that lives in it too."""
        return self._db

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def count_event(self, session: str) -> int:
        """Note that something happened in a session; its number."""
        sql = (
            "INSERT INTO session (id, started_at, events) VALUES (?, ?, 1)"
            " ON CONFLICT (id) DO UPDATE SET events = events + 1 RETURNING events"
        )
        return int(self._db.execute(sql, (storable(session), now())).fetchall()[0][0])

    def in_mind(self, session: str) -> tuple[bool, bool]:
        """Whether a session has said what it is for, and whether it has anything in mind or made use of."""
        sql = (
            "SELECT goal <> '', EXISTS (SELECT 1 FROM item WHERE session = id)"
            " OR EXISTS (SELECT 1 FROM waiting WHERE session = id)"
            " OR EXISTS (SELECT 1 FROM injection WHERE session = id AND used IS NOT NULL)"
            " FROM session WHERE id = ?"
        )
        goal, busy = self._db.execute(sql, (storable(session),)).fetchone() or (False, False)
        return bool(goal), bool(busy)

    def compacted(self, session: str) -> None:
        """Note that a session's context was compacted: what it was given is gone from it."""
        with writing(self._db):
            self.count_event(session)
            sql = "UPDATE session SET compactions = compactions + 1 WHERE id = ?"
            self._db.execute(sql, (storable(session),))

    def given(self, session: str) -> set[str]:
        """What a session was given since its context was last compacted."""
        sql = (
            "SELECT memory FROM injection JOIN session ON session.id = injection.session"
            " WHERE session = ? AND compaction = compactions"
        )
        return {row[0] for row in self._db.execute(sql, (storable(session),))}

    def give(self, session: str, memories: Sequence[str], probability: float) -> list[str]:
        """Note what a prompt is given; returns those that the session did not have yet."""
        sql = (
            "INSERT OR IGNORE INTO injection"
            " SELECT id, ?, compactions, ?, ?, ?, NULL FROM session WHERE id = ?"
        )
        with writing(self._db):
            noted = self.count_event(session), now(), probability, storable(session)
            return [memory for memory in memories if self._db.execute(sql, (memory, *noted)).rowcount]

    def point(self, session: str, *, follows: bool = False) -> bool:
        """Note that a session was pointed to search; True only the first time.

        A prompt that `follows` from what was said before is about what the session was given already.
        """
        sql = "UPDATE session SET pointed = 1 WHERE id = ? AND pointed = 0"
        with writing(self._db):
            self.count_event(session)
            if follows and self.given(session):
                return False
            return self._db.execute(sql, (storable(session),)).rowcount == 1

    def use(self, session: str, memories: Iterable[str], how: str) -> None:
        """Note that a session made use of what it was given. The first use counts."""
        sql = "UPDATE injection SET used = ? WHERE session = ? AND memory = ? AND used IS NULL"
        with writing(self._db):
            for memory in memories:
                self._db.execute(sql, (how, storable(session), memory))

    def unused(self, session: str) -> list[str]:
        """What a session was given and has not used so far."""
        sql = "SELECT DISTINCT memory FROM injection WHERE session = ? AND used IS NULL ORDER BY memory"
        return [row[0] for row in self._db.execute(sql, (storable(session),))]

    def latest(self, limit: int) -> list[Injection]:
        """What prompts were given last, the newest first."""
        sql = (
            "SELECT session, memory, at, probability, used FROM injection"
            " ORDER BY at DESC, session, memory LIMIT ?"
        )
        return [Injection(*row) for row in self._db.execute(sql, (limit,))]

    def impact(self) -> list[Impact]:
        """Each memory's record, the most given first."""
        sql = (
            "SELECT memory, count(*), count(used) FROM injection"
            " GROUP BY memory ORDER BY count(*) DESC, memory"
        )
        return [Impact(*row) for row in self._db.execute(sql)]


def now() -> str:
    """This moment, as the databases keep it."""
    return clock.to_text(clock.utc_now())
