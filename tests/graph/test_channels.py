"""Both graphs together, over a real project: its kept index, and its skill folders."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.embedded import embedded
from tests.samples import draft

from recollect.app.project import Recollect
from recollect.graph.causal import CausalSearch
from recollect.graph.channels import implemented, resolved, skill_channel
from recollect.graph.unified import GraphHits, GraphQuery, GraphSearch, converging, search_graphs
from recollect.ids import UnifiedId, parse_unified
from recollect.records.record import Link, LinkType
from recollect.retrieval.request import Request
from recollect.storage.sqlite.edges import SqliteEdges

SKILL = "---\ngoverns: [mem:no-friday, mem:old-rule]\n---\n# Rolling back\n"
Ask = Callable[[str, str], GraphHits]


@pytest.fixture
def shop(project: Recollect, folder: Path) -> Recollect:
    for title in ("Outage", "Runbook", "No Friday", "Old rule"):
        project.memories.save(draft(title), allow_repeat=True)
    for type, target in (("derived_from", "mem:outage"), ("implements", "skill:ROLLBACK")):
        project.memories.link("runbook", Link(LinkType(type), parse_unified(target)))
    project.memories.retire("old-rule", "no longer so")
    page = folder / ".claude" / "skills" / "rollback" / "SKILL.md"
    page.parent.mkdir(parents=True)
    page.write_text(SKILL)
    return project


def edges_of(project: Recollect) -> SqliteEdges:
    project.finder.index.update()
    return SqliteEdges(embedded(project.finder.index).connection)


@pytest.fixture
def ask(shop: Recollect) -> Ask:
    edges = edges_of(shop)
    graphs: dict[str, GraphSearch] = {
        "causal": lambda query, limit, _: CausalSearch(edges).search(query.seeds, limit),
        "skill": skill_channel(shop.skills.search),
    }

    def search(text: str, seed: str) -> GraphHits:
        crossing = implemented(edges.around([UnifiedId(seed)], 1))
        query = GraphQuery(text, ((UnifiedId(seed), 1.0),), tuple(crossing))
        return search_graphs(graphs, query, lambda: 20.0)

    return search


def test_what_links_lead_to_and_what_skills_say_are_found_together(ask: Ask) -> None:
    found = ask("rolling back", "mem:runbook")

    assert found.warnings == ()
    assert {id for id, _ in found.hits} >= {"mem:outage", "skill:rollback", "mem:no-friday"}


def test_a_memory_leads_to_the_skill_it_implements_whatever_its_case(ask: Ask) -> None:
    found = ask("words that no skill has", "mem:runbook")

    assert "skill:rollback" in dict(found.hits)


def test_in_a_search_a_link_into_a_retired_memory_brings_nothing_back(
    shop: Recollect, env: dict[str, str], reopen: Callable[[], Recollect]
) -> None:
    env["RECOLLECT_GRAPH_UNIFIED"] = "1"
    hits = reopen().find(Request("rolling back", limit=50)).answer.hits
    ids = {hit.document.id for hit in hits}

    assert {"skill:rollback", "mem:no-friday"} <= ids
    assert "mem:old-rule" not in ids


def test_edges_of_either_side_join_what_converges(shop: Recollect) -> None:
    graph = shop.skills.search().graph
    ranked = [UnifiedId(id) for id in ("mem:runbook", "mem:no-friday", "mem:outage", "skill:rollback")]
    edges = [*graph.bridges(ranked), *resolved(implemented(edges_of(shop).around(ranked, 1)), graph)]

    assert converging(ranked, edges) == {"mem:runbook", "mem:no-friday", "skill:rollback"}


def test_an_edge_to_a_skill_that_is_gone_is_none_when_the_graph_is_known(shop: Recollect) -> None:
    shop.memories.link("outage", Link(LinkType.IMPLEMENTS, parse_unified("skill:gone")))
    edges = edges_of(shop).around([UnifiedId("mem:outage")], 1)

    assert resolved(implemented(edges), shop.skills.search().graph) == []
    assert [edge.target for edge in implemented(edges)] == ["skill:gone"]
