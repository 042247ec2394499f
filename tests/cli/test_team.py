"""`team`: projects, members, tokens, limits and the audit log of a real database."""

import uuid

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches
from tests.postgres import Server
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.opening import open_project
from recollect.errors import NotPermittedError


@pytest.fixture
def team(bare: Cli, postgres_server: Server, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line in a project whose memories are in a database."""
    bare.ok("init")
    monkeypatch.setattr("recollect.app.person.require_person", lambda _: None)
    bare.env["RECOLLECT_DATABASE"] = postgres_server.url("tests")
    bare.env["USER"] = "operator"
    return bare


def printed(cli: Cli, *words: str) -> dict[str, object]:
    """The JSON of a command, which has its declared shape."""
    out = cli.ok(*words, "--json").json()
    name = " ".join(words[:3]) if " ".join(words[:3]) in SHAPES else " ".join(words[:2])
    assert mismatches(out, SHAPES[name]) == []
    return out


@requirement("team:cli:story")
def test_a_team_from_its_first_member_to_the_audit_log(team: Cli) -> None:
    refused = team("team", "member", "add", "ben", "write")
    assert "the first member of a project administers it" in refused.err
    printed(team, "team", "member", "add", "Anna@example.org", "admin")
    printed(team, "team", "member", "add", "ben", "write")
    printed(team, "team", "member", "role", "ben", "approve")
    token = printed(team, "team", "token", "create", "ben", "--agent", "--days", "7")
    assert str(token["token"]).startswith("rct_")
    about = token["about"]
    assert isinstance(about, dict)
    assert (about["role"], about["kind"]) == ("write", "agent")
    members = printed(team, "team", "member", "list")["members"]
    assert isinstance(members, list)
    assert [row["role"] for row in members] == ["admin", "approve"]
    assert str(token["token"]) not in team.ok("team", "token", "list").out
    printed(team, "team", "token", "list")
    printed(team, "team", "token", "revoke", about["id"])
    printed(team, "team", "member", "remove", "ben")
    printed(team, "team", "limits", "--requests-per-minute", "60")

    entries = printed(team, "team", "audit", "--limit", "20")["entries"]

    assert isinstance(entries, list)
    assert [row["permission"] for row in entries] == [
        "limits.set",
        "members.manage",
        "tokens.manage",
        "tokens.manage",
        *["members.manage"] * 3,
    ]
    assert {row["member"] for row in entries} == {"operator"}


def test_tables_for_people_show_the_same(team: Cli) -> None:
    team.ok("team", "member", "add", "anna", "admin")
    made = team.ok("team", "token", "create", "anna", "--label", "laptop").out

    assert "shown only once" in made
    assert "laptop" in team.ok("team", "token", "list").out
    assert "anna" in team.ok("team", "member", "list").out
    assert "no limit" in team.ok("team", "limits").out
    assert "members.manage" in team.ok("team", "audit").out


def test_an_agents_token_that_approves_is_refused_and_so_are_unknown_roles(team: Cli) -> None:
    team.ok("team", "member", "add", "anna", "admin")

    approving = team("team", "token", "create", "anna", "--agent", "--role", "approve")
    unknown = team("team", "member", "add", "ben", "owner")
    nobody = team("team", "token", "create", "carl")

    assert "an agent must not approve" in approving.err
    assert "choose one of read, write, approve, admin" in unknown.err
    assert "not a member" in nobody.err


def test_an_agent_changes_no_team(team: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(what: str) -> None:
        raise NotPermittedError(f"{what} needs a person")

    monkeypatch.setattr("recollect.app.person.require_person", refuse)

    assert "needs a person" in team("team", "member", "add", "anna", "admin").err
    assert team.ok("team", "member", "list", "--json").json()["members"] == []


def test_projects_are_created_and_listed_with_their_servers(team: Cli, postgres_server: Server) -> None:
    name, other = f"shop {uuid.uuid4().hex}", postgres_server.make_database()
    printed(team, "team", "project", "create", name, "--admin", "anna", "--server", other)

    rows = printed(team, "team", "project", "list")["projects"]

    assert isinstance(rows, list)
    assert [row["server"] for row in rows if row["project"] == name] == [other]
    assert "anna" in team.ok("team", "member", "list", "--of", name).out
    assert "already" in team("team", "project", "create", name, "--admin", "anna").err
    assert "no project 'nowhere'" in team("team", "audit", "--of", "nowhere").err


def test_without_a_database_there_is_no_team(bare: Cli) -> None:
    bare.ok("init")

    done = bare("team", "member", "list")

    assert done.exit_code != 0
    assert "a team needs a database" in done.err


@requirement("team:limits:memories")
def test_a_project_with_as_many_memories_as_it_may_have_gets_no_more(team: Cli) -> None:
    team.ok("team", "limits", "--memories", "1")
    opened = open_project(team.folder, env=team.env)
    opened.memories.save(draft("Sign a JWT at login"))

    with pytest.raises(NotPermittedError, match="may have 1 memories"):
        opened.memories.save(draft("Retry webhooks with a back-off"), allow_repeat=True)

    assert len(team.ok("list", "--json").json()["memories"]) == 1
