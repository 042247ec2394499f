"""The skill graph: pages in, nodes, edges and findings out."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.timing import growth

from recollect.bench.skills_graph import PARTS, generate_skills
from recollect.graph.skill_page import SkillSource, read
from recollect.graph.skills import SkillGraph, build
from recollect.ids import UnifiedId, parse_unified, skill_id
from recollect.storage.files.skill_folders import SkillFolder, gather

HEAD = "---\nname: deploy\ndescription: >\n  How we put a release\n  into production.\ntags: [release, ops]\n"


def graph(pages: dict[str, str], *files: str, whole: bool = True) -> SkillGraph:
    sources = [read(SkillSource("skills", path, text)) for path, text in pages.items()]
    return build(sources, [("skills", file) for file in files], whole=whole)


def edges(found: SkillGraph) -> set[tuple[str, str, str]]:
    return {
        (edge.source.removeprefix("skill:"), edge.type.value, edge.target.removeprefix("skill:"))
        for edge in found.edges
    }


def broken(found: SkillGraph) -> list[tuple[str, int, str]]:
    return [(link.path, link.line, link.target) for link in found.broken]


@requirement("skills:graph:nodes")
def test_a_page_is_known_by_its_head_its_headings_and_its_first_words() -> None:
    text = f"{HEAD}---\n\n# Deploying\n\nFirst **look** at the board.\n\n## Roll back\n\n```\n# none\n```\n"

    node = graph({"deploy/SKILL.md": text}).nodes[skill_id("deploy")]

    assert node.path == "skills/deploy/SKILL.md"
    assert (node.name, node.title) == ("deploy", "Deploying")
    assert node.description == "How we put a release into production."
    assert node.tags == ("release", "ops")
    assert node.headings == ("Deploying", "Roll back")
    assert node.excerpt == "First look at the board."


def test_a_page_without_a_head_is_called_by_its_file_and_a_skill_by_its_folder() -> None:
    found = graph({"deploy/SKILL.md": "text", "deploy/roll-back.md": "", "SKILL.md": ""})

    assert {id: node.title for id, node in found.nodes.items()} == {
        "skill:deploy": "deploy",
        "skill:deploy/roll-back": "roll-back",
        "skill:SKILL": "SKILL",
    }


def test_the_head_of_a_folder_contains_the_pages_in_it_and_below() -> None:
    found = graph(
        {
            "deploy/SKILL.md": "",
            "deploy/roll-back.md": "",
            "deploy/references/limits.md": "",
            "deploy/nodes/SKILL.md": "",
            "deploy/nodes/blue.md": "",
            "alone.md": "",
        }
    )

    assert edges(found) == {
        ("deploy", "contains", "deploy/roll-back"),
        ("deploy", "contains", "deploy/references/limits"),
        ("deploy", "contains", "deploy/nodes"),
        ("deploy/nodes", "contains", "deploy/nodes/blue"),
    }


@pytest.mark.parametrize(
    ("written", "leads_to"),
    [
        ("[[roll-back]]", "deploy/roll-back"),
        ("[[deploy/roll-back|how]]", "deploy/roll-back"),
        ("[[roll-back#steps]]", "deploy/roll-back"),
        ("[[review]]", "review"),
        ("[[Code Review]]", "review"),
        ("[[skill:review]]", "review"),
        ("[how](roll-back.md)", "deploy/roll-back"),
        ("[how](./roll-back.md#steps)", "deploy/roll-back"),
        ("[how](../review/SKILL.md)", "review"),
        ("[how](../review/)", "review"),
        ("[how][1]\n\n[1]: ../review/SKILL.md", "review"),
        ("[how](Roll-Back.MD)", "deploy/roll-back"),
        ("[how](a%20note.md)", "deploy/a%20note"),
    ],
)
@requirement("skills:graph:links")
def test_a_link_leads_to_the_page_that_it_means(written: str, leads_to: str) -> None:
    found = graph(
        {
            "deploy/SKILL.md": written,
            "deploy/roll-back.md": "",
            "deploy/a note.md": "",
            "review/SKILL.md": "---\nname: Code Review\n---\n",
        }
    )

    assert ("deploy", "links", leads_to) in edges(found)
    assert found.broken == ()


@pytest.mark.parametrize("key", ["related", "related-skills", "see_also", "Related Skills"])
@requirement("skills:graph:front-matter")
def test_the_front_matter_relates_pages(key: str) -> None:
    found = graph(
        {"deploy.md": f"---\n{key}: [review, [[release]]]\n---\n", "review.md": "", "release.md": ""}
    )

    assert edges(found) == {("deploy", "related", "review"), ("deploy", "related", "release")}


@requirement("skills:graph:front-matter")
def test_what_a_page_depends_on_may_stand_below_metadata_too() -> None:
    text = (
        '---\nmetadata:\n  version: "1.2"\n  depends-on: review, release\n  describes: mem:jwt\n---\n'
    )
    found = graph({"deploy.md": text, "review.md": "", "release.md": ""})

    assert edges(found) == {("deploy", "depends", "review"), ("deploy", "depends", "release")}
    assert [(edge.type, edge.target) for edge in found.crossing] == [("describes", "mem:jwt")]


def test_a_skill_says_which_memories_it_describes_and_governs() -> None:
    text = "---\ndescribes: [mem:jwt-over-cookies]\ngoverns:\n  - mem:no-friday\n  - plain-slug\n---\n"
    found = graph({"deploy.md": text})

    assert [edge.ends for edge in found.crossing if edge.type == "describes"] == [
        ("skill:deploy", "mem:jwt-over-cookies")
    ]
    assert {edge.target for edge in found.crossing if edge.type == "governs"} == {
        "mem:no-friday",
        "mem:plain-slug",
    }


@pytest.mark.parametrize(
    "line",
    ["implements: mem:jwt", "describes: skill:other", "governs: tool:x", "describes: mem:Not A Slug"],
)
@requirement("skills:cross:direction")
def test_an_edge_the_wrong_way_is_a_finding_and_no_edge(line: str) -> None:
    found = graph({"deploy.md": f"---\nname: x\n{line}\n---\n", "other.md": ""})

    assert found.crossing == ()
    assert [link.line for link in found.broken] == [3]


def test_a_link_that_leads_nowhere_is_kept_with_its_line() -> None:
    text = "---\nrelated: nobody\n---\n\n[[ghost]], [a](gone.md), [b](scripts/run.sh), [c](scripts/no.sh)\n"
    found = graph({"deploy/SKILL.md": text}, "deploy/scripts/run.sh")

    assert broken(found) == [
        ("skills/deploy/SKILL.md", 2, "nobody"),
        ("skills/deploy/SKILL.md", 5, "ghost"),
        ("skills/deploy/SKILL.md", 5, "gone.md"),
        ("skills/deploy/SKILL.md", 5, "scripts/no.sh"),
    ]
    assert found.edges == ()


def test_a_link_to_a_folder_or_out_of_the_skill_folder_is_no_finding() -> None:
    found = graph(
        {"a/SKILL.md": "[r](refs/) [up](../../../README.md) [here](.) [.](./)", "a/refs/b.md": ""}
    )

    assert found.broken == ()


def test_nothing_is_called_broken_when_the_folders_were_not_read_to_their_end() -> None:
    assert graph({"a.md": "[[ghost]]"}, whole=False).broken == ()


def test_pages_that_differ_in_case_only_are_two_and_a_link_in_a_third_case_is_in_doubt() -> None:
    found = graph({"Deploy.md": "", "deploy.md": "", "x.md": "[[deploy]] [[Deploy]] [[DEPLOY]]"})

    assert set(found.nodes) == {"skill:Deploy", "skill:deploy", "skill:x"}
    assert edges(found) == {("x", "links", "deploy"), ("x", "links", "Deploy")}
    assert [(link.target, link.reason) for link in found.broken] == [
        ("DEPLOY", "ambiguous: skill:Deploy, skill:deploy")
    ]
    assert found.find(parse_unified("skill:DEPLOY")) is None
    exact = found.find(parse_unified("skill:Deploy"))
    assert exact is not None
    assert exact.id == "skill:Deploy"


def test_an_id_in_another_case_finds_the_page_when_there_is_no_other() -> None:
    found = graph({"Deploy/SKILL.md": ""}).find(parse_unified("skill:deploy"))

    assert found is not None
    assert found.id == "skill:Deploy"


def test_two_pages_that_want_one_id_get_two() -> None:
    found = graph({"deploy.md": "", "deploy/SKILL.md": "", "deploy/skill.md": "", "deploy.md.md": ""})

    assert {id: node.path for id, node in found.nodes.items()} == {
        "skill:deploy": "skills/deploy/SKILL.md",
        "skill:deploy.md": "skills/deploy.md",
        "skill:deploy/skill.md": "skills/deploy/skill.md",
        "skill:deploy.md.md": "skills/deploy.md.md",
    }


def test_a_skill_hides_those_of_its_name_in_later_folders_whole_and_a_copy_without_a_word() -> None:
    found = build(
        [
            read(SkillSource("project", "deploy/SKILL.md", "ours")),
            read(SkillSource("user", "deploy/SKILL.md", "mine")),
            read(SkillSource("user", "deploy/more.md", "mine too")),
            read(SkillSource("user", "review/SKILL.md", "mine alone")),
            read(SkillSource("other", "deploy/SKILL.md", "ours")),
        ]
    )

    assert {node.path for node in found.nodes.values()} == {
        "project/deploy/SKILL.md",
        "user/review/SKILL.md",
    }
    assert [note.path for note in found.notes] == ["user/deploy/SKILL.md", "user/deploy/more.md"]


def test_self_links_circles_and_repeats_make_no_loops_and_no_doubles() -> None:
    found = graph({"a.md": "[[a]] [[b]] [[b]]", "b.md": "[[c]]", "c.md": "[[a]]"})

    assert edges(found) == {("a", "links", "b"), ("b", "links", "c"), ("c", "links", "a")}
    assert found.neighbours[UnifiedId("skill:a")] == ("skill:b", "skill:c")


def test_a_hub_takes_time_in_proportion_to_its_links() -> None:
    def hub(size: int) -> SkillGraph:
        pages = {f"p{n}.md": "[[hub]]" for n in range(size)}
        pages["hub.md"] = (
            " ".join(f"[[p{n}]] [[ghost-{n}]] [x](p{n}.md)" for n in range(size)) + "[[p1]]" * size
        )
        return graph(pages)

    found = hub(100)

    assert len(found.neighbours[UnifiedId("skill:hub")]) == 100
    assert len(found.broken) == 100
    assert growth(hub, 100, 400) < 10


@pytest.mark.parametrize(
    "piece",
    ["# a\n", "[[a]] ", "a, ", "related: a\n", "[a](b.md)\n", "---\n", "- a\n", "`[[a]]` ", "**a** "],
)
@pytest.mark.parametrize("head", ["", "---\nrelated: ", "---\ndescription: >\n  "])
def test_a_page_takes_time_in_proportion_to_its_text(head: str, piece: str) -> None:
    def run(size: int) -> None:
        build([read(SkillSource("s", "a.md", head + piece * (size // len(piece)) + "\n---\n"))])

    assert growth(run, 4_000, 16_000) < 10


@given(st.text(), st.text())
def test_no_text_and_no_path_make_the_graph_raise(text: str, path: str) -> None:
    read(SkillSource("s", f"{path}.md", f"---\n{text}\n---\n{text}"))
    found = build([read(SkillSource("s", f"{path}.md", text)), read(SkillSource("s", path, text))])

    assert len(found.nodes) + len(found.notes) == 2
    assert all(found.find(id) is node for id, node in found.nodes.items())


def test_a_tree_of_seventy_pages_becomes_a_graph_in_which_every_page_is_found_by_its_id(
    tmp_path: Path,
) -> None:
    gathered = gather([SkillFolder(generate_skills(tmp_path, 12), "skills")])
    found = build(gathered.pages, gathered.files)

    pages = 12 * (1 + len(PARTS))
    assert len(gathered.pages) == len(found.nodes) == pages == 72
    contains = [edge for edge in found.edges if edge.type == "contains"]
    assert len(contains) == pages - 12
    assert len(found.edges) > 2 * len(contains)
    assert len(found.crossing) == 12
    assert (found.broken, found.notes) == ((), ())
    for id, node in found.nodes.items():
        assert found.find(parse_unified(id)) is node
        assert (tmp_path / node.path.removeprefix("skills/")).is_file()


def test_nothing_in_a_graph_can_be_changed() -> None:
    found = graph({"a.md": "[[b]]", "b.md": ""})

    for held in (found.nodes, found.neighbours):
        with pytest.raises(TypeError):
            held[UnifiedId("skill:x")] = ()  # type: ignore[index]
    with pytest.raises(AttributeError):
        found.edges = ()  # type: ignore[misc]
