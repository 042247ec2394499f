"""Whether git stores the memories, and how it merges them."""

import sys
from pathlib import Path

import pytest
from tests.health.conftest import Examine, Git
from tests.health.files import of, one
from tests.requirements import requirement

from recollect.app.opening import init_project
from recollect.health.finding import Fix, Level
from recollect.storage import git_driver
from recollect.storage.files.setup import ATTRIBUTES


def test_a_root_that_git_ignores_is_found_with_the_rule_that_does_it(
    folder: Path, git: Git, examine: Examine
) -> None:
    git("init", "-q")
    assert of("ignored-by-git", examine()) == []

    (folder / ".gitignore").write_text("*.pyc\n.claude/\n")

    found = one("ignored-by-git", examine())
    assert (found.level, found.path) == (Level.WARNING, ".claude/memory")
    assert found.advice.endswith(".gitignore:2:.claude/")


@requirement("health:merge-driver:installed")
def test_a_checkout_that_does_not_merge_memories_is_found_and_told_how(
    folder: Path, root: Path, git: Git, env: dict[str, str], examine: Examine, fix: Examine
) -> None:
    git("init", "-q")
    assert one("merge-driver", examine()).fix is Fix.INSTALL_DRIVER
    assert one("merge-attributes", examine()).fix is Fix.WRITE_ATTRIBUTES

    fix()

    assert git_driver.is_installed(folder)
    assert (root / ".gitattributes").read_text() == ATTRIBUTES
    left = {finding.check for finding in examine()}
    assert left.isdisjoint({"merge-driver", "merge-attributes"})


def test_attributes_made_by_hand_are_explained_and_not_overwritten(
    folder: Path, root: Path, git: Git, env: dict[str, str], examine: Examine, fix: Examine
) -> None:
    git("init", "-q")
    init_project(folder, env=env)
    (root / ".gitattributes").write_text("*.md text\n")

    found = one("merge-attributes", examine())
    assert found.advice == "Add this line to it: /*/*.json merge=recollect"
    fix()

    assert (root / ".gitattributes").read_text() == "*.md text\n"


def test_without_git_nothing_is_said_about_it(examine: Examine) -> None:
    checks = {finding.check for finding in examine()}

    assert checks.isdisjoint({"ignored-by-git", "merge-driver", "merge-attributes"})


@requirement("health:merge-driver:runs")
def test_a_merge_driver_that_does_not_run_is_found(
    folder: Path,
    tmp_path: Path,
    git: Git,
    env: dict[str, str],
    examine: Examine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    git("init", "-q")
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho No module named recollect >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    init_project(folder, env=env)

    found = one("merge-driver", examine())

    assert found.level is Level.WARNING
    assert "cannot run" in found.message


@requirement("health:merge-driver:runs")
def test_a_merge_driver_whose_interpreter_is_gone_is_replaced_by_a_fix(
    folder: Path, git: Git, env: dict[str, str], examine: Examine, fix: Examine
) -> None:
    git("init", "-q")
    init_project(folder, env=env)
    git("config", "merge.recollect.driver", "/gone/python -m recollect merge-driver %O %A %B %P")

    found = one("merge-driver", examine())
    assert (found.level, found.fix) == (Level.WARNING, Fix.INSTALL_DRIVER)
    assert "'/gone/python' does not exist" in found.message
    fix()

    assert of("merge-driver", examine()) == []


def test_a_merge_driver_of_somebody_else_is_not_run(
    folder: Path, tmp_path: Path, git: Git, env: dict[str, str], examine: Examine
) -> None:
    """A checkout that was unpacked from an archive brings its own configuration."""
    git("init", "-q")
    init_project(folder, env=env)
    git("config", "merge.recollect.driver", f"touch {tmp_path}/ran")

    assert "belongs to another installation" in one("merge-driver", examine()).message
    assert not (tmp_path / "ran").exists()
