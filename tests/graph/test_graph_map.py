"""Both graphs as one map: what it joins, and that every part of it is small however large the map is."""

from tests.graph.test_skills import graph as skills_of
from tests.requirements import requirement

from recollect.graph.causal import Edge
from recollect.graph.graph_map import FAN, MOST_NODES, GraphMap, MapNode, joined, matches, neighbourhood
from recollect.graph.map_communities import communities, links_between, member_groups
from recollect.ids import UnifiedId
from recollect.records.record import LinkType

NOW = "2026-11-16T12:00:00Z"


def node(name: str, title: str = "", begins: str = "2026-01-01T00:00:00Z", ends: str = "") -> MapNode:
    id = UnifiedId(f"mem:{name}")
    return MapNode(id, title or name, "decision", "active", begins, ends or None)


def edge(source: str, target: str, type: LinkType = LinkType.CAUSED) -> Edge:
    ends = [UnifiedId(name if ":" in name else f"mem:{name}") for name in (source, target)]
    return Edge(ends[0], type, ends[1])


def clusters(count: int, size: int) -> GraphMap:
    """Stars of `size` memories each, whose centres form a ring."""
    names = [[f"c{group}-{member}" for member in range(size)] for group in range(count)]
    edges = [edge(group[0], member) for group in names for member in group[1:]]
    edges += [edge(names[group][0], names[(group + 1) % count][0]) for group in range(count)]
    return joined([node(name) for group in names for name in group], edges, skills_of({}))


@requirement("page:graph:joined")
def test_a_map_joins_memories_skills_and_the_missing_ends_of_links() -> None:
    pages = {
        "Deploy/SKILL.md": "---\nname: Deploy\ngoverns: [rule]\n---\n# Put it live\n[[limits]]\n",
        "Deploy/limits.md": "# Limits\n",
    }
    edges = [
        edge("rule", "gone"),
        edge("rule", "rule"),
        edge("rule", "skill:deploy", LinkType.IMPLEMENTS),
    ]

    whole = joined([node("rule"), node("alone")], edges, skills_of(pages))

    links = {(link.source, link.type, link.target) for link in whole.links}
    assert links >= {
        ("mem:rule", "caused", "mem:gone"),
        ("mem:rule", "implements", "skill:Deploy"),
        ("skill:Deploy", "governs", "mem:rule"),
        ("skill:Deploy", "contains", "skill:Deploy/limits"),
    }
    assert ("mem:rule", "caused", "mem:rule") not in links
    kinds = {str(id): each.kind for id, each in whole.nodes.items()}
    assert kinds["mem:gone"] == "missing"
    assert kinds["skill:Deploy"] == "skill"
    assert whole.nodes[UnifiedId("skill:Deploy")].title == "Put it live"
    assert whole.degree(UnifiedId("mem:rule")) == 2
    assert whole.degree(UnifiedId("mem:alone")) == 0


def test_a_node_is_in_force_from_its_begin_until_its_end() -> None:
    short = node("x", begins="2026-02-01T00:00:00Z", ends="2026-03-01T00:00:00Z")

    moments = ["2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"]
    assert [short.state(moment) for moment in moments] == ["not_yet", "in_force", "ended"]
    assert MapNode(UnifiedId("mem:x"), "", "missing").state(NOW) == "ended"
    assert MapNode(UnifiedId("skill:x"), "", "skill").state("0") == "in_force"


@requirement("page:graph:bounded")
def test_a_part_of_five_thousand_nodes_is_small_and_a_hub_leaves_room_for_others() -> None:
    whole = clusters(5, 1_000)
    hub, small = UnifiedId("mem:c0-0"), UnifiedId("mem:c3-7")

    part = neighbourhood(whole, [hub, small], [UnifiedId("mem:c4-9")])

    ids = {each.id for each in part.nodes}
    assert len(ids) <= min(MOST_NODES, FAN + 5)
    assert {hub, small, "mem:c4-9", "mem:c3-0", "mem:c1-0"} <= ids
    assert all({link.source, link.target} <= ids for link in part.links)
    every = neighbourhood(whole, list(whole.nodes), most=MOST_NODES)
    assert len(every.nodes) <= MOST_NODES


@requirement("page:graph:bounded")
def test_from_afar_a_map_is_its_communities_and_the_links_between_them() -> None:
    whole = clusters(4, 30)

    groups = communities(whole, member_groups(whole), NOW)
    between = links_between(whole, groups)

    assert [len(group.members) for group in groups] == [30] * 4
    assert {group.id for group in groups} == {f"mem:c{number}-0" for number in range(4)}
    assert all(group.in_force == 30 and group.kinds == {"decision": 30} for group in groups)
    assert [row.links for row in between] == [1] * 4
    assert communities(whole, member_groups(whole), "2020")[0].in_force == 0


def test_words_match_titles_and_ids_and_the_most_linked_come_first() -> None:
    nodes = [node("a", "Cache the prices"), node("b", "Prices in cents"), node("prices-c", "Other")]
    whole = joined(nodes, [edge("b", "a"), edge("b", "prices-c")], skills_of({}))

    assert [each.id for each in matches(whole, "PRICES", 9)] == ["mem:b", "mem:a", "mem:prices-c"]
    assert [each.id for each in matches(whole, "prices cache", 9)] == ["mem:a"]
    assert matches(whole, "  ", 9) == []
    assert len(matches(whole, "prices", 2)) == 2
