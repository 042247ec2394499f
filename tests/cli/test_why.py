"""`why`."""

import pytest
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.requirements import requirement

from recollect.records.categories import Category


@pytest.fixture
def story(repository: Cli) -> Cli:
    """A decision that was replaced after an outage, which a commit speaks of."""
    cli = repository
    sha = cli.git("rev-parse", "HEAD").out.strip()
    cli.put(id="jwt", title="Sign a JWT at login", tags=["auth"], created_at="2026-01-01T10:00:00Z")
    cli.put(
        Category.RUNBOOK,
        id="may-outage",
        title="The May outage",
        tags=["outage"],
        source={"kind": "agent", "session": "s-12", "line": 88},
    )
    cli.put(id="opaque", title="Look opaque tokens up", created_at="2026-06-16T10:00:00Z")
    cli.put(id="habit", title="Never look anything up")
    cli.ok("link", "opaque", "supersedes", "jwt", "-e", "incident review of 12 June")
    cli.ok("link", "opaque", "derived_from", "may-outage", "-e", f"reverted in {sha}")
    cli.ok("link", "habit", "contradicts", "opaque", "-e", "raised in the retro")
    return cli


def test_an_id_that_does_not_exist_is_an_error_that_names_near_ones(story: Cli) -> None:
    done = story("why", "may-outages")

    assert done.exit_code == 3
    assert "there is no memory 'may-outages'; did you mean may-outage?" in done.err
    assert "outage-of-may" in story("why", "outage-of-may").err
    assert "did you mean may-outage?" in story("why", "outage-of-may").err


def test_the_way_back_is_a_tree_with_evidence_grounds_and_commits(story: Cli) -> None:
    out = story.ok("why", "opaque").out

    for said in (
        "DECISION Look opaque tokens up opaque",
        "supersedes DECISION Sign a JWT at login (no longer valid since 2026-06-16) jwt",
        "incident review of 12 June",
        "derived from RUNBOOK The May outage may-outage",
        "session: s-12, line 88",
        "is contradicted by habit Never look anything up: raised in the retro",
        "Begin",
    ):
        assert said in out


def test_what_was_superseded_says_by_what_and_since_when(story: Cli) -> None:
    out = story.ok("why", "mem:jwt").out

    assert "superseded: jwt by opaque Look opaque tokens up since 2026-06-16: incident review" in out
    assert "It has no links to causes" in out


@requirement("cli:in-force:list")
def test_why_says_what_is_not_in_force(cli: Cli) -> None:
    cli.save("Keep the session in the URL", content={"status": "rejected"})

    out = cli.ok("why", "keep-the-session-in-the-url", "--json").json()

    assert (out["in_force"], out["not_in_force"]) == (False, "rejected")
    assert "rejected" in cli.ok("why", "keep-the-session-in-the-url").out


def test_what_an_older_memory_superseded_is_not_said_to_have_ended_before_it_began(cli: Cli) -> None:
    cli.put(id="early", title="Early", created_at="2026-01-01T00:00:00Z")
    cli.put(id="late", title="Late", created_at="2026-06-01T00:00:00Z")
    cli.ok("link", "early", "supersedes", "late")

    assert "superseded: late by early Early since 2026-06-01" in cli.ok("why", "late").out


@requirement("graph:why:question")
def test_a_question_is_searched_for_and_its_best_hit_explained(story: Cli) -> None:
    found = story.ok("why", "why do we look opaque tokens up?", "--json").json()

    assert found["id"] == "opaque"
    assert {step["there"] for step in found["steps"]} == {"jwt", "may-outage"}
    assert "habit" in found["others"]
    assert story.ok("why", "opaque", "--json").json()["others"] == []


@requirement("graph:why:question")
def test_an_id_that_is_not_there_and_a_question_nobody_can_answer_are_not_found(story: Cli) -> None:
    assert story("why", "mem:opaqe").exit_code == 3
    assert "did you mean opaque?" in story("why", "opqaue").err
    asked = story("why", "which colour has the moon")
    assert asked.exit_code == 3
    assert "nothing is known about 'which colour has the moon'" in asked.err


def test_a_circle_is_shown_once_and_said_to_be_one(cli: Cli) -> None:
    cli.put(id="a", title="Chicken", links=[{"type": "derived_from", "target": "b"}])
    cli.put(id="b", title="Egg", links=[{"type": "derived_from", "target": "a"}])

    out = cli.ok("why", "a", "--depth", "10").out
    found = cli.ok("why", "a", "--json").json()

    assert out.count("Egg") == 1
    assert "Some links form a cycle" in out
    assert found["circular"] is True
    assert [step["seen"] for step in found["steps"]] == ["first", "circle"]


def test_what_is_gone_or_retired_is_told_as_such(cli: Cli) -> None:
    cli.put(id="lost", title="Lost")
    cli.put(id="old", title="Old", links=[{"type": "derived_from", "target": "lost"}])
    cli.put(id="a", title="Now", links=[{"type": "derived_from", "target": "old"}])
    cli.ok("retire", "old", "-r", "done")
    (cli.root / "decisions" / "lost.json").unlink()

    out = cli.ok("why", "a").out

    assert "derived from DECISION Old (retired) old" in out
    assert "derived from lost (gone)" in out


def test_more_than_the_depth_is_announced(cli: Cli) -> None:
    for number in range(5):
        links = [{"type": "derived_from", "target": f"m{number + 1}"}]
        cli.put(id=f"m{number}", title=f"Step {number}", links=links)

    assert "There are more links; a higher" in cli.ok("why", "m0", "--depth", "2").out


def test_text_that_a_terminal_would_obey_is_shown_as_text(cli: Cli) -> None:
    links = [{"type": "derived_from", "target": "b", "evidence": "[red]\u001b[2Jboo[/]"}]
    cli.put(id="a", title="A [bold]title[/]", links=links)
    cli.put(id="b", title="B")

    out = cli.ok("why", "a").out

    assert "A [bold]title[/]" in out
    assert "[red][2Jboo[/]" in out
    assert "\u001b" not in out


def test_a_narrow_terminal_wraps_the_tree_and_cuts_no_id_and_a_pipe_has_whole_lines(cli: Cli) -> None:
    id = "what-everybody-had-agreed-upon-in-the-long-meeting"
    cli.put(id=id, title="What everybody had agreed upon in the long meeting")
    cli.put(id="a", title="Now", links=[{"type": "derived_from", "target": id, "evidence": "minutes"}])

    with terminal(cli, "why", "a", COLUMNS="60") as screen:
        assert screen.finish() == 0

    assert id in screen.shown
    assert all(len(line) <= 60 for line in screen.shown.splitlines())
    assert "\x1b[1mNow" in screen.raw
    whole = f"└── derived from DECISION What everybody had agreed upon in the long meeting {id}\n"
    assert whole in cli.ok("why", "a").out
