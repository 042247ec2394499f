"""Tables with ids on terminals of any width, and in a pipe."""

import pytest
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.requirements import requirement

TITLE = "Networking between the shop and its partners goes over a private link"
ID = "networking-between-the-shop-and-its"


@pytest.fixture
def named(cli: Cli) -> Cli:
    cli.put(id=ID, title=TITLE, tags=["network", "partners", "operations"])
    return cli


@requirement("cli:terminal:ids")
@pytest.mark.parametrize(("width", "tags", "lines"), [(60, False, 2), (80, False, 0), (160, True, 0)])
def test_no_width_breaks_an_id(named: Cli, width: int, tags: bool, lines: int) -> None:
    with terminal(named, "list", COLUMNS=str(width)) as screen:
        assert screen.finish() == 0

    shown = screen.shown
    assert ID in shown
    assert ("operations" in shown) == tags
    if lines:
        assert len(shown.strip().split("\n")) == lines


@requirement("cli:terminal:ids")
def test_a_pipe_gets_every_memory_and_every_column_on_one_line(named: Cli) -> None:
    named.env["COLUMNS"] = "60"
    for number in range(60):
        named.put(id=f"memory-{number}", title=f"Memory {number}")

    lines = named.ok("list").out.strip().split("\n")

    assert len(lines) == 62
    assert any(ID in line and TITLE in line and "operations" in line for line in lines)
