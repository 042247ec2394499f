"""`graph`: the links as a whole."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.cli.running import Cli

_NS = "{http://graphml.graphdrawing.org/xmlns}"


def to(target: str, type: str = "derived_from", evidence: str | None = None) -> dict[str, str]:
    row = {"type": type, "target": target}
    return row | {"evidence": evidence} if evidence else row


@pytest.fixture
def tangle(cli: Cli) -> Cli:
    """Everything that can be odd about links."""
    cli.put(id="a", title='Says "so" & <more>', links=[to("b", evidence='a "quote" \\ <b>'), to("a")])
    cli.put(id="b", title="Basis", links=[to("skill:Deploy/Roll-back", "supports")])
    cli.put(id="c", title="Circle", links=[to("d"), to("nobody")])
    cli.put(id="d", title="Circle too", links=[to("c"), to("old")])
    cli.put(id="old", title="Old", record_status="retired")
    cli.put(id="alone", title="Alone")
    return cli


def test_stats_count_the_links_and_name_what_is_odd(tangle: Cli) -> None:
    found = tangle.ok("graph", "stats", "--json").json()

    assert (found["memories"], found["links"], found["orphans"]) == (6, 7, 1)
    assert found["by_type"]["derived_from"] == 6
    assert [row["target"] for row in found["dangling"]] == ["nobody"]
    assert [row["source"] for row in found["loops"]] == ["a"]
    assert [row["target"] for row in found["retired"]] == ["old"]
    assert found["circles"] == [["c", "d"]]
    shown = tangle.ok("graph", "stats").out
    for said in (
        "6 memories, 0 skills, 7 links",
        "no such memory: c derived_from nobody",
        "in a cycle: c, d",
    ):
        assert said in shown


def test_orphans_are_in_use_and_without_any_link(tangle: Cli) -> None:
    assert [row["id"] for row in tangle.ok("graph", "orphans", "--json").json()["memories"]] == [
        "alone"
    ]
    assert "Alone alone" in tangle.ok("graph", "orphans").out


def test_communities_put_together_what_is_linked(tangle: Cli) -> None:
    found = tangle.ok("graph", "communities", "--json").json()["communities"]

    assert [sorted(row["ids"]) for row in found] == [
        ["c", "d", "nobody", "old"],
        ["a", "b", "skill:Deploy/Roll-back"],
    ]
    shown = tangle.ok("graph", "communities").out
    assert "1. 3 memories, 1 gone" in shown
    assert "2. 2 memories, 1 skill" in shown


def test_a_tree_shows_what_followed_from_a_memory(tangle: Cli) -> None:
    shown = tangle.ok("graph", "tree", "b").out
    everything = tangle.ok("graph", "tree", "--json").json()["trees"]

    assert 'led to DECISION Says "so" & <more> a' in shown
    assert [(row["id"], [step["there"] for step in row["steps"]]) for row in everything] == [
        ("b", ["skill:Deploy/Roll-back", "a"]),
        ("old", ["d", "c", "d"]),
    ]


def test_graphml_is_xml_that_holds_every_node_and_link(tangle: Cli) -> None:
    tree = ET.fromstring(tangle.ok("graph", "export", "--format", "graphml").out)

    nodes = {node.get("id"): node for node in tree.iter(f"{_NS}node")}
    edges = list(tree.iter(f"{_NS}edge"))
    assert set(nodes) == {
        *(f"mem:{id}" for id in ("a", "b", "c", "d", "old", "alone", "nobody")),
        "skill:Deploy/Roll-back",
    }
    told = {data.get("key"): data.text for data in nodes["mem:a"]}
    assert told == {"title": 'Says "so" & <more>', "category": "decision", "status": "active"}
    assert {(edge.get("source"), edge.get("target")) for edge in edges} >= {("mem:a", "mem:b")}
    assert len(edges) == 7


def test_dot_quotes_what_people_wrote(tangle: Cli) -> None:
    out = tangle.ok("graph", "export", "-f", "dot").out

    assert '"mem:a" [label = "Says \\"so\\" & <more>"];' in out
    tip = 'tooltip = "a \\"quote\\" \\\\ <b>"'
    assert f'"mem:a" -> "mem:b" [label = "derived_from", {tip}];' in out
    assert '"mem:old" [label = "Old", style = dashed];' in out


def test_json_holds_nodes_and_edges_and_is_written_where_asked(tangle: Cli, tmp_path: Path) -> None:
    found = tangle.ok("graph", "export", "--json").json()
    target = tmp_path / "graph.json"
    tangle.ok("graph", "export", "--format", "json", "--to", str(target))

    assert {row["id"]: row["category"] for row in found["nodes"]}["nobody"] == "missing"
    assert tangle.ok("graph", "export", "-f", "json").out == target.read_text("utf-8")


def test_a_format_that_is_none_is_refused(cli: Cli) -> None:
    done = cli("graph", "export", "--format", "png")

    assert done.exit_code == 5
    assert "choose one of graphml, dot, json" in done.err


def test_without_links_every_look_says_so(cli: Cli) -> None:
    for what in ("communities", "tree"):
        assert "No links yet" in cli.ok("graph", what).out
    assert "Every memory has a link." in cli.ok("graph", "orphans").out
    assert "0 memories, 0 skills, 0 links" in cli.ok("graph", "stats").out


def test_stats_count_skills_too(cli: Cli) -> None:
    page = cli.folder / ".claude" / "skills" / "deploy" / "SKILL.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\nname: deploy\ndescription: Ship it.\n---\n\n# Deploy\n")

    assert "1 skill, " in cli.ok("graph", "stats").out
    assert cli.ok("graph", "stats", "--json").json()["skills"] == 1
