"""A pool of connections to PostgreSQL, and transactions that see one project.

Row-level security compares every row with the setting `recollect.project` of the transaction, so a statement
that forgets its project sees nothing of others. No error of psycopg leaves this package.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NewType, TypeAlias, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Literal
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from recollect.errors import DatabaseError, InvalidConfigError
from recollect.storage.postgres.failures import Address, translated

Connection: TypeAlias = psycopg.Connection[Any]
ProjectKey = NewType("ProjectKey", str)
Answer = TypeVar("Answer")

ATTEMPTS = 8  # of a transaction that PostgreSQL ended for the sake of another one
CONNECT_SECONDS = 5
WAIT_SECONDS = 10.0  # for a connection of the pool
STATEMENT_SECONDS = 30
IDLE_SECONDS = 60  # of a transaction between two statements
POOL_SIZE = 10

logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what it reports, we raise


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """How many connections a process may have, and how long it waits for one and for a statement.

    The server ends a transaction that was idle for longer than `idle_seconds`: a machine that fell asleep in
    the middle of one must not hold up the others.
    """

    size: int = POOL_SIZE
    wait_seconds: float = WAIT_SECONDS
    statement_seconds: float = STATEMENT_SECONDS
    idle_seconds: float = IDLE_SECONDS


class Database:
    """A pool of connections to one database. Threads may share it; connections are made when first needed.

    Credentials come from the URL and the usual places of libpq: PGPASSWORD, PGPASSFILE, PGSERVICE, PGSSLMODE
    and so on. They are in no message.
    """

    def __init__(self, url: str, limits: PoolLimits | None = None) -> None:
        self._limits = limits or PoolLimits()
        self._conninfo = _conninfo(url)
        self.address = address_of(self._conninfo)
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            self._conninfo,
            kwargs={"autocommit": True},
            min_size=0,
            max_size=self._limits.size,
            timeout=self._limits.wait_seconds,
            reconnect_timeout=self._limits.wait_seconds,
            configure=self._configure,
            open=True,
        )

    def close(self) -> None:
        """Close every connection. Transactions after this raise DatabaseError."""
        self._pool.close()

    def project(self, key: ProjectKey) -> ProjectDatabase:
        """The part of the database that belongs to one project."""
        return ProjectDatabase(self, key)

    @contextmanager
    def transaction(
        self, project: ProjectKey | None, *, read_only: bool = False
    ) -> Iterator[Connection]:
        """A transaction that sees the rows of `project`; with None it sees those of no project.

        A read-only one sees one moment. Raises errors of our tree, and nothing of psycopg.
        """
        try:
            connection = self._begin(project or "", read_only)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(psycopg.Error):
                    connection.rollback()
                raise
            finally:
                self._pool.putconn(connection)
        except psycopg.Error as error:
            raise translated(error, self.address, self._limits.statement_seconds) from None

    @contextmanager
    def outside_transaction(self) -> Iterator[Connection]:
        """A connection of its own, without a transaction or a time limit, for what runs only so."""
        try:
            with psycopg.connect(self._conninfo, autocommit=True) as connection:
                yield connection
        except psycopg.Error as error:
            raise translated(error, self.address, self._limits.statement_seconds) from None

    def analyze(self) -> None:
        """Let the planner know what the tables contain now, as the server does by itself after a while."""
        with self.outside_transaction() as connection:
            connection.execute("ANALYZE")

    def retrying(self, project: ProjectKey | None, work: Callable[[Connection], Answer]) -> Answer:
        """Run `work` in a write transaction, again when it met another one (deadlock, serialization)."""
        for _ in range(ATTEMPTS - 1):
            try:
                with self.transaction(project) as connection:
                    return work(connection)
            except DatabaseError as error:
                if not error.is_transient:
                    raise
        with self.transaction(project) as connection:
            return work(connection)

    def _begin(self, project: str, read_only: bool) -> Connection:
        """A connection whose transaction is open. Connections that a restart broke are replaced."""
        mode = " ISOLATION LEVEL REPEATABLE READ, READ ONLY" if read_only else ""
        begin = SQL(f"BEGIN{mode}; SELECT set_config('recollect.project', {{}}, true)")
        for attempt in range(self._limits.size + 1):
            connection = self._connection()
            try:
                connection.execute(begin.format(Literal(project)))
                return connection
            except psycopg.OperationalError:
                is_broken = connection.broken
                self._pool.putconn(connection)
                if not is_broken or attempt == self._limits.size:
                    raise
            except BaseException:
                self._pool.putconn(connection)
                raise
        raise AssertionError("unreachable")

    def _connection(self) -> Connection:
        try:
            return self._pool.getconn()
        except PoolTimeout:
            self.probe()
            raise DatabaseError(
                str(self.address),
                f"all {self._limits.size} connections stayed in use for {self._limits.wait_seconds:g} s",
                "try again, or allow more connections",
            ) from None
        except PoolClosed:
            raise DatabaseError(str(self.address), "it was closed", "open the project again") from None

    def probe(self) -> None:
        """Connect once, outside the pool. Raises the reason why that is not possible."""
        try:
            psycopg.connect(self._conninfo).close()
        except psycopg.Error as error:
            raise translated(error, self.address, self._limits.statement_seconds) from None

    def _configure(self, connection: Connection) -> None:
        limits = {
            "statement_timeout": self._limits.statement_seconds,
            "idle_in_transaction_session_timeout": self._limits.idle_seconds,
        }
        calls = [
            SQL("set_config({}, {}, false)").format(
                Literal(name), Literal(f"{round(seconds * 1000)}ms")
            )
            for name, seconds in limits.items()
        ]
        connection.execute(SQL("SELECT {}").format(SQL(", ").join(calls)))


class ProjectDatabase:
    """One project's rows. A transaction inside another one of the same thread is part of it."""

    def __init__(self, database: Database, key: ProjectKey) -> None:
        self.database, self.key = database, key
        self._open = threading.local()

    @property
    def in_transaction(self) -> bool:
        """Whether this thread has a transaction open."""
        return getattr(self._open, "connection", None) is not None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read transaction, which sees one moment."""
        with self._joined(read_only=True) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction: all of it or nothing. Use `write` where two may wait for each other."""
        with self._joined(read_only=False) as connection:
            yield connection

    def write(self, work: Callable[[Connection], Answer]) -> Answer:
        """Run `work` in a write transaction, again after a deadlock. Inside another one it runs once."""
        if self.in_transaction:
            with self.writing() as connection:
                return work(connection)

        def joined(connection: Connection) -> Answer:
            with self._noted(connection, read_only=False):
                return work(connection)

        return self.database.retrying(self.key, joined)

    @contextmanager
    def _joined(self, *, read_only: bool) -> Iterator[Connection]:
        outer: Connection | None = getattr(self._open, "connection", None)
        if outer is None:
            with (
                self.database.transaction(self.key, read_only=read_only) as connection,
                self._noted(connection, read_only=read_only),
            ):
                yield connection
            return
        if self._open.read_only and not read_only:
            raise RuntimeError("a write inside a read transaction")
        try:
            yield outer
        except psycopg.Error as error:
            raise translated(error, self.database.address, STATEMENT_SECONDS) from None

    @contextmanager
    def _noted(self, connection: Connection, *, read_only: bool) -> Iterator[None]:
        self._open.connection, self._open.read_only = connection, read_only
        try:
            yield
        finally:
            self._open.connection = None


def address_of(conninfo: str) -> Address:
    """Where a connection leads, without its password."""
    values = conninfo_to_dict(conninfo)
    return Address(
        str(values.get("host") or values.get("hostaddr") or "localhost"),
        str(values.get("port") or "5432"),
        str(values.get("dbname") or ""),
        str(values.get("user") or ""),
    )


def _conninfo(url: str) -> str:
    """`url` with our defaults. Its own error would quote the URL, and with it the password."""
    try:
        values: dict[str, Any] = conninfo_to_dict(url)
        return make_conninfo(
            **{
                "connect_timeout": CONNECT_SECONDS,
                "application_name": "recollect",
                "client_encoding": "utf8",
                **values,
            }
        )
    except psycopg.ProgrammingError:
        raise InvalidConfigError(
            "the database address cannot be parsed; write it as postgresql://USER@HOST:PORT/NAME, and "
            "percent-encode special characters."
        ) from None
