"""What is wrong with the skills: each check, triggered."""

from pathlib import Path

import pytest
from tests.health.conftest import Examine
from tests.health.files import of, one, put

from recollect.health.finding import Level


@pytest.fixture
def skill(folder: Path) -> Path:
    path = folder / ".claude" / "skills" / "deploy" / "SKILL.md"
    path.parent.mkdir(parents=True)
    return path


def test_a_broken_link_of_a_skill_is_found_with_its_line(skill: Path, examine: Examine) -> None:
    skill.write_text("# Deploy\n\n[[ghost]] and `[[fine]]`\n")

    found = one("skill-link", examine())

    assert (found.level, found.path, found.line) == (
        Level.WARNING,
        ".claude/skills/deploy/SKILL.md",
        3,
    )
    assert "'ghost'" in found.message


def test_a_skill_that_describes_no_memory_or_a_retired_one_is_found(
    root: Path, skill: Path, examine: Examine
) -> None:
    put(root, id="kept")
    put(root, id="old", record_status="retired", retired_at="2026-01-01T00:00:00Z", retired_reason="x")
    skill.write_text("---\ndescribes: [mem:kept, mem:nobody]\ngoverns: mem:old\n---\n")

    found = of("skill-link", examine())

    assert [(one.level, one.message) for one in found] == [
        (Level.WARNING, "'describes mem:nobody' points to a memory that does not exist"),
        (Level.NOTE, "'governs mem:old' points to a memory that is retired"),
    ]


def test_a_memory_that_links_to_no_skill_is_found_where_there_are_skills(
    root: Path, skill: Path, examine: Examine
) -> None:
    put(
        root,
        id="here",
        links=[{"type": "implements", "target": f"skill:{n}"} for n in ("DEPLOY", "gone")],
    )
    assert of("dangling-skill", examine()) == []

    skill.write_text("# Deploy\n")
    found = one("dangling-skill", examine())

    assert (found.level, found.message.split(" points")[0]) == (Level.NOTE, "'implements skill:gone'")
    assert found.advice == "If it was deleted: recollect unlink here implements skill:gone"


def test_a_page_that_cannot_be_read_is_a_note(skill: Path, examine: Examine) -> None:
    skill.write_bytes(b"\0\1")

    found = one("skill-page", examine())

    assert (found.level, found.path) == (Level.NOTE, ".claude/skills/deploy/SKILL.md")
