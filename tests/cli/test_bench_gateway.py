"""What listed tools cost, for the servers that a user has."""

import sys

from tests.cli.running import Cli
from tests.requirements import requirement


def test_without_known_tools_it_says_what_to_do(cli: Cli) -> None:
    run = cli("bench", "gateway")

    assert run.exit_code == 5
    assert "recollect gateway test" in run.err


@requirement("gateway:meta-tools:budget")
def test_the_meta_tools_stand_beside_every_tool_and_names_alone(cli: Cli) -> None:
    cli.ok("gateway", "add", "time", "--", sys.executable, "-m", "mcp_server_time")
    cli.ok("gateway", "test")

    out = cli("bench", "gateway", "--json").json()

    assert (out["servers"], out["tools"]) == (1, 2)
    assert out["meta_tools"] <= out["budget"] == 2_000
    assert 0 < out["names_only"] < out["every_tool"]
    assert "every tool" in cli.ok("bench", "gateway").out
