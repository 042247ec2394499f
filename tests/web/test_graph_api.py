"""The graph of a project over HTTP: parts of it, as of a day, and why something is so."""

from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.conftest import Wall
from tests.requirements import requirement
from tests.samples import NOW
from tests.server.conftest import save

from recollect.app.project import Recollect
from recollect.clock import to_text
from recollect.ids import UnifiedId
from recollect.records.record import Link, LinkType
from recollect.retrieval.index import Filters


def link(project: Recollect, source: str, type: LinkType, target: str) -> None:
    project.memories.link(source, Link(type, UnifiedId(target), "because <b>so</b>"))


@pytest.fixture
def linked(project: Recollect, folder: Path, wall: Wall) -> dict[str, str]:
    """An outage caused a rule; months later another rule superseded it. A skill describes the new one."""
    skills = folder / ".claude" / "skills"
    skills.mkdir(parents=True)
    (skills / "deploy.md").write_text("---\ndescribes: [the-new-rule]\n---\n# Deploy\n")
    ids = {"outage": save(project, "The outage"), "old": save(project, "The old rule")}
    link(project, ids["outage"], LinkType.CAUSED, "mem:the-old-rule")
    wall.now = NOW + timedelta(days=100)
    ids |= {"new": save(project, "The new rule"), "alone": save(project, "Something else")}
    link(project, ids["new"], LinkType.SUPERSEDES, "mem:the-old-rule")
    return ids


@requirement("page:graph:joined")
def test_the_whole_graph_is_sent_while_it_is_small(browser: TestClient, linked: dict[str, str]) -> None:
    out = browser.get("/api/graph").json()

    rows = {row["id"]: row for row in out["nodes"]}
    assert set(rows) == {linked["outage"], linked["old"], linked["new"], "skill:deploy"}
    assert {(row["source"], row["type"], row["target"]) for row in out["links"]} == {
        ("the-outage", "caused", "the-old-rule"),
        ("the-new-rule", "supersedes", "the-old-rule"),
        ("skill:deploy", "describes", "the-new-rule"),
    }
    assert rows["the-old-rule"]["links"] == 2
    assert rows["the-old-rule"]["ends"] == to_text(NOW + timedelta(days=100))
    assert out["earliest"] == to_text(NOW)
    assert (out["level"], out["total_nodes"], out["unlinked"]) == ("nodes", 5, 1)
    assert len({row["community"] for row in out["nodes"]}) >= 1


@requirement("page:graph:bounded")
def test_a_graph_that_is_too_large_is_sent_as_its_communities(
    browser: TestClient, linked: dict[str, str]
) -> None:
    far = browser.get("/api/graph", params={"most": 2}).json()
    [community, *_] = far["communities"]
    inside = browser.get("/api/graph", params={"most": 2, "community": community["id"]}).json()
    before = browser.get("/api/graph", params={"most": 2, "at": "2000-01-01"}).json()

    assert (far["level"], far["nodes"]) == ("communities", [])
    assert sum(row["size"] for row in far["communities"]) == 4
    assert len(inside["nodes"]) == 2
    assert inside["left_out"] == community["size"] - 2
    assert sum(row["in_force"] for row in before["communities"]) == 1  # a skill has no date


@requirement("page:graph:bounded")
def test_a_neighbourhood_has_the_starts_and_what_they_are_linked_to(
    browser: TestClient, linked: dict[str, str]
) -> None:
    one = browser.get("/api/graph", params={"around": "the-outage"}).json()
    two = browser.get("/api/graph", params={"around": ["the-outage", "skill:deploy"]}).json()
    also = browser.get("/api/graph", params={"around": "the-outage", "also": "something-else"}).json()

    assert [row["id"] for row in one["nodes"]] == ["the-outage", "the-old-rule"]
    assert {row["id"] for row in two["nodes"]} == set(linked.values()) - {linked["alone"]} | {
        "skill:deploy"
    }
    assert "something-else" in {row["id"] for row in also["nodes"]}
    assert browser.get("/api/graph", params={"around": "nothing"}).status_code == 404
    assert browser.get("/api/graph", params={"community": "something-else"}).status_code == 404
    assert browser.get("/api/graph", params={"at": "no day"}).status_code == 409
    assert browser.get("/api/graph", params={"most": 9_999}).status_code == 400


@requirement("page:graph:timeline")
def test_begin_and_end_of_each_node_agree_with_the_filter_as_of(
    project: Recollect, browser: TestClient, linked: dict[str, str], wall: Wall
) -> None:
    wall.now = NOW + timedelta(days=200)
    project.memories.retire(linked["outage"], "over")
    rows = browser.get("/api/graph", params={"around": list(linked.values())}).json()["nodes"]

    for days in (-1, 0, 50, 100, 150, 200, 300):
        at = to_text(NOW + timedelta(days=days))
        listed, _ = project.search.browse(Filters(as_of=at), lambda *_: None)
        shown = {
            f"mem:{row['id']}"
            for row in rows
            if row["kind"] != "skill"
            and row["begins"] <= at
            and (row["ends"] is None or row["ends"] > at)
        }
        assert shown == {document.id for document in listed}, days


@requirement("page:graph:why")
def test_why_answers_with_the_walk_back_and_search_finds_titles(
    browser: TestClient, linked: dict[str, str]
) -> None:
    why = browser.get("/api/graph/why", params={"of": "the-new-rule"}).json()
    found = browser.get("/api/graph/search", params={"q": "RULE the"}).json()

    steps = [(step["says"], step["there"]) for step in why["steps"]]
    assert steps == [("supersedes", "the-old-rule"), ("caused by", "the-outage")]
    assert why["steps"][0]["evidence"] == "because <b>so</b>"
    assert [row["id"] for row in found["nodes"]] == ["the-new-rule", "the-old-rule"]
    assert browser.get("/api/graph/why", params={"of": "skill:deploy"}).status_code == 409
    assert browser.get("/api/graph/why", params={"of": "mem:nothing"}).status_code == 404
