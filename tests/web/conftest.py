"""The page of a project, asked in this process as a browser would ask it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.conftest import Wall
from tests.web.running import Served, serving

from recollect.web.app import make_app
from recollect.web.keys import Keys
from recollect.web.page import WebPage

PORT = 8378
CHANGE = {"X-Recollect": "1"}  # what a request that changes something has


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def browser(folder: Path, env: dict[str, str], wall: Wall) -> Iterator[TestClient]:
    """The page of the project, opened with its token."""
    with opened(WebPage(folder, env=env, clock=wall)) as client:
        yield client


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    home = tmp_path_factory.mktemp("home")
    folder = tmp_path_factory.mktemp("project")
    (folder / ".claude" / "memory").mkdir(parents=True)
    return folder, {"HOME": str(home), "PATH": os.environ["PATH"]}


@pytest.fixture(scope="module")
def served(place: tuple[Path, dict[str, str]]) -> Iterator[Served]:
    with serving(*place) as running:
        yield running


@contextmanager
def opened(page: WebPage) -> Iterator[TestClient]:
    """A browser that has opened the page with its token."""
    keys = Keys(PORT)
    with TestClient(make_app(page, keys), base_url=f"http://127.0.0.1:{PORT}") as client:
        client.get("/", params={"token": keys.token}, follow_redirects=False)
        yield client
