"""Roots to examine, without a command line in between."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.app.project import Recollect
from recollect.health.finding import HealthFinding

Examine = Callable[[], list[HealthFinding]]
Git = Callable[..., None]


@pytest.fixture
def examine(reopen: Callable[[], Recollect]) -> Examine:
    """Look at the project's root as it is now; what was found."""
    return lambda: reopen().upkeep.examine()[0].findings


@pytest.fixture
def fix(reopen: Callable[[], Recollect]) -> Examine:
    """Look, fix what is safe; the findings that were dealt with."""

    def run() -> list[HealthFinding]:
        project = reopen()
        return project.upkeep.fix(project.upkeep.examine()[0])

    return run


@pytest.fixture
def root(folder: Path) -> Path:
    return folder / ".claude" / "memory"


@pytest.fixture
def git(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Run git in the project, with nobody's configuration."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@localhost")

    def run(*arguments: str, cwd: Path = folder) -> None:
        subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True)

    return run
