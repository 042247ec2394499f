"""The map of the graph is made once for each version of memories and skills."""

from pathlib import Path

import pytest
from tests.server.conftest import save

from recollect.app.project import Recollect
from recollect.clock import to_text
from recollect.graph.map_communities import member_groups
from recollect.ids import UnifiedId
from recollect.records.record import Link, LinkType


@pytest.fixture
def linked(project: Recollect) -> Recollect:
    save(project, "Sign a token at login")
    save(project, "Tokens expire")
    project.memories.link(
        "tokens-expire", Link(LinkType.CAUSED, UnifiedId("mem:sign-a-token-at-login"))
    )
    return project


def test_the_map_and_its_communities_are_used_again_until_a_memory_changes(linked: Recollect) -> None:
    first = linked.graphs.map()
    same = linked.graphs.map()
    save(linked, "Something new")
    changed = linked.graphs.map()

    assert same is first
    assert len(changed.nodes) == len(first.nodes) + 1


def test_the_map_is_read_again_when_the_skills_change(linked: Recollect, folder: Path) -> None:
    before = linked.graphs.map()
    skills = folder / ".claude" / "skills"
    skills.mkdir(parents=True)
    (skills / "deploy.md").write_text("---\ndescribes: [tokens-expire]\n---\n# Deploy\n")
    linked.skills.refresh()

    assert linked.graphs.map().nodes.keys() - before.nodes.keys() == {"skill:deploy"}


def test_communities_of_an_older_map_are_those_of_that_map(linked: Recollect) -> None:
    older = linked.graphs.map()
    groups = linked.graphs.communities(older, to_text(linked.now))
    save(linked, "Something new")
    linked.graphs.map()

    again = linked.graphs.communities(older, to_text(linked.now))
    assert [group.members for group in again] == [group.members for group in groups]
    assert [group.members for group in groups] == member_groups(older)
