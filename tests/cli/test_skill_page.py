"""Skills on the command line: among the hits of a search, shown, and named by `why`."""

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.requirements import requirement

from recollect.views.memories import SearchOutput, ShowOutput

PAGE = """---
name: deploy
description: How a release goes out, and how it comes back.
tags: [release]
governs: [mem:no-friday]
---
# Deploy

Tell who is on call, then read [the limits](limits.md).
"""


@pytest.fixture
def shop(cli: Cli) -> Cli:
    """A project with two pages of a skill and two memories next to them."""
    skill = cli.folder / ".claude" / "skills" / "deploy"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(PAGE)
    (skill / "limits.md").write_text("# Limits\n\nTwo pools of turbines at most.\n")
    cli.put(id="no-friday", title="No release on Fridays", tags=["release"])
    cli.put(
        id="blue-green",
        title="Ship with two pools",
        links=[{"type": "implements", "target": "skill:deploy", "evidence": "step 2"}],
    )
    return cli


def test_a_skill_among_the_hits_has_its_description_and_neither_date_nor_status(shop: Cli) -> None:
    found = shop.ok("search", "deploy a release", "--json").json()
    hit = next(hit for hit in found["hits"] if hit["id"] == "skill:deploy")

    assert mismatches(found, SearchOutput) == []
    assert (hit["status"], hit["updated_at"], hit["drifted"]) == (None, None, False)
    assert hit["snippet"].startswith(
        "How a release goes out, and how it comes back. Tell who is on call"
    )
    shown = shop.ok("search", "deploy a release").out
    assert "   #release  .claude/skills/deploy/SKILL.md\n" in shown


def test_a_page_without_a_description_is_told_by_its_text_without_its_marks(shop: Cli) -> None:
    best = shop.ok("search", "turbines", "--json").json()["hits"][0]

    assert (best["id"], best["snippet"]) == ("skill:deploy/limits", "Two pools of turbines at most.")


def test_a_skill_is_shown_with_its_edges_and_where_to_open_it(shop: Cli) -> None:
    found = shop.ok("show", "skill:Deploy", "--json").json()
    out = shop.ok("show", "skill:deploy").out

    assert mismatches(found, ShowOutput) == []
    assert (found["id"], found["path"]) == ("skill:deploy", ".claude/skills/deploy/SKILL.md")
    assert {(row["source"], row["type"], row["target"]) for row in found["skill"]["edges"]} == {
        ("skill:deploy", "contains", "skill:deploy/limits"),
        ("skill:deploy", "links", "skill:deploy/limits"),
        ("skill:deploy", "governs", "no-friday"),
        ("blue-green", "implements", "skill:deploy"),
    }
    assert "SKILL Deploy skill:deploy\n.claude/skills/deploy/SKILL.md" in out
    assert "blue-green implements skill:deploy (step 2)" in out


def test_a_skill_that_is_not_there_is_not_found_and_a_near_one_is_named(shop: Cli) -> None:
    done = shop("show", "skill:deplox")

    assert done.exit_code == 3
    assert "did you mean skill:deploy" in done.err


@requirement("graph:why:question")
def test_a_question_that_a_skill_answers_best_explains_the_best_memory_and_names_the_skill(
    shop: Cli,
) -> None:
    best = shop.ok("search", "turbines", "--json").json()["hits"][0]["id"]
    found = shop.ok("why", "turbines", "--json").json()

    assert best == "skill:deploy/limits"
    assert found["id"] == "no-friday"
    assert found["others"][0] == best
    refused = shop("why", "skill:deploy")
    assert refused.exit_code == 5
    assert "`recollect show skill:deploy`" in refused.err
