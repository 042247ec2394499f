"""`gateway discover`: tools by what they do."""

import gzip
import json
import sys
from pathlib import Path

from tests.cli.running import Cli

TOOLS = {
    "tools": [
        {"name": "move_file", "description": "Move or rename a file.\nOverwrites nothing."},
        {"name": "get_time", "description": "The time in a [red]zone\x1b[31m."},
    ]
}


def catalogue(folder: Path) -> str:
    path = folder / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return str(path)


def test_tools_are_found_by_what_they_do(cli: Cli, tmp_path: Path) -> None:
    out = cli.ok("gateway", "discover", "rename a file", "--catalogue", catalogue(tmp_path)).out

    assert out.index("catalogue:move_file") < out.index("Move or rename a file. Overwrites nothing.")


def test_json_says_why(cli: Cli, tmp_path: Path) -> None:
    found = cli.ok(
        "gateway", "discover", "get_time", "--catalogue", catalogue(tmp_path), "--json"
    ).json()

    assert found["fits"] is True
    assert found["confidence"] == 1.0
    assert found["tools"][0]["id"] == "catalogue:get_time"
    assert found["tools"][0]["why"]["exact"] is True


def test_a_request_that_no_tool_fits_says_so(cli: Cli, tmp_path: Path) -> None:
    file = catalogue(tmp_path)

    assert cli.ok("gateway", "discover", "sing", "--catalogue", file, "--json").json()["fits"] is False


def test_descriptions_are_shown_as_text(cli: Cli, tmp_path: Path) -> None:
    out = cli.ok("gateway", "discover", "time", "--catalogue", catalogue(tmp_path)).out

    assert "[red]zone" in out
    assert "\x1b[31m" not in out


def test_a_catalogue_may_be_compressed(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "tools.json.gz"
    path.write_bytes(gzip.compress(json.dumps(TOOLS).encode()))

    assert (
        "catalogue:move_file"
        in cli.ok("gateway", "discover", "move_file", "--catalogue", str(path)).out
    )
    path.write_bytes(path.read_bytes()[:20])
    cut = cli("gateway", "discover", "x", "--catalogue", str(path))
    assert cut.exit_code == 5
    assert "not a complete gzip file" in cut.err


def test_a_missing_catalogue_is_named(cli: Cli, tmp_path: Path) -> None:
    missing = str(tmp_path / "none.json")

    run = cli("gateway", "discover", "x", "--catalogue", missing)

    assert run.exit_code == 3
    assert missing in run.err


def test_a_server_is_added_tried_found_and_removed(cli: Cli) -> None:
    cli.ok("gateway", "add", "time", "--", sys.executable, "-m", "mcp_server_time")

    assert "never" in cli.ok("gateway", "list").out
    tried = cli.ok("gateway", "test", "--json").json()["servers"]
    listed = cli.ok("gateway", "list", "--json").json()["servers"]
    discovered = cli.ok("gateway", "discover", "convert_time", "--json").json()
    cli.ok("gateway", "remove", "time")

    assert tried[0]["added"] == ["convert_time", "get_current_time"]
    assert [(row["name"], row["transport"], row["tools"]) for row in listed] == [("time", "stdio", 2)]
    assert discovered["tools"][0]["id"] == "time:convert_time"
    assert cli.ok("gateway", "list", "--json").json()["servers"] == []
    assert "There are no tools yet" in cli.ok("gateway", "discover", "convert_time").out


def test_one_server_that_fails_is_named_and_the_others_are_tried(cli: Cli) -> None:
    cli.ok("gateway", "add", "broken", "--", "/no/such/program")
    cli.ok("gateway", "add", "time", "--", sys.executable, "-m", "mcp_server_time")

    run = cli("gateway", "test")

    assert run.exit_code == 10
    assert "time: 2 tools" in run.out
    assert "the server 'broken' cannot be reached" in run.err
    assert "cannot start '/no/such/program'" in cli.ok("gateway", "logs", "broken").out


def test_a_secret_is_not_stored_but_the_name_of_its_variable_is(cli: Cli) -> None:
    key = "ghp_" + "a8Kd03mZq7Rt5YxW2bNc" + "V9sLp4Hj6Fg1"

    refused = cli("gateway", "add", "hub", "--env", f"GITHUB_TOKEN={key}", "--", "server")
    cli.ok("gateway", "add", "hub", "--env", "GITHUB_TOKEN=${GITHUB_TOKEN}", "--", "server")

    assert refused.exit_code == 5
    assert "GITHUB_TOKEN=${GITHUB_TOKEN}" in refused.err
    file = Path(cli.ok("gateway", "list", "--json").json()["file"])
    assert "${GITHUB_TOKEN}" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_a_name_that_is_taken_is_kept_unless_it_is_to_be_replaced(cli: Cli) -> None:
    cli.ok("gateway", "add", "one", "--", "first")

    assert cli("gateway", "add", "one", "--", "second").exit_code == 5
    cli.ok("gateway", "add", "one", "--replace", "--", "second")

    assert cli.ok("gateway", "list", "--json").json()["servers"][0]["target"] == "second"


def test_a_server_needs_a_program_or_an_address(cli: Cli) -> None:
    assert cli("gateway", "add", "x").exit_code == 5
    assert cli("gateway", "add", "x", "--url", "https://x", "--", "y").exit_code == 5
    assert cli("gateway", "add", "x", "--env", "novalue", "--", "y").exit_code == 5
    assert cli("gateway", "remove", "x").exit_code == 3


def test_a_damaged_file_of_servers_is_named_and_left_as_it_is(cli: Cli) -> None:
    cli.ok("gateway", "add", "one", "--", "first")
    file = Path(cli.ok("gateway", "list", "--json").json()["file"])
    file.write_text('{"mcpServers": {"one": ')

    run = cli("gateway", "add", "two", "--", "second")

    assert run.exit_code == 5
    assert str(file) in run.err
    assert file.read_text() == '{"mcpServers": {"one": '


def test_a_project_that_brings_servers_starts_none(cli: Cli) -> None:
    servers = {"mcpServers": {"evil": {"command": "touch", "args": [str(cli.folder / "ran")]}}}
    for name in (".mcp.json", "gateway.json", ".recollect/gateway.json"):
        path = cli.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(servers))

    assert cli.ok("gateway", "test").out.startswith("No servers yet")
    assert not (cli.folder / "ran").exists()
