"""`--user`: a person's own memories, in a project and anywhere else."""

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

TABS = (
    *("save", "--user", "-c", "preference", "-t", "Indent with tabs", "--tag", "style"),
    *(
        "-s",
        "topic=style",
        "-s",
        "value=Use tabs.",
        "-s",
        "reason=Widths differ.",
        "-s",
        "strength=strong",
    ),
)
ID = "indent-with-tabs"


@pytest.fixture
def outside(bare: Cli) -> Cli:
    """The command line where there is no project, with one memory of the user's own."""
    bare.ok(*TABS)
    return bare


@requirement("cli:user:anywhere")
@pytest.mark.parametrize(
    "command",
    [
        ["list"],
        ["search", "tabs"],
        ["show", ID],
        ["why", ID],
        ["edit", ID, "-s", "value=Use spaces."],
        ["retire", ID, "-r", "changed my mind"],
        ["archive", ID, "-r", "done"],
        ["link", "--suggest"],
        ["link", ID, "supports", ID],
        ["graph", "stats"],
        ["graph", "export"],
        ["export"],
        ["index"],
        ["doctor"],
        ["gc"],
        ["backup"],
        ["config", "retrieval.gist", "0"],
    ],
    ids=" ".join,
)
def test_every_command_about_memories_works_outside_a_project(outside: Cli, command: list[str]) -> None:
    done = outside(*command, "--user")

    assert done.exit_code == (5 if command[1:2] == [ID] and command[0] == "link" else 0), done
    assert list(outside.folder.iterdir()) == []


@requirement("cli:user:anywhere")
def test_without_the_option_it_is_named(outside: Cli) -> None:
    assert "`--user` uses your own memories" in outside("list").err
    assert "--user" not in outside("impact").err


@requirement("cli:user:anywhere")
def test_inside_a_project_it_leaves_out_the_projects_memories(cli: Cli) -> None:
    cli.save("Indent with spaces")
    cli.ok(*TABS)

    rows = cli.ok("list", "--user", "--json").json()["memories"]
    hits = cli.ok("search", "indent", "--user", "--json").json()["hits"]

    assert [row["id"] for row in rows] == [ID]
    assert [row["id"] for row in hits] == [ID]
    assert cli.ok("search", "indent", "--json").json()["total"] == 2


def test_of_two_memories_with_one_id_it_means_the_users(cli: Cli) -> None:
    cli.ok(*TABS)
    cli.save("Indent with tabs")

    cli.ok("edit", ID, "--user", "-t", "Indent with tabs, always")

    assert cli.memory(ID)["title"] == "Indent with tabs"
    assert (
        cli.ok("show", ID, "--user", "--json").json()["memory"]["title"] == "Indent with tabs, always"
    )
