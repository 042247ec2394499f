"""`gateway.db`: what the gateway knows of a user's servers. One file for each user, opened by many processes.

Migrations are ordered functions; the database's `user_version` counts those it has had.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from recollect.errors import StoreError, UnwritableError
from recollect.gateway.entry import content_of, digest_of
from recollect.gateway.tool import UpstreamTool
from recollect.storage.sqlite.catalogue import SqliteCatalogue
from recollect.storage.sqlite.connections import connect, is_corrupt, writing
from recollect.storage.sqlite.observed import SqliteObservedSchemas, observed_table
from recollect.storage.sqlite.pins import SqlitePins
from recollect.storage.sqlite.policy import SqlitePolicy, policy_table
from recollect.storage.sqlite.projections import SqliteProjections, projection_tables
from recollect.storage.sqlite.receipts import SqliteReceipts, projection_savings, receipt_tables
from recollect.storage.sqlite.speculations import SqliteSpeculations, speculation_table


def _tools(db: sqlite3.Connection) -> None:
    """The tables of the first files, which had no version yet."""
    db.execute(
        "CREATE TABLE IF NOT EXISTS server (name TEXT PRIMARY KEY, listed_at TEXT NOT NULL) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE IF NOT EXISTS tool (server TEXT NOT NULL REFERENCES server (name) ON DELETE CASCADE,"
        " name TEXT NOT NULL, description TEXT NOT NULL, input_schema TEXT NOT NULL,"
        " PRIMARY KEY (server, name)) WITHOUT ROWID"
    )


def _entries(db: sqlite3.Connection) -> None:
    """One table for tools, resources, templates and prompts, each with the digest of its content."""
    db.execute(
        "CREATE TABLE entry (server TEXT NOT NULL REFERENCES server (name) ON DELETE CASCADE,"
        " kind TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, content TEXT NOT NULL,"
        " PRIMARY KEY (kind, server, key)) WITHOUT ROWID"
    )
    for server, name, description, schema in db.execute("SELECT * FROM tool").fetchall():
        tool = UpstreamTool(server, name, description, json.loads(schema))
        row = (server, "tool", name, digest_of(tool), json.dumps(content_of(tool)))
        db.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", row)
    db.execute("DROP TABLE tool")


def _pins(db: sqlite3.Connection) -> None:
    """The accepted version of every tool; what is in the catalogue already counts as used."""
    db.execute(
        "CREATE TABLE pin (server TEXT NOT NULL, tool TEXT NOT NULL, content TEXT NOT NULL,"
        " accepted_at TEXT NOT NULL, accepted_by TEXT NOT NULL, rejected TEXT NOT NULL,"
        " origin TEXT NOT NULL, PRIMARY KEY (server, tool)) WITHOUT ROWID"
    )
    db.execute(
        "INSERT INTO pin SELECT server, key, content, listed_at, '', '', ''"
        " FROM entry JOIN server ON server.name = entry.server WHERE kind = 'tool'"
    )


def _change(db: sqlite3.Connection) -> None:
    """A number that grows with every change of the catalogue, pins and policy."""
    db.execute("CREATE TABLE change (number INTEGER NOT NULL)")
    db.execute("INSERT INTO change VALUES (0)")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _tools,
    _entries,
    receipt_tables,
    _pins,
    observed_table,
    policy_table,
    projection_tables,
    projection_savings,
    _change,
    speculation_table,
)


class GatewayDatabase:
    """An open `gateway.db`. Raises UnwritableError when it is busy, and StoreError when it is damaged."""

    def __init__(self, path: str) -> None:
        self._path = path
        with self._translated():
            self._db = connect(path, _prepare)
        self.catalogue = SqliteCatalogue(self)
        self.receipts = SqliteReceipts(self)
        self.speculations = SqliteSpeculations(self)
        self.pins = SqlitePins(self)
        self.observed = SqliteObservedSchemas(self)
        self.policy = SqlitePolicy(self)
        self.projections = SqliteProjections(self)

    def rows(
        self, sql: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        with self._translated():
            return self._db.execute(sql, values).fetchall()

    def write_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values."""
        with self._translated():
            self._db.executemany(sql, rows)

    @contextmanager
    def transaction(self, *, of_a_call: bool = False) -> Iterator[None]:
        """Read, compute and write without another writer in between; inside another one, as a part of it.

        What is written down `of_a_call` leaves `version` as it is: no call depends on it.
        """
        with self._translated():
            if self._db.in_transaction:
                yield
                return
            with writing(self._db):
                if not of_a_call:
                    self._db.execute("UPDATE change SET number = number + 1")
                yield

    def version(self) -> int:
        """A number that grows when anybody changes what calls depend on."""
        return int(self.rows("SELECT number FROM change")[0][0])

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if isinstance(error, sqlite3.DatabaseError) and is_corrupt(error):
                reason = (
                    f"{self._path!r} is damaged ({error}); move it away, and list the tools of your servers "
                    "again"
                )
                raise StoreError(f"{reason} with `recollect gateway test`.") from None
            raise UnwritableError(f"cannot use {self._path!r} now ({error}); try again.") from None


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA foreign_keys = ON")
    if _version(db) >= len(MIGRATIONS):
        return
    with writing(db):
        for number in range(_version(db), len(MIGRATIONS)):
            MIGRATIONS[number](db)
            db.execute(f"PRAGMA user_version = {number + 1}")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])
