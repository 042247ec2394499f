"""Opening the database of a team for one project: migrated, on its server, and with a row for the project."""

import atexit
import os
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock

from psycopg.sql import SQL, Identifier

from recollect.errors import DatabaseError, RecollectError
from recollect.storage.postgres.database import Database, PoolLimits, ProjectDatabase, ProjectKey
from recollect.storage.postgres.directory import Servers
from recollect.storage.postgres.migrating import migrate
from recollect.storage.postgres.partitions import keep_months
from recollect.storage.postgres.text_values import storable

_ADD = "INSERT INTO project (project, name) VALUES (%s, %s) ON CONFLICT (project) DO NOTHING"
_TABLES = """
SELECT table_name FROM information_schema.columns
JOIN information_schema.tables USING (table_schema, table_name)
WHERE column_name = 'project' AND table_schema = current_schema() AND table_type = 'BASE TABLE'
"""
_POOLS: dict[tuple[str, PoolLimits], Database] = {}
_PARENTS: list[object] = []
_SERVERS: dict[tuple[str, PoolLimits], Servers] = {}
_LOCK = Lock()
_HAS = "SELECT 1 FROM project WHERE project = %s"


def open_project_database(
    url: str, project: str, name: str, limits: PoolLimits | None = None
) -> tuple[ProjectDatabase, bool]:
    """The rows of a project, and whether it is new here. Raises StoreError or InvalidConfigError."""
    servers = servers_of(url, limits)
    rows = servers.project(ProjectKey(storable(project)))
    with rows.reading() as connection:
        is_known = connection.execute(_HAS, (rows.key,)).fetchone() is not None
    if not is_known:
        servers.directory.note(rows.key, storable(name))
        _add(rows, storable(name))
    return rows, not is_known


def add_project(url: str, name: str, server: str = "") -> ProjectDatabase:
    """A new project, where the directory is or on another server. Raises RefusedError for one that exists."""
    servers, key = servers_of(url), ProjectKey(storable(name))
    if server:
        servers.database(server)  # says what is wrong before the directory names it
    servers.directory.place(key, storable(name), server)
    rows = servers.project(key)
    _add(rows, storable(name))
    return rows


def _add(rows: ProjectDatabase, name: str) -> None:
    with rows.writing() as connection:
        connection.execute(_ADD, (rows.key, name))


def servers_of(url: str, limits: PoolLimits | None = None) -> Servers:
    """The servers of all projects, as the directory of a database says."""
    limits = limits or PoolLimits()
    database = shared_database(url, limits)
    with _LOCK:
        return _SERVERS.setdefault((url, limits), Servers(database, limits))


def shared_database(url: str, limits: PoolLimits, *, migrated: bool = True) -> Database:
    """The pool of this process for a database, which is migrated when it is first used; a replica is not."""
    with _LOCK:
        if (url, limits) not in _POOLS:
            database = Database(url, limits)
            if migrated:
                _prepare(database)
            _POOLS[url, limits] = database
        return _POOLS[url, limits]


def remove_project(rows: ProjectDatabase) -> None:
    """Delete a project and every row of it, in all tables that have a project but the audit log."""
    with rows.writing() as connection:
        tables = [row[0] for row in connection.execute(_TABLES) if row[0] != "audit"]
        for table in sorted(tables, key=lambda name: name == "project"):  # the others refer to it
            statement = SQL("DELETE FROM {} WHERE project = %s").format(Identifier(table))
            connection.execute(statement, (rows.key,))


def _prepare(database: Database) -> None:
    try:
        migrate(database)
    except RecollectError:
        database.close()
        raise
    with suppress(DatabaseError):  # a login that makes no tables leaves that to others
        keep_months(database, datetime.now(UTC).date())


def close_pools() -> None:
    """Close the connections of this process."""
    with _LOCK:
        while _SERVERS:
            _SERVERS.popitem()[1].close()
        while _POOLS:
            _POOLS.popitem()[1].close()


def _forget_pools() -> None:
    """In a child process: connections of the parent are the parent's, and must not be closed here."""
    _PARENTS.append((dict(_POOLS), dict(_SERVERS)))
    _POOLS.clear()
    _SERVERS.clear()


atexit.register(close_pools)
os.register_at_fork(after_in_child=_forget_pools)
