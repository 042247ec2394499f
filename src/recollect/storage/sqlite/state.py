"""`state.db`: state that cannot be derived from files. Sessions, their working memory, and injections.

Migrations are ordered functions; the database's `user_version` counts those it has had. The adapters of the
session ports are opened here; their tables are in `working_tables`. Errors of SQLite become
StoreError here, for all of them.
"""

from __future__ import annotations

import sqlite3
import time
from _thread import RLock

from recollect.storage.sqlite.connections import (
    BUSY_SECONDS,
    FOREIGN,
    connect,
    is_corrupt,
    is_empty,
    mark,
    move_aside,
    was_made_here,
    writing,
)
from recollect.storage.sqlite.schema import storable
from recollect.storage.sqlite.sessions import SqliteInjections, SqliteSessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Any

    from recollect.errors import StoreError
    from recollect.storage.sqlite.call_sequences import SqliteSequences
    from recollect.storage.sqlite.capabilities import SqliteCapabilities
    from recollect.storage.sqlite.episodes import SqliteEpisodes
    from recollect.storage.sqlite.history import SqliteHistory
    from recollect.storage.sqlite.journal import SqliteGrants, SqliteJournal
    from recollect.storage.sqlite.past_sessions import SqlitePastSessions
    from recollect.storage.sqlite.thresholds import SqliteThresholds
    from recollect.storage.sqlite.tool_edges import SqliteToolGraph
    from recollect.storage.sqlite.traces import SqliteTraces
    from recollect.storage.sqlite.turns import SqliteTurns

_DAY = 86_400 * 10**9  # nanoseconds


def _sessions_and_injections(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import sessions_and_injections

    sessions_and_injections(db)


def _working_memory(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import working_memory

    working_memory(db)


def _turns(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import turns

    turns(db)


def _origin(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import origin

    origin(db)


def _item_counts(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import item_counts

    item_counts(db)


def _tool_edges(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import tool_edges

    tool_edges(db)


def _runs(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import runs

    runs(db)


def _traces(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import traces

    traces(db)


def _call_sequences(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import call_sequences

    call_sequences(db)


def _thresholds(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import thresholds

    thresholds(db)


def _capabilities(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import capabilities

    capabilities(db)


def _episodes(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import episodes

    episodes(db)


def _past_sessions(db: sqlite3.Connection) -> None:
    from recollect.storage.sqlite.working_tables import past_sessions

    past_sessions(db)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _sessions_and_injections,
    _working_memory,
    _turns,
    _origin,
    _item_counts,
    _tool_edges,
    _runs,
    _traces,
    _call_sequences,
    _thresholds,
    _capabilities,
    _episodes,
    _past_sessions,
)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _migrate(db: sqlite3.Connection, path: str) -> None:
    if _version(db) >= len(MIGRATIONS):
        return
    with writing(db):
        is_new = is_empty(db)
        for number in range(_version(db), len(MIGRATIONS)):
            MIGRATIONS[number](db)
            db.execute(f"PRAGMA user_version = {number + 1}")
        if is_new and path != ":memory:":
            mark(db, path)


class _MadeElsewhereError(Exception):
    """The database is a copy, or was made by an earlier version."""


class StateConnection:
    """An open `state.db` that many processes may write to.

    A file that was made elsewhere is moved aside, because a repository could contain one: prompts would
    get its sessions as the user's own, and its views and triggers would run.
    """

    def __init__(self, path: str, prepare: Callable[[sqlite3.Connection], None], wait: float) -> None:
        self._path = path
        self._turn = (
            RLock()
        )  # of threads that share the connection: a transaction belongs to one of them

        def prepare_own(db: sqlite3.Connection) -> None:
            if path != ":memory:" and not is_empty(db) and not was_made_here(db, path):
                raise _MadeElsewhereError
            prepare(db)

        try:
            try:
                self._db = connect(path, prepare_own, wait)
            except _MadeElsewhereError:
                move_aside(path, FOREIGN)
                self._db = connect(path, prepare_own, wait)
        except sqlite3.Error as error:
            raise _translated(path, error) from error
        except (OSError, _MadeElsewhereError) as error:
            from recollect.errors import UnwritableError

            raise UnwritableError(
                f"{path!r} was made elsewhere and cannot be moved ({error})."
            ) from None

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise _translated(self._path, error) from error

    def write_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values."""
        try:
            self._db.executemany(sql, rows)
        except sqlite3.Error as error:
            raise _translated(self._path, error) from error

    def keep_sessions(self, table: str, sessions: Collection[str]) -> None:
        """Delete the rows of a table that belong to other sessions."""
        marks = ",".join("?" * len(sessions))
        names = [storable(session) for session in sessions]
        self.rows(f"DELETE FROM {table} WHERE session NOT IN ({marks})", names)

    def transaction(self, *, sync: bool = False) -> StateTransaction:
        """A transaction that no other writer interrupts. With `sync` it is on the disk when it ends."""
        return StateTransaction(self._db, self._path, self._turn, sync)

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


class StateTransaction:
    """`writing` on `state.db`, with StoreError for what SQLite says at its begin and end."""

    def __init__(self, db: sqlite3.Connection, path: str, turn: RLock, sync: bool = False) -> None:
        self._writing, self._path = writing(db), path
        self._db, self._turn, self._sync = db, turn, sync

    def __enter__(self) -> None:
        self._turn.acquire()
        try:
            if self._sync:
                self._db.execute("PRAGMA synchronous = FULL")
            self._writing.__enter__()
        except BaseException as error:
            self._turn.release()
            if isinstance(error, sqlite3.Error):
                raise _translated(self._path, error) from error
            raise

    def __exit__(self, raised: type[BaseException] | None, *details: object) -> None:
        try:
            self._writing.__exit__(raised, *details)
            if self._sync:
                self._db.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error as error:
            raise _translated(self._path, error) from error
        finally:
            self._turn.release()


def _translated(path: str, error: sqlite3.Error) -> StoreError:
    from recollect.errors import (  # 0.4 ms, which a hook without errors saves
        StateError,
        UnwritableError,
    )

    if isinstance(error, sqlite3.DatabaseError) and not is_corrupt(error):
        return UnwritableError(f"cannot use {path!r} now ({error}); try again.")
    return StateError(path, str(error))


class StateDatabase:
    """The SQLite adapter of `SessionDatabase`. Safe for many processes at once.

    `wait` is how many seconds it waits for another writer. Raises UnwritableError when that was not enough,
    and StateError when the file is no database of ours.
    """

    def __init__(self, path: str, wait: float = BUSY_SECONDS) -> None:
        self._path = path
        self._db = StateConnection(path, lambda db: _migrate(db, path), wait)
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

    @property
    def tool_graph(self) -> SqliteToolGraph:
        from recollect.storage.sqlite.tool_edges import SqliteToolGraph  # for the gateway alone

        return SqliteToolGraph(self._db)

    @property
    def journal(self) -> SqliteJournal:
        from pathlib import Path

        from recollect.storage.sqlite.journal import SqliteJournal  # for workflows alone

        return SqliteJournal(self._db, Path(self._path).parent / "runs")

    @property
    def grants(self) -> SqliteGrants:
        from recollect.storage.sqlite.journal import SqliteGrants  # for workflows alone

        return SqliteGrants(self._db)

    @property
    def sequences(self) -> SqliteSequences:
        from recollect.storage.sqlite.call_sequences import SqliteSequences  # for the gateway alone

        return SqliteSequences(self._db)

    @property
    def capabilities(self) -> SqliteCapabilities:
        from recollect.storage.sqlite.capabilities import SqliteCapabilities  # for runs alone

        return SqliteCapabilities(self._db)

    @property
    def episodes(self) -> SqliteEpisodes:
        from recollect.storage.sqlite.episodes import SqliteEpisodes  # for runs alone

        return SqliteEpisodes(self._db)

    @property
    def past_sessions(self) -> SqlitePastSessions:
        from recollect.storage.sqlite.past_sessions import SqlitePastSessions  # for commands alone

        return SqlitePastSessions(self._db)

    @property
    def thresholds(self) -> SqliteThresholds:
        from recollect.storage.sqlite.thresholds import SqliteThresholds  # for the gateway alone

        return SqliteThresholds(self._db)

    @property
    def traces(self) -> SqliteTraces:
        from recollect.storage.sqlite.traces import SqliteTraces  # for commands and servers alone

        return SqliteTraces(self._db)

    def erase(self, id: str) -> bool:
        """Erase what is recorded about a memory; False while another process uses the database."""
        from recollect.storage.sqlite.erasing import erase_memory  # for one command alone

        return erase_memory(self._db, id)

    def transaction(self) -> StateTransaction:
        """Load, compute and save without another writer in between."""
        return self._db.transaction()

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


def now() -> str:
    """This moment in whole seconds."""
    return days_ago(0)


def days_ago(days: int) -> str:
    """The moment so many days ago in whole seconds, at the earliest the beginning of the epoch."""
    return f"{precise_text(max(time.time_ns() - days * _DAY, 0))[:19]}Z"


def precise_now() -> str:
    """This moment in microseconds, so that later events sort later."""
    return precise_text(time.time_ns())


def precise_text(nanoseconds: int) -> str:
    """A moment since the epoch as text. The order of the texts is the order in time."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest // 1000:06}Z"
