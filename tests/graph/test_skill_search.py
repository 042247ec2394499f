"""Search over the skill graph: what matches, and what is around it."""

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.cross_edges import CrossEdge, CrossType
from recollect.graph.skill_page import SkillSource, read
from recollect.graph.skill_search import SkillSearch, searchable
from recollect.graph.skills import build
from recollect.ids import UnifiedId, skill_id


def search(pages: dict[str, str]) -> SkillSearch:
    return searchable(
        build([read(SkillSource("skills", path, text)) for path, text in pages.items()]),
        lambda text: text.lower().replace("/", " ").replace("-", " ").replace("#", " ").split(),
    )


def found(asked: SkillSearch, text: str, limit: int = 10) -> list[str]:
    return [id for id, _ in asked.search(text, limit)]


def test_a_title_says_more_than_a_description_and_that_more_than_the_text() -> None:
    asked = search(
        {
            "a.md": "# Rollback\n",
            "b.md": "---\ndescription: rollback\n---\n# B\n",
            "c.md": "# C\n\n## rollback\n",
            "d.md": "# D\n\nrollback\n",
            "e.md": "# E\n",
        }
    )

    assert found(asked, "rollback") == ["skill:a", "skill:b", "skill:c", "skill:d"]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    pages = {f"p{n}.md": f"# common page {n}" for n in range(20)}
    asked = search(pages | {"rare.md": "# zebra\n"})

    assert found(asked, "common zebra")[0] == "skill:rare"


def test_what_is_next_to_a_match_follows_it_and_less_so_with_each_hop() -> None:
    asked = search(
        {
            "rollback.md": "# Rollback\n[[near]]",
            "near.md": "# N\n[[far]]",
            "far.md": "# F\n[[too-far]]",
            "too-far.md": "# T",
        }
    )
    hits = asked.search("rollback")

    assert [id for id, _ in hits] == ["skill:rollback", "skill:near", "skill:far"]
    assert all(first[1] > second[1] for first, second in pairwise(hits))


def test_a_match_brings_the_memories_that_it_governs() -> None:
    asked = search({"rollback.md": "---\ngoverns: [mem:no-friday]\n---\n# Rollback"})

    assert found(asked, "rollback") == ["skill:rollback", "mem:no-friday"]


def test_a_memory_found_elsewhere_brings_the_skills_on_both_ends_of_its_edges() -> None:
    asked = search(
        {"rollback.md": "---\ndescribes: [mem:seen]\n---\n# R", "deploy.md": "# D", "x.md": "# X"}
    )
    seen = UnifiedId("mem:seen")
    edge = CrossEdge(seen, CrossType.IMPLEMENTS, skill_id("deploy"))

    hits = asked.search("nothing like it", seeds=[(seen, 1.0)], crossing=[edge])

    assert {id for id, _ in hits} == {"skill:rollback", "skill:deploy"}


def test_words_that_no_skill_has_find_nothing() -> None:
    asked = search({"a.md": "# Rollback\n\n" + "some words " * 50})

    assert found(asked, "entirely different matter") == []
    assert found(asked, "") == []
    assert found(asked, "one of many many question words here is some") == []


def test_a_hub_of_ten_thousand_pages_neither_hangs_nor_drowns_what_matches() -> None:
    pages = {f"p{n}.md": "# page\n[[hub]]" for n in range(10_000)}
    asked = search(
        pages
        | {"hub.md": "# hub of rollback", "rollback.md": "# rollback\n[[hub]] [[own]]", "own.md": "# o"}
    )
    began = time.process_time()

    hits = asked.search("rollback")

    assert time.process_time() - began < 0.5
    assert [id for id, _ in hits[:3]] == ["skill:hub", "skill:rollback", "skill:own"]
    assert len(hits) == 10


def test_circles_end_and_a_page_is_told_once() -> None:
    asked = search({"a.md": "# rollback\n[[b]] [[a]]", "b.md": "# rollback\n[[a]]"})

    assert found(asked, "rollback") == ["skill:a", "skill:b"]


@given(st.lists(st.text("abc ", max_size=12), min_size=1, max_size=8), st.text("abc ", max_size=12))
def test_scores_are_above_0_and_at_most_1_best_first_equal_ones_by_id(
    titles: list[str], text: str
) -> None:
    pages = {f"p{n}.md": f"# {title}\n[[p{n + 1}]]" for n, title in enumerate(titles)}
    hits = search(pages).search(text)

    assert all(0 < score <= 1 for _, score in hits)
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    assert len(dict(hits)) == len(hits) <= 10
