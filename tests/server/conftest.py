"""A project with a few memories, and clients that talk to its server in this process."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from mcp import Client
from tests.samples import draft
from tests.server.running import MODES, NEW, OLD

from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.records.categories import Category
from recollect.records.memories import Saved
from recollect.server.memory_tools import MemoryTools
from recollect.server.protocol import make_server


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=[OLD, NEW])
def version(request: pytest.FixtureRequest) -> str:
    """Each of the two protocol eras."""
    return str(request.param)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A project folder with an empty memory root, and a path short enough for a socket."""
    with TemporaryDirectory(prefix="r-") as name:
        project = Path(name).resolve()
        (project / ".claude" / "memory").mkdir(parents=True)
        yield project


@pytest.fixture
def connect(project: Recollect) -> Callable[..., Client]:
    """The official client and our server, joined in this process."""

    def client(version: str = NEW, *, report_every: float = 0.2) -> Client:
        worker = ProjectWorker(lambda: project, report_every)
        return Client(make_server(worker, MemoryTools(worker)), mode=MODES[version])

    return client


def save(project: Recollect, title: str, category: Category = Category.DECISION, **fields: Any) -> str:
    """Save a memory; its id."""
    saved = project.memories.save(draft(title, category, **fields), allow_repeat=True)
    assert isinstance(saved, Saved)
    return saved.stored.memory.id


def stock(project: Recollect) -> None:
    """Save a few things that a shop knows."""
    save(project, "Sign a JWT at login", related_files=["src/auth.py"])
    save(project, "Uploads may not exceed 5 MB", Category.CONSTRAINT)
    save(project, "Restart the worker when the queue stops", Category.RUNBOOK)


@pytest.fixture
def keep(project: Recollect) -> Callable[..., str]:
    """Save a memory; its id."""
    return partial(save, project)


@pytest.fixture
def shop(folder: Path, project: Recollect) -> Path:
    """A project that knows a few things."""
    stock(project)
    return folder
