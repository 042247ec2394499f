"""Project identity, with real repositories."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.errors import InvalidError, NoProjectError
from recollect.storage.project import (
    IDENTITY_FILE,
    Identity,
    home_of,
    identify,
    locate,
    pin_identity,
    project_at,
    user_root,
)

ROOT = ".claude/memory"
QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_DATE": "2026-11-15T10:00:00Z",
    "PATH": os.environ["PATH"],
}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=QUIET, capture_output=True)


def repository(folder: Path, message: str = "Begin") -> Path:
    """A repository with a memory root under version control."""
    (folder / ROOT / "decisions").mkdir(parents=True)
    (folder / ROOT / "memory-config.json").write_text("{}\n")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, message)
    return folder


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)


def clone(source: Path, target: Path, *options: str, remote: str | None = None) -> Path:
    git(source, "clone", "-q", *options, f"file://{source}", str(target))
    if remote:
        git(target, "remote", "set-url", "origin", remote)
    return target


def identity(folder: Path) -> Identity:
    return identify(locate(folder))


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "origin")
    commit(folder, "Second")
    return folder


@requirement("store:project:subfolder")
def test_a_subfolder_is_the_project_it_is_in(origin: Path) -> None:
    deep = origin / "packages" / "api" / "src"
    deep.mkdir(parents=True)

    found = locate(deep)

    assert found.folder == origin
    assert found.root.path == origin / ROOT
    assert found.root.shown == ROOT
    assert identity(deep) == identity(origin)


@requirement("store:project:worktree")
def test_a_worktree_is_the_same_project(origin: Path, tmp_path: Path) -> None:
    git(origin, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "tree"))
    commit(tmp_path / "tree", "Third")

    assert identity(tmp_path / "tree") == identity(origin)
    assert locate(tmp_path / "tree").folder == tmp_path / "tree"


@requirement("store:project:moved")
def test_a_moved_checkout_is_the_same_project(origin: Path, tmp_path: Path) -> None:
    before = identity(origin)

    shutil.move(origin, tmp_path / "elsewhere")

    assert identity(tmp_path / "elsewhere") == before
    assert before.source == "git"


def test_clones_by_ssh_and_by_https_are_the_same_project(origin: Path, tmp_path: Path) -> None:
    one = clone(origin, tmp_path / "one", remote="git@example.org:team/app.git")
    two = clone(origin, tmp_path / "two", remote="https://example.org/team/app")

    assert identity(one) == identity(two)


def test_a_fork_is_another_project(origin: Path, tmp_path: Path) -> None:
    one = clone(origin, tmp_path / "one", remote="https://example.org/team/app")
    fork = clone(origin, tmp_path / "fork", remote="https://example.org/me/app")

    assert identity(one) != identity(fork)


@requirement("store:project:same-name")
def test_two_folders_of_the_same_name_are_two_projects(tmp_path: Path) -> None:
    one = repository(tmp_path / "a" / "app", "Begin one")
    two = repository(tmp_path / "b" / "app", "Begin two")
    bare = [tmp_path / side / "app" for side in ("c", "d")]
    for folder in bare:
        (folder / ROOT).mkdir(parents=True)

    names = {identity(folder).name for folder in (one, two, *bare)}

    assert len(names) == 4


def test_a_folder_without_git_is_named_by_its_path_until_it_is_given_a_name(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / ROOT).mkdir(parents=True)
    assert identity(folder).source == "path"

    pin_identity(locate(folder))
    pinned = identity(folder)
    shutil.move(folder, tmp_path / "moved")

    assert pinned.source == "file"
    assert identity(tmp_path / "moved") == pinned


@requirement("store:project:override")
def test_an_identity_file_names_the_project_whatever_git_says(origin: Path, tmp_path: Path) -> None:
    (origin / ROOT / IDENTITY_FILE).write_text("our-app\n")
    other = repository(tmp_path / "other", "Begin other")
    (other / ROOT / IDENTITY_FILE).write_text("our-app")

    assert identity(origin) == identity(other) == Identity("our-app", "file")


@pytest.mark.parametrize("text", ["", "  \n", "x" * 201, "two\nlines", "\x1b[31m"])
def test_an_identity_file_that_names_nothing_is_refused_by_name(origin: Path, text: str) -> None:
    (origin / ROOT / IDENTITY_FILE).write_text(text)

    with pytest.raises(InvalidError, match=IDENTITY_FILE):
        identity(origin)


def test_a_shallow_clone_is_the_same_project_as_a_full_one(origin: Path, tmp_path: Path) -> None:
    """Its first commit is not there, so the remote alone names both."""
    shallow = clone(origin, tmp_path / "shallow", "--depth", "1", remote="https://example.org/team/app")
    deep = clone(origin, tmp_path / "deep", remote="https://example.org/team/app")

    assert identity(shallow) == identity(deep)
    assert not identity(shallow).shallow
    again = clone(origin, tmp_path / "again", "--depth", "1", remote="git@example.org:team/app")
    assert identity(again) == identity(shallow)


def test_a_repository_without_a_remote_is_named_by_its_first_commit(origin: Path) -> None:
    before = identity(origin)

    commit(origin, "Another")

    assert identity(origin) == before


def test_where_there_is_no_memory_root_the_error_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NoProjectError, match="`recollect init` creates one"):
        locate(tmp_path)


def test_the_search_does_not_leave_the_checkout(tmp_path: Path) -> None:
    """A checkout without memory inside a folder that has some is not that folder's project."""
    (tmp_path / ROOT).mkdir(parents=True)
    inner = tmp_path / "vendor" / "lib"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")

    with pytest.raises(NoProjectError):
        locate(inner)


def test_the_nearest_memory_root_wins(origin: Path) -> None:
    package = origin / "packages" / "api"
    (package / ROOT).mkdir(parents=True)

    assert locate(package).folder == package
    assert locate(origin / "packages").folder == origin


def test_a_root_given_by_an_absolute_path_is_taken_as_it_is(origin: Path, tmp_path: Path) -> None:
    found = locate(origin / ROOT, str(tmp_path / "elsewhere"))

    assert found.root.path == tmp_path / "elsewhere"
    assert found.folder == origin


def test_new_memory_belongs_at_the_top_of_the_checkout(origin: Path, tmp_path: Path) -> None:
    (origin / "src").mkdir()

    assert home_of(origin / "src") == origin
    assert home_of(tmp_path) == tmp_path
    assert project_at(tmp_path).root.path == tmp_path / ROOT


def test_the_users_memories_live_in_the_data_folder(tmp_path: Path) -> None:
    assert user_root(tmp_path).path == tmp_path / "memory"
