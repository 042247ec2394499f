"""Fixtures that more than one area uses."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from tests.samples import NOW
from tests.soak import times

from recollect.app.opening import open_project
from recollect.app.project import Recollect

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
