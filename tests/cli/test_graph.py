"""`link` and `unlink`."""

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement


@pytest.fixture
def pair(cli: Cli) -> Cli:
    """A project with an older and a newer memory."""
    cli.put(id="older", title="Cookies")
    cli.put(id="newer", title="Sessions")
    return cli


@requirement("cli:link:adds")
def test_a_link_is_added_with_its_evidence(pair: Cli) -> None:
    pair.ok("link", "newer", "derived-from", "older", "--evidence", "post-mortem of 3 May")
    pair.ok("link", "newer", "supports", "skill:deploy/rollback")

    assert pair.memory("newer")["links"] == [
        {"type": "derived_from", "target": "mem:older", "evidence": "post-mortem of 3 May"},
        {"type": "supports", "target": "skill:deploy/rollback"},
    ]
    assert pair.ok("link", "newer", "derived_from", "older", "--json").json()["action"] == "unchanged"


@requirement("cli:link:supersedes")
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
        (("link", "newer", "likes", "older"), 5, "there is no link type 'likes'; there are caused,"),
        (("link", "newer", "caused", "odler"), 3, "did you mean older?"),
        (("link", "nobody", "caused", "older"), 3, "there is no memory 'nobody'"),
        (("link", "newer", "caused", "tool:x"), 5, "none of the known prefixes"),
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
