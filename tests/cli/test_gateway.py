"""`gateway discover`: tools by what they do."""

import gzip
import json
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
