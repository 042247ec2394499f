"""`recollect help`: every command by topic, on one screen, and by the names that people try first."""

from typing import Any

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement
from typer.main import get_command

from recollect.cli.main import app
from recollect.cli.topics import ALIASES, TOPICS


@requirement("cli:help:topics")
def test_every_command_is_in_one_topic_and_every_topic_has_commands_that_exist() -> None:
    group: Any = get_command(app)
    shown = [name for name, entry in group.commands.items() if not entry.hidden]

    assert sorted(name for topic in TOPICS for name in topic.commands) == sorted(shown)


@requirement("cli:help:topics")
@pytest.mark.parametrize(
    "words", [["--help"], ["help"], *(["help", topic.name] for topic in TOPICS), ["help", "exit-codes"]]
)
def test_help_fits_a_screen_of_80_by_24(bare: Cli, words: list[str]) -> None:
    bare.env["COLUMNS"] = "80"

    lines = bare.ok(*words).out.rstrip("\n").split("\n")

    assert len(lines) <= 24
    assert not [line for line in lines[1:] if line.endswith("...")]


@requirement("cli:help:topics")
def test_the_help_of_every_group_fits_a_screen_and_its_summaries_are_whole(bare: Cli) -> None:
    bare.env["COLUMNS"] = "80"
    root: Any = get_command(app)
    groups = [name for name, entry in root.commands.items() if hasattr(entry, "list_commands")]

    for name in groups:
        lines = bare.ok(name, "-h").out.rstrip("\n").split("\n")
        assert len(lines) <= 24, name
        assert [line for line in lines[1:] if len(line) > 80 or line.endswith("...")] == []


def test_help_explains_a_command_as_the_command_itself_does(bare: Cli) -> None:
    assert "List the configured servers." in bare.ok("help", "gateway", "list").out
    assert bare.ok("help", "save").out.strip() == bare.ok("save", "-h").out.strip()


@pytest.mark.parametrize("words", [["sav"], ["gateway", "nosuch"], ["save", "me"]])
def test_help_for_what_does_not_exist_names_the_topics(bare: Cli, words: list[str]) -> None:
    done = bare("help", *words)

    assert done.exit_code == 3
    assert "the topics are remember, order, connect" in done.err


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_a_short_name_runs_its_command(bare: Cli, alias: str, name: str) -> None:
    assert bare.ok(alias, "-h").out.split("\n")[2:] == bare.ok(name, "-h").out.split("\n")[2:]


def test_quiet_prints_no_hints_and_verbose_says_what_is_used(cli: Cli) -> None:
    cli.env["RECOLLECT_MATCH_STRATEGY"] = "fts5_bm25"

    assert str(cli.root) in cli.ok("-v", "list").err
    assert cli.ok("-q", "search", "anything").err == ""


@pytest.mark.parametrize("option", ["-q", "--verbose"])
def test_a_global_option_behind_the_command_is_told_where_it_goes(cli: Cli, option: str) -> None:
    done = cli("list", option)

    assert done.exit_code == 2
    assert f"recollect {option} COMMAND" in done.err


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_a_search_for_nothing_is_an_error(cli: Cli, query: str) -> None:
    done = cli("search", query)

    assert done.exit_code == 5
    assert "nothing to search for" in done.err
