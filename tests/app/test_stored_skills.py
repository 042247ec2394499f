"""Skill pages that an earlier process parsed are in the index, and are read again only when they changed."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect import paths
from recollect.app import skills as skills_module
from recollect.app.project import Recollect
from recollect.graph.skill_page import SkillPage, SkillSource, read
from recollect.ids import skill_id
from recollect.paths import INDEX_NAME
from recollect.storage.files import skill_folders

OLD = 1_700_000_000  # long enough ago for no doubt about the clock
PAGES = {
    "deploy/SKILL.md": "---\nname: deploy\ntags: [ops]\nrelated: review\n---\n# Deploy\n\nSee [[steps]].\n",
    "deploy/steps.md": "# Steps\n\nRoll back with [the skill](SKILL.md), or [not](gone.md).\n",
    "review/SKILL.md": "---\ndescription: How changes are read\ngoverns: mem:house-rule\n---\n# Review\n",
    "review/odd.md": "# Odd \udce9\n",
}


@pytest.fixture
def top(project: Recollect) -> Path:
    folder = project.project.folder / ".claude" / "skills"
    for name, text in PAGES.items():
        write(folder / name, text)
    project.finder.index.update()
    return folder


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the pages that are read, in order."""
    names: list[str] = []
    read_inside = paths.read_inside

    def recorded(path: str, top: str, most: int) -> bytes:
        names.append(Path(path).name)
        return read_inside(path, top, most)

    monkeypatch.setattr(skill_folders, "read_inside", recorded)
    return names


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the pages that are parsed, in order."""
    pages: list[str] = []

    def recorded(source: SkillSource) -> SkillPage:
        pages.append(source.path)
        return read(source)

    monkeypatch.setattr(skills_module, "read", recorded)
    return pages


def write(path: Path, text: str, modified: int | None = OLD) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    if modified is not None:
        os.utime(path, (modified, modified))


def database(project: Recollect) -> Path:
    return project.project.root.state / INDEX_NAME


def rows(project: Recollect) -> list[str]:
    with sqlite3.connect(database(project)) as db:
        return sorted(Path(path).name for (path,) in db.execute("SELECT path FROM skill_page"))


@requirement("skills:cache:stored")
def test_the_second_process_reads_no_page_and_has_the_same_graph(
    top: Path, reads: list[str], parsed: list[str], reopen: Callable[[], Recollect]
) -> None:
    first = reopen().skills.search()
    assert len(reads) == len(parsed) == len(PAGES)
    reads.clear()
    parsed.clear()

    second = reopen().skills.search()

    assert reads == parsed == []
    assert second.graph == first.graph
    assert second.postings == first.postings
    assert len(second.graph.broken) == 1
    assert [note.path for note in second.graph.notes] == [".claude/skills/review/odd.md"]
    assert reopen().skills.reread().edges == first.graph.edges  # without the index


@requirement("skills:cache:stored")
def test_only_a_changed_page_is_read_again_and_a_deleted_one_is_gone(
    top: Path, reads: list[str], reopen: Callable[[], Recollect]
) -> None:
    reopen().skills.search()
    reads.clear()

    write(top / "deploy" / "steps.md", "# Stairs\n", OLD + 1)
    assert reopen().skills.search().graph.nodes[skill_id("deploy/steps")].title == "Stairs"
    assert reads == ["steps.md"]
    reads.clear()

    for page in top.glob("deploy/*"):
        page.unlink()
    opened = reopen()
    assert list(opened.skills.search().graph.nodes) == ["skill:review", "skill:review/odd"]
    assert reads == []
    assert rows(opened) == ["SKILL.md", "odd.md"]


def test_a_page_written_just_now_is_compared_by_its_content(
    top: Path, reads: list[str], parsed: list[str], reopen: Callable[[], Recollect]
) -> None:
    write(top / "deploy" / "steps.md", "# Here\n", None)
    reopen().skills.search()
    reads.clear()
    parsed.clear()

    reopen().skills.search()

    assert reads == ["steps.md"]
    assert parsed == []


def test_a_file_put_in_place_of_a_page_with_its_time_and_size_is_read(
    top: Path, reopen: Callable[[], Recollect]
) -> None:
    write(top / "deploy" / "steps.md", "# Here\n")
    reopen().skills.search()

    write(top / "deploy" / "new", "# Left\n")
    os.replace(top / "deploy" / "new", top / "deploy" / "steps.md")

    assert reopen().skills.search().graph.nodes[skill_id("deploy/steps")].title == "Left"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE skill_page SET page = '[1, 2]'",
        "UPDATE skill_page SET page = 'no JSON'",
        "UPDATE skill_page SET page = replace(page, '\"links\"', '\"eats\"'), size = 'large'",
        "UPDATE skill_page SET folder = x'00ff'",
        "DROP TABLE skill_page",
        "UPDATE meta SET value = 'elsewhere' WHERE key = 'made'",
    ],
)
def test_rows_that_make_no_sense_or_come_from_elsewhere_are_not_used(
    top: Path, reads: list[str], reopen: Callable[[], Recollect], damage: str
) -> None:
    first = reopen()
    graph = first.skills.search().graph
    with sqlite3.connect(database(first)) as db:
        db.execute(damage)
    reads.clear()

    assert reopen().skills.search().graph == graph
    assert len(reads) == len(PAGES)


def test_without_an_index_pages_are_parsed_and_none_is_made(
    top: Path, reads: list[str], reopen: Callable[[], Recollect]
) -> None:
    opened = reopen()
    for file in database(opened).parent.glob(f"{INDEX_NAME}*"):
        file.unlink()

    assert len(opened.skills.search().graph.nodes) == len(PAGES)
    assert len(reads) == len(PAGES)
    assert not database(opened).exists()


def test_a_page_that_became_a_link_out_of_the_project_is_not_answered_from_the_index(
    top: Path, tmp_path: Path, reopen: Callable[[], Recollect]
) -> None:
    reopen().skills.search()
    write(tmp_path / "outside" / "steps.md", PAGES["deploy/steps.md"])
    (top / "deploy" / "steps.md").unlink()
    (top / "deploy" / "steps.md").symlink_to(tmp_path / "outside" / "steps.md")

    assert "skill:deploy/steps" not in reopen().skills.search().graph.nodes
