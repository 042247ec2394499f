"""Help: options with a closed set of values list them, and usage lines are well formed."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement
from typer.main import get_command

from recollect.agents.harnesses import NAMES, all_harnesses
from recollect.app.syncing import Side
from recollect.bench import retrieval, tools
from recollect.cli.command import commands
from recollect.cli.main import app
from recollect.gateway.policy import EFFECTS
from recollect.importing.sources import SourceKind
from recollect.importing.transcripts.markdown_rows import HARNESS
from recollect.learning.trace import Kind
from recollect.records.categories import Category
from recollect.records.record import LinkType, Status
from recollect.storage.models.manifest import ROLES
from recollect.team.roles import MemberRole

# The names of options and arguments whose values are a closed set, wherever they occur.
CLOSED = {
    "category",
    "effect",
    "format",
    "harness",
    "kind",
    "mode",
    "pooling",
    "prefer",
    "role",
    "status",
    "strategy",
    "type",
}
EXPECTED: dict[tuple[str, str], set[str]] = {
    ("save", "category"): set(Category),
    ("list", "category"): set(Category),
    ("search", "category"): set(Category),
    ("remember", "category"): {*Category} - {"session_summary"},
    ("list", "status"): {*Status, "all"},
    ("search", "status"): {*Status, "all"},
    ("init", "harness"): set(NAMES),
    ("hook-command", "harness"): set(NAMES),
    ("import", "kind"): set(SourceKind),
    ("import", "harness"): {*(one.name for one in all_harnesses() if one.past), HARNESS},
    ("link", "type"): set(LinkType),
    ("unlink", "type"): set(LinkType),
    ("model install", "role"): set(ROLES),
    ("sync", "prefer"): set(get_args(Side)),
    ("gateway policy", "effect"): set(EFFECTS),
    ("replay", "kind"): set(get_args(Kind)),
    ("trace list", "kind"): set(get_args(Kind)),
    ("trace stats", "kind"): set(get_args(Kind)),
    ("team member add", "role"): set(MemberRole),
    ("team member role", "role"): set(MemberRole),
    ("team token create", "role"): set(MemberRole),
    ("bench retrieval", "strategy"): set(retrieval.STRATEGIES),
    ("bench tools", "strategy"): set(tools.STRATEGIES),
}


def parameters() -> Iterator[tuple[str, Any]]:
    for name, entry in commands(get_command(app)):
        yield from ((name, parameter) for parameter in entry.params)


def listed(parameter: Any) -> set[str]:
    """The choices that the help of a parameter shows, in its metavar or after its help."""
    metavar = parameter.metavar or ""
    text = metavar if metavar.startswith("[") else (parameter.help or "").rpartition("[")[2]
    return {value.strip() for value in text.strip("[]").split("|")} if "|" in text else set()


@requirement("cli:help:choices")
def test_every_parameter_with_a_closed_set_of_values_lists_them_as_choices() -> None:
    closed = [(name, each) for name, each in parameters() if each.name in CLOSED]

    assert [(name, each.name) for name, each in closed if not listed(each)] == []
    assert len(closed) >= len(EXPECTED)


@requirement("cli:help:choices")
@pytest.mark.parametrize(("place", "values"), EXPECTED.items(), ids=map(" ".join, EXPECTED))
def test_the_choices_are_those_that_the_command_knows(place: tuple[str, str], values: set[str]) -> None:
    [parameter] = [each for name, each in parameters() if (name, each.name) == place]

    assert listed(parameter) == values


@requirement("cli:help:choices")
def test_no_help_lists_values_in_a_sentence() -> None:
    texts = [(name, each.name, each.help or "") for name, each in parameters()]

    assert [text for text in texts if text[2].startswith(("One of ", "Only with one of "))] == []


@requirement("cli:help:choices")
def test_the_kinds_of_the_review_are_those_that_can_wait(cli: Cli) -> None:
    [parameter] = [each for name, each in parameters() if (name, each.name) == ("review list", "kind")]

    for kind in listed(parameter):
        assert cli.ok("review", "list", "--kind", kind, "--json").json()["items"] == []
    assert cli("review", "list", "--kind", "nosuch").err.count(",") == len(listed(parameter)) - 1


@requirement("cli:help:choices")
def test_no_usage_line_has_brackets_twice(bare: Cli) -> None:
    for name, entry in commands(get_command(app)):
        arguments = [each.metavar or "" for each in entry.params if each.param_type_name == "argument"]
        assert [text for text in arguments if text.startswith("[") or text.endswith("...")] == [], name
