"""Projects to run commands in."""

import sys
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shop import fill
from tests.keyrings import memory_keyring

__all__ = ["memory_keyring"]

GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@localhost",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@localhost",
}


@pytest.fixture
def bare(tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line in an empty folder, with our programs on PATH."""
    folder = tmp_path / "shop"
    folder.mkdir()
    path = f"{env['PATH']}:{Path(sys.executable).parent}"
    plain = {"LANG": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "100", "PATH": path}
    return Cli(folder, env | GIT | plain, monkeypatch)


@pytest.fixture
def cli(bare: Cli) -> Cli:
    """The command line in a project with an empty memory root."""
    bare.ok("init")
    return bare


@pytest.fixture
def repository(bare: Cli) -> Cli:
    """The command line in a git checkout with one commit and a memory root."""
    bare.git("init", "-q", "-b", "main")
    bare.git("commit", "-q", "--allow-empty", "-m", "Begin")
    bare.ok("init")
    return bare


@pytest.fixture
def shop(cli: Cli) -> Cli:
    """The command line in a project with a few memories."""
    fill(cli)
    return cli
