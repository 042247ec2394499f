"""Reading skill folders, whatever lies there."""

import os
import signal
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect import config as configuration
from recollect.storage.files import skill_folders
from recollect.storage.files.skill_folders import SkillFiles, SkillFolder, folders_of, gather


def write(path: Path, data: bytes | str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "skills"
    folder.mkdir(parents=True)
    return folder


def gathered(skills: Path) -> SkillFiles:
    return gather([SkillFolder(skills, "skills", skills.parent)])


def paths(found: SkillFiles) -> list[str]:
    return [page.source.path for page in found.pages]


def test_pages_and_other_files_are_found_by_name_and_hidden_ones_are_not(skills: Path) -> None:
    for name in (
        "b/SKILL.md",
        "a.md",
        "b/run.sh",
        "b/c/D.MD",
        ".git/x.md",
        "b/node_modules/y.md",
        "b/.z.md",
    ):
        write(skills / name)
    found = gathered(skills)

    assert paths(found) == ["a.md", "b/SKILL.md", "b/c/D.MD"]
    assert found.files == {("skills", "b/run.sh")}
    assert (found.notes, found.whole) == ([], True)


def test_a_folder_that_is_not_there_has_no_pages(tmp_path: Path) -> None:
    assert paths(gather([SkillFolder(tmp_path / "none", "none")])) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\0\0", "not read: not a text file"),
        (b"x" * (512 * 1024 + 1), "not read: larger than 512 KB"),
    ],
)
@requirement("skills:folders:hostile")
def test_what_is_no_text_or_too_large_is_left_out_and_told(
    skills: Path, data: bytes, reason: str
) -> None:
    write(skills / "bad.md", data)
    write(skills / "good.md")
    found = gathered(skills)

    assert paths(found) == ["good.md"]
    assert [(note.path, note.reason) for note in found.notes] == [("skills/bad.md", reason)]


@requirement("skills:folders:hostile")
def test_what_is_no_utf8_is_read_as_far_as_it_is(skills: Path) -> None:
    write(skills / "latin.md", b"# Caf\xe9\n")
    write(skills / "fine.md", "# A \ufffd of its own\n")
    found = gathered(skills)

    assert [page.source.text for page in found.pages] == ["# A \ufffd of its own\n", "# Caf\ufffd\n"]
    assert [note.path for note in found.notes] == ["skills/latin.md"]


@requirement("skills:folders:hostile")
def test_a_pipe_or_a_folder_called_like_a_page_does_not_hold_it_up(skills: Path) -> None:
    os.mkfifo(skills / "pipe.md")
    write(skills / "folder.md" / "inside.md")
    signal.alarm(20)
    try:
        found = gathered(skills)
    finally:
        signal.alarm(0)

    assert paths(found) == ["folder.md/inside.md"]
    assert [note.reason for note in found.notes] == ["not read: not a plain file"]


def test_circles_of_links_end_and_a_folder_is_read_once(skills: Path) -> None:
    write(skills / "a" / "SKILL.md")
    (skills / "a" / "again").symlink_to(skills)
    (skills / "b").symlink_to(skills / "a")
    (skills / "loop.md").symlink_to("loop.md")
    found = gathered(skills)

    assert paths(found) == ["a/SKILL.md"]
    assert [note.path for note in found.notes] == ["skills/loop.md"]


def test_a_link_out_of_the_project_is_not_followed_and_one_inside_it_is(
    skills: Path, tmp_path: Path
) -> None:
    secret = write(tmp_path / "outside" / "secret.md", "secret")
    write(skills.parent / "shared" / "SKILL.md", "shared")
    (skills / "out").symlink_to(secret.parent)
    (skills / "out.md").symlink_to(secret)
    (skills / "in").symlink_to(skills.parent / "shared")
    found = gathered(skills)

    assert [(page.source.path, page.source.text) for page in found.pages] == [("in/SKILL.md", "shared")]
    assert [note.path for note in found.notes] == ["skills/out", "skills/out.md"]


def test_in_the_users_own_folders_links_may_lead_anywhere(tmp_path: Path) -> None:
    write(tmp_path / "code" / "deploy" / "SKILL.md")
    (tmp_path / "home" / "skills").mkdir(parents=True)
    (tmp_path / "home" / "skills" / "deploy").symlink_to(tmp_path / "code" / "deploy")

    assert paths(gather([SkillFolder(tmp_path / "home" / "skills", "~/skills")])) == ["deploy/SKILL.md"]


@pytest.mark.parametrize("bound", ["MOST_PAGES", "MOST_ENTRIES", "MOST_IN_ALL"])
def test_a_folder_without_end_is_read_so_far_and_told_once(
    skills: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(skill_folders, bound, 5)
    for number in range(20):
        write(skills / f"p{number:02}.md", "x")
        write(skills / "deep" / f"p{number:02}.md", "x")
    found = gathered(skills)

    assert len(found.pages) <= 5
    assert len(found.notes) == 1
    assert not found.whole


def test_folders_in_folders_end_somewhere(skills: Path) -> None:
    write(skills / "/".join("d" * 14) / "here.md")
    write(skills / "/".join("e" * 30) / "too-deep.md")

    assert paths(gathered(skills)) == ["/".join([*"d" * 14, "here.md"])]


def test_a_folder_that_cannot_be_read_is_told(skills: Path) -> None:
    write(skills / "file")
    found = gather([SkillFolder(skills / "file", "odd"), SkillFolder(skills, "skills")])

    assert [(note.path, note.reason) for note in found.notes] == [
        ("odd", "cannot be read: Not a directory")
    ]


def test_the_default_is_where_harnesses_look_the_projects_before_the_users(tmp_path: Path) -> None:
    found = folders_of(configuration.load({}), tmp_path, Path("/home/ana"), tmp_path / "c.json")

    assert [folder.shown for folder in found] == [
        *(".claude/skills", ".agents/skills", ".opencode/skills"),
        *("~/.claude/skills", "~/.agents/skills", "~/.config/opencode/skills"),
    ]
    assert found[0].path == tmp_path / ".claude/skills"
    assert (found[3].path, found[3].within) == (Path("/home/ana/.claude/skills"), None)


def test_a_project_names_folders_of_its_own_and_a_user_any(tmp_path: Path) -> None:
    file = write(
        tmp_path / "c.json", '{"graph": {"skill_folders": "docs/skills, ~/notes, /etc, ../up"}}'
    )
    named = folders_of(configuration.load({}, "", str(file)), tmp_path, Path("/home/ana"), file)
    env = {"RECOLLECT_SKILL_FOLDERS": "~/notes, /srv/skills"}
    own = folders_of(configuration.load(env), tmp_path, Path("/home/ana"), file)

    assert [folder.shown for folder in named] == ["docs/skills", "../up"]
    assert paths(gather(named)) == []
    assert [str(folder.path) for folder in own] == ["/home/ana/notes", "/srv/skills"]
