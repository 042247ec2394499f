import subprocess
from pathlib import Path

import pytest

from recollect.storage import git


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:team/app.git",
        "git@github.com:/team/app.git",
        "ssh://git@github.com/team/app.git",
        "ssh://git@github.com:22/team/app",
        "https://github.com/team/app",
        "https://github.com/team/app.git",
        "https://github.com/team/app/",
        "https://GitHub.com:443/team/app.git",
        "https://user:token@github.com/team/app.git",
        "git://github.com/team/app.git",
        "github.com:team/app.git",
    ],
)
def test_the_ways_to_write_one_remote_are_one_name(url: str) -> None:
    assert git.normalised(url) == "github.com/team/app"


def test_a_credential_in_a_remote_is_not_part_of_its_name() -> None:
    assert "token" not in git.normalised("https://user:token@example.org/a/b")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git@github.com:team/app.git", "git@gitlab.com:team/app.git"),
        ("https://github.com/team/app", "https://github.com/team/other"),
        ("https://github.com/team/app", "https://github.com/Team/app"),
        ("/srv/git/app.git", "/srv/git/other.git"),
    ],
)
def test_different_remotes_have_different_names(one: str, other: str) -> None:
    assert git.normalised(one) != git.normalised(other)


def test_a_local_remote_is_its_path() -> None:
    assert git.normalised("/srv/git/app.git") == "/srv/git/app"
    assert git.normalised("file:///srv/git/app.git") == "/srv/git/app"


def test_every_question_has_an_answer_outside_of_a_checkout(tmp_path: Path) -> None:
    assert git.top_level(tmp_path) is None
    assert git.head(tmp_path) is None
    assert git.roots(tmp_path) == git.Roots(None, None, shallow=False)


def test_every_question_has_an_answer_without_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert git.top_level(tmp_path) is None


def test_a_repository_without_a_commit_has_no_root(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    assert git.roots(tmp_path) == git.Roots(None, None, shallow=False)
    assert git.top_level(tmp_path) == tmp_path
