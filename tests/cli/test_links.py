"""`link` and `unlink`."""

import shlex

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement


@pytest.fixture
def pair(cli: Cli) -> Cli:
    """A project with an older and a newer memory."""
    cli.put(id="older", title="Cookies")
    cli.put(id="newer", title="Sessions")
    return cli


def test_a_link_is_added_with_its_evidence(pair: Cli) -> None:
    pair.ok("link", "newer", "derived-from", "older", "--evidence", "post-mortem of 3 May")
    pair.ok("link", "newer", "supports", "skill:deploy/rollback")

    assert pair.memory("newer")["links"] == [
        {"type": "derived_from", "target": "mem:older", "evidence": "post-mortem of 3 May"},
        {"type": "supports", "target": "skill:deploy/rollback"},
    ]
    assert pair.ok("link", "newer", "derived_from", "older", "--json").json()["action"] == "unchanged"


def test_superseding_closes_the_older_and_unlinking_opens_it_again(pair: Cli) -> None:
    linked = pair.ok("link", "newer", "supersedes", "mem:older", "--json").json()
    assert linked["superseded"] == ["older"]
    assert pair.memory("older")["valid_to"]

    pair.ok("unlink", "newer", "supersedes", "older")
    assert "valid_to" not in pair.memory("older")
    assert "links" not in pair.memory("newer")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("link", "newer", "supersedes", "newer"), 5, "cannot link to itself"),
        (("link", "newer", "likes", "older"), 5, "unknown link type 'likes'; choose one of caused,"),
        (("link", "newer", "caused", "odler"), 3, "did you mean older?"),
        (("link", "nobody", "caused", "older"), 3, "there is no memory 'nobody'"),
        (("link", "newer", "caused", "box:x"), 5, "has an unknown prefix"),
        (("link", "newer", "caused", "../x"), 5, "'../x' is not a memory id"),
        (("unlink", "newer", "caused", "older"), 5, "has no link 'caused mem:older'"),
        (("link", "newer", "caused"), 2, "TARGET"),
    ],
)
def test_a_link_that_cannot_be_is_refused(
    pair: Cli, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = pair(*arguments)

    assert done.exit_code == code
    assert said in done.err
    assert "links" not in pair.memory("newer")


def test_a_circle_of_supersession_is_refused(pair: Cli) -> None:
    pair.ok("link", "newer", "supersedes", "older")

    done = pair("link", "older", "supersedes", "newer")

    assert done.exit_code == 5
    assert "would supersede itself" in done.err


def test_a_link_to_what_is_gone_can_be_taken_out(pair: Cli) -> None:
    pair.ok("link", "newer", "caused", "older")
    (pair.root / "decisions" / "older.json").unlink()

    pair.ok("unlink", "newer", "caused", "older")

    assert "links" not in pair.memory("newer")


def test_a_project_memory_may_link_to_one_of_the_users(cli: Cli) -> None:
    mine = cli.save("Mine", "--user")
    ours = cli.save("Ours")

    cli.ok("link", ours["id"], "supports", mine["id"])

    assert cli.ok("show", ours["id"], "--json").json()["memory"]["links"] == [
        {"type": "supports", "target": f"mem:{mine['id']}"}
    ]


def test_a_link_to_a_skill_that_is_nowhere_is_made_and_said_to_lead_nowhere(pair: Cli) -> None:
    page = pair.folder / ".claude" / "skills" / "deploy.md"
    page.parent.mkdir()
    page.write_text("# Deploy")

    assert pair.ok("link", "newer", "implements", "skill:Deploy").err == ""
    unmet = pair.ok("link", "newer", "implements", "skill:deplox")

    assert "no skill folder contains skill:deplox" in unmet.err
    assert len(pair.memory("newer")["links"]) == 2


def test_a_secret_in_evidence_is_taken_out_and_told(pair: Cli) -> None:
    secret = "AKIA" + "QYLPMN5HHHFPZAM2"
    done = pair.ok("link", "newer", "supports", "older", "-e", f"seen with {secret}", "--json").json()

    assert done["redacted"] == [{"kind": "aws access key", "field": "evidence"}]
    assert pair.memory("newer")["links"][0]["evidence"] == "seen with [REDACTED]"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("newer", "supports", "older"), ("newer", "contradicts", "older")),
        (("newer", "contradicts", "older"), ("newer", "supports", "older")),
        (("older", "contradicts", "newer"), ("newer", "supports", "older")),
    ],
)
def test_a_memory_cannot_support_what_it_contradicts(
    pair: Cli, first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    pair.ok("link", *first)

    done = pair("link", *second)

    assert done.exit_code == 5
    assert f"recollect unlink {first[0]} {first[1]} mem:{first[2]}" in done.err
    pair.ok("unlink", *first)
    pair.ok("link", *second)


def test_unlinking_does_not_undo_an_end_that_no_supersession_brought_about(pair: Cli) -> None:
    pair.put(id="older", title="Cookies", valid_to="2026-11-20T00:00:00Z")
    pair.ok("link", "newer", "supersedes", "older")

    pair.ok("unlink", "newer", "supersedes", "older")

    assert pair.memory("older")["valid_to"] == "2026-11-20T00:00:00Z"


@requirement("records:links:supersedes-closes")
def test_what_is_superseded_from_a_later_day_on_is_said_to_count_until_then(pair: Cli) -> None:
    pair.put(id="planned", title="Tokens", valid_from="2999-01-01")

    out = pair.ok("link", "planned", "supersedes", "older").out

    assert "older is superseded: it stays valid until 2999-01-01" in out
    assert "valid until 2999-01-01" in pair.ok("show", "older").out


def test_what_two_supersede_is_valid_again_when_both_have_left_it(pair: Cli) -> None:
    pair.put(id="newest", title="Tokens", created_at="2026-11-16T10:00:00Z")
    pair.ok("link", "newer", "supersedes", "older")
    pair.ok("link", "newest", "supersedes", "older")

    pair.ok("unlink", "newer", "supersedes", "older")
    assert pair.memory("older")["valid_to"]
    pair.ok("unlink", "newest", "supersedes", "older")

    assert "valid_to" not in pair.memory("older")


@pytest.fixture
def hinted(cli: Cli) -> Cli:
    """A project in which one memory says that it stands in for another."""
    content = {"status": "accepted", "context": "x", "rationale": ["y"]}
    cli.put(
        id="redis-queue",
        title="Jobs wait in Redis",
        tags=["queue"],
        content=content | {"decision": "Push jobs to a list."},
    )
    cli.put(
        id="table-queue",
        title="Jobs wait in a table",
        tags=["queue"],
        created_at="2026-11-16T10:00:00Z",
        content=content | {"decision": "Write 'job' rows instead of jobs in Redis; it's safer."},
    )
    return cli


@requirement("graph:suggest:never-made")
def test_a_suggestion_is_shown_with_its_reason_and_command_and_none_is_made(hinted: Cli) -> None:
    before = {path: path.read_bytes() for path in hinted.root.rglob("*.json")}

    shown = hinted.ok("link", "--suggest")
    (row,) = hinted.ok("link", "--suggest", "--json").json()["suggestions"]

    assert "table-queue supersedes redis-queue" in shown.out
    assert "1 link may be missing; none was created." in shown.out
    assert (row["source"], row["type"], row["target"]) == ("table-queue", "supersedes", "redis-queue")
    assert "instead of jobs in Redis" in row["evidence"]
    assert {path: path.read_bytes() for path in before} == before


def test_the_command_of_a_suggestion_makes_the_link_as_it_stands(hinted: Cli) -> None:
    (row,) = hinted.ok("link", "--suggest", "redis-queue", "--json").json()["suggestions"]

    hinted.ok(*shlex.split(row["command"])[1:])

    assert hinted.memory("table-queue")["links"] == [
        {"type": "supersedes", "target": "mem:redis-queue", "evidence": row["evidence"]}
    ]
    assert "No missing links found." in hinted.ok("link", "--suggest").out


def test_suggestions_are_for_one_memory_when_one_is_named(hinted: Cli) -> None:
    hinted.put(id="third", title="Something else")

    assert hinted.ok("link", "--suggest", "third", "--json").json() == {"suggestions": []}
    assert hinted("link", "--suggest", "nobody").exit_code == 3
    assert hinted("link", "--suggest", "third", "caused", "redis-queue").exit_code == 2


@requirement("skills:cross:front-matter")
@pytest.mark.parametrize("type", ["describes", "governs", "DESCRIBES"])
def test_an_edge_of_a_skill_points_to_the_skills_front_matter(hinted: Cli, type: str) -> None:
    done = hinted("link", "redis-queue", type, "skill:queues")

    assert done.exit_code == 5
    assert f"`{type.lower()}: [mem:ID]` into the front matter of its SKILL.md" in done.err
