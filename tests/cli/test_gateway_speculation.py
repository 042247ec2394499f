"""`gateway trust` and `gateway speculation`: who is trusted, and what running ahead saved and wasted."""

import json

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

from recollect.app.gateway import open_gateway
from recollect.gateway.speculation_use import SpeculationUse


@pytest.fixture(autouse=True)
def files(cli: Cli) -> None:
    cli.ok("gateway", "add", "files", "--", "x")


@requirement("workflow:speculation:off")
def test_no_server_is_trusted_until_the_user_says_so(cli: Cli) -> None:
    assert "No server is trusted" in cli.ok("gateway", "speculation").out
    assert "may run ahead" in cli.ok("gateway", "trust", "files", "--cost", "0.002").out

    out = cli.ok("gateway", "speculation", "--json").json()

    assert (out["enabled"], out["trusted"]) == (True, ["files"])
    assert open_gateway(cli.env).upstream("files").call_cost == 0.002
    assert "No call of files" in cli.ok("gateway", "trust", "files", "--no").out
    assert cli.ok("gateway", "speculation", "--json").json()["trusted"] == []


def test_trust_changes_nothing_else_of_the_entry(cli: Cli) -> None:
    file = open_gateway(cli.env).file
    document = json.loads(file.read_text())
    document["mcpServers"]["files"] |= {"shared": False, "note": "ours"}
    file.write_text(json.dumps(document))

    cli.ok("gateway", "trust", "files")

    entry = json.loads(file.read_text())["mcpServers"]["files"]
    assert entry == document["mcpServers"]["files"] | {"speculate": True}


def test_a_server_that_is_not_there_is_named(cli: Cli) -> None:
    assert "'fles'" in cli("gateway", "trust", "fles").err


@requirement("workflow:speculation:measured")
def test_the_figures_of_each_tool_and_of_all_are_shown(cli: Cli) -> None:
    store = open_gateway(cli.env).database.speculations
    store.record(SpeculationUse("files", "read", 4, 2, 2, 1, 120, 30, 0.02, 0.01), "2026-02-01")
    store.record(SpeculationUse("files", "list", predicted=4), "2026-02-01")

    text = cli.ok("gateway", "speculation", "--since", "2026-01-01").out
    out = cli.ok("gateway", "speculation", "--since", "2026-01-01", "--json").json()

    assert "1 (50%)" in text
    assert [row["tool"] for row in out["tools"]] == ["list", "read"]
    assert out["total"]["acceptance"] == 0.25
    assert (out["total"]["saved_ms"], out["total"]["wasted_dollars"]) == (120, 0.01)


@requirement("workflow:speculation:off")
def test_one_setting_turns_it_off(cli: Cli) -> None:
    cli.env["RECOLLECT_SPECULATION"] = "off"

    assert "Speculation is off" in cli.ok("gateway", "speculation").out
