"""Projects over several servers: a table says which server has which project.

The configured server has the table. A server that is down takes its own projects with it and no others: what
the table said last is remembered, so that also its own server may be away for a while.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from psycopg.conninfo import conninfo_to_dict

from recollect.clock import to_text
from recollect.errors import DatabaseError, NotFoundError, RefusedError
from recollect.storage.postgres.database import Database, PoolLimits, ProjectDatabase, ProjectKey
from recollect.storage.postgres.migrating import migrate

FRESH_SECONDS = 30.0  # for which a place is used without asking again


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """A project, and the server that has it; empty for the one with the directory."""

    project: ProjectKey
    name: str
    server: str
    created_at: str


class Directory:
    """The table of places. Every method raises DatabaseError when its server is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> Sequence[ProjectPlace]:
        """Every project, by name."""
        with self._database.transaction(None, read_only=True) as connection:
            rows = connection.execute(
                "SELECT project, name, server, created_at FROM directory ORDER BY name, project"
            )
            return [
                ProjectPlace(ProjectKey(key), name, place, to_text(at)) for key, name, place, at in rows
            ]

    def server_of(self, project: ProjectKey) -> str:
        """The server of a project; that of the directory for one that was never placed."""
        with self._database.transaction(None, read_only=True) as connection:
            row = connection.execute(
                "SELECT server FROM directory WHERE project = %s", (project,)
            ).fetchone()
        return str(row[0]) if row else ""

    def place(self, project: ProjectKey, name: str, server: str = "") -> None:
        """Note where a new project is. Raises RefusedError for one that has a place."""
        if "password" in conninfo_to_dict(server):
            raise RefusedError(
                "the address of a server in the directory must not contain a password; put it into "
                "PGPASSFILE."
            )
        with self._database.transaction(None) as connection:
            placed = connection.execute(
                "INSERT INTO directory (project, name, server) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (project, name, server),
            ).rowcount
        if not placed:
            raise RefusedError(f"a project named {project!r} already exists.")

    def note(self, project: ProjectKey, name: str) -> None:
        """Note a project that is opened here for the first time; one that has a place stays there."""
        with self._database.transaction(None) as connection:
            connection.execute(
                "INSERT INTO directory (project, name) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (project, name),
            )

    def require(self, project: ProjectKey) -> None:
        """Raises NotFoundError for a project without a place."""
        with self._database.transaction(None, read_only=True) as connection:
            row = connection.execute("SELECT FROM directory WHERE project = %s", (project,)).fetchone()
        if row is None:
            raise NotFoundError(
                f"there is no project {project!r}; `recollect team project list` shows them."
            )


class Servers:
    """The servers of all projects: the configured one, and those that its directory names.

    A pool of connections is made for each server when a project of it is first asked for.
    """

    def __init__(
        self,
        database: Database,
        limits: PoolLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.directory = Directory(database)
        self._limits, self._clock = limits, clock
        self._databases = {"": database}
        self._places: dict[ProjectKey, tuple[str, float]] = {}
        self._lock = threading.Lock()

    def project(self, key: ProjectKey) -> ProjectDatabase:
        """A project on its server. Raises DatabaseError where that cannot be found out or reached."""
        return self.database(self._server(key)).project(key)

    def database(self, server: str) -> Database:
        """The database of a server, with every table."""
        with self._lock:
            known = self._databases.get(server)
        if known is not None:
            return known
        database = Database(server, self._limits)
        try:
            migrate(database)
        except BaseException:
            database.close()
            raise
        with self._lock:
            winner = self._databases.setdefault(server, database)
        if winner is not database:
            database.close()
        return winner

    def close(self) -> None:
        """Close the connections to all servers but the configured one, which its opener closes."""
        with self._lock:
            others = [self._databases.pop(server) for server in list(self._databases) if server]
        for database in others:
            database.close()

    def _server(self, key: ProjectKey) -> str:
        known, now = self._places.get(key), self._clock()
        if known is not None and now - known[1] < FRESH_SECONDS:
            return known[0]
        try:
            server = self.directory.server_of(key)
        except DatabaseError:
            if known is None:
                raise
            return known[0]
        self._places[key] = server, now
        return server
