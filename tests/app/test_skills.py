"""The skills of a project, as the application has them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.app.skills import Skills
from recollect.app.worker import ProjectWorker
from recollect.ids import parse_unified
from recollect.records.record import Link, LinkType
from recollect.server.hook_socket import HookSocket

Write = Callable[[str, str], Path]


@pytest.fixture
def write(folder: Path) -> Write:
    def written(name: str, text: str) -> Path:
        path = folder / ".claude" / "skills" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    return written


def ids(skills: Skills, text: str) -> list[str]:
    return [id for id, _ in skills.search().search(text)]


def test_a_skill_is_found_by_other_forms_of_its_words(project: Recollect, write: Write) -> None:
    write("deploy/SKILL.md", "# Deploying\n\nHow releases are rolled back.\n")
    write("deploy/rollBack.md", "# The way back\n")

    assert ids(project.skills, "deploys")[0] == "skill:deploy"
    assert "skill:deploy/rollBack" in ids(project.skills, "roll back a release")


@requirement("skills:cache:drop")
def test_what_is_written_is_seen_when_the_kept_graph_is_dropped(
    project: Recollect, write: Write
) -> None:
    write("deploy.md", "# Deploy")
    assert ids(project.skills, "review") == []
    write("review.md", "# Review")
    assert ids(project.skills, "review") == []

    project.skills.refresh()

    assert ids(project.skills, "review") == ["skill:review"]


@requirement("skills:cache:drop")
def test_two_graphs_read_one_after_the_other_share_nothing(project: Recollect, write: Write) -> None:
    write("deploy.md", "# Deploy")
    first = project.skills.search()
    project.skills.refresh()
    second = project.skills.search()

    assert first.graph == second.graph
    assert first.graph is not second.graph
    assert first.postings is not second.postings


@pytest.mark.parametrize(
    ("fields", "dropped"),
    [
        ({"links": [{"type": "implements", "target": "skill:deploy"}]}, True),
        ({"related_files": [".claude/skills/deploy.md"]}, True),
        ({"related_files": ["src/a.py"]}, False),
    ],
)
@requirement("skills:cache:drop")
def test_a_saved_memory_that_speaks_of_skills_drops_the_kept_graph(
    project: Recollect, write: Write, fields: dict[str, Any], dropped: bool
) -> None:
    write("deploy.md", "# Deploy")
    project.skills.search()
    write("review.md", "# Review")
    saved = project.memories.save(draft(**fields))

    project.skills.saved(saved.stored.memory)  # type: ignore[union-attr]

    assert bool(ids(project.skills, "review")) is dropped


def test_a_memory_can_be_linked_to_the_skill_it_implements(project: Recollect, write: Write) -> None:
    project.memories.save(draft("Sign a JWT"))
    target = parse_unified("skill:auth/JWT signing")

    saved = project.memories.link("sign-a-jwt", Link(LinkType.IMPLEMENTS, target))

    assert saved.stored.memory.links == (Link(LinkType.IMPLEMENTS, target),)
    assert target == "skill:auth/JWT%20signing"


@requirement("skills:cache:warm")
def test_the_server_reads_the_skills_before_anybody_asks(project: Recollect, write: Write) -> None:
    page = write("deploy.md", "# Deploy")

    async def start() -> None:
        with anyio.fail_after(20):
            await HookSocket(ProjectWorker(lambda: project))._read_skills()

    anyio.run(start)
    page.unlink()

    assert ids(project.skills, "deploy") == ["skill:deploy"]


def test_with_the_graphs_switched_off_the_server_reads_no_skills(
    folder: Path, env: dict[str, str], write: Write
) -> None:
    write("deploy.md", "# Deploy")
    project = open_project(folder, env=env | {"RECOLLECT_GRAPH_UNIFIED": "0"})

    async def start() -> None:
        with anyio.fail_after(20):
            await HookSocket(ProjectWorker(lambda: project))._read_skills()

    anyio.run(start)

    assert project.skills.ready() is None
