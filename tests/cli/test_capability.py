"""Code that worked, from the command line."""

from typing import Any

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.requirements import requirement
from tests.upstreams.servers import TALKATIVE, entry

from recollect.cli.exits import Exit
from recollect.views.capabilities import (
    CapabilitiesOutput,
    CapabilityExported,
    CapabilityForgotten,
    CapabilityImported,
    CapabilityOutput,
    CapabilityRenamed,
)
from recollect.views.code import CodeOutput
from recollect.views.gateway import DiscoverOutput


@pytest.fixture
def talking(cli: Cli) -> Cli:
    server = entry(TALKATIVE)
    cli.ok("gateway", "add", "talk", "--", server["command"], *server["args"])
    cli.ok("gateway", "test", "talk")
    return cli


def run(cli: Cli, source: str, *options: str) -> None:
    file = cli.folder / "code.py"
    file.write_text(source)
    cli("run", "code", str(file), *options)


def listed(cli: Cli) -> list[dict[str, Any]]:
    out = cli.ok("capability", "list", "--json").json()
    assert mismatches(out, CapabilitiesOutput) == []
    rows: list[dict[str, Any]] = out["capabilities"]
    return rows


@requirement("learning:capabilities:kept")
def test_code_that_worked_is_kept_once_run_again_and_forgotten(talking: Cli) -> None:
    run(talking, "(await talk_add(a=1, b=2))['result']  # first", "--intent", "add numbers")
    run(talking, "(await talk_add(a=5, b=6))['result']")
    [row] = listed(talking)
    assert (row["name"], row["runs"], row["successes"]) == ("add_numbers", 2, 2)
    assert row["parameters"] == {"a": 1, "b": 2}

    discovered = talking.ok("gateway", "discover", "add numbers", "--json").json()
    assert mismatches(discovered, DiscoverOutput) == []
    assert [each["name"] for each in discovered["capabilities"]] == ["add_numbers"]
    assert (
        "await capability_add_numbers(a=1, b=2)" in talking.ok("gateway", "discover", "add numbers").out
    )

    ran = talking.ok("capability", "run", "add_numbers", "--set", "a=40", "--json").json()
    shown = talking.ok("capability", "show", "add_numbers", "--json").json()
    assert mismatches(ran, CodeOutput) == []
    assert mismatches(shown, CapabilityOutput) == []
    assert ran["result"] == 42
    assert shown["capability"]["runs"] == 3
    assert "a=a, b=b" in talking.ok("capability", "show", "add_numbers").out

    unknown = talking("capability", "run", "add_numbers", "--set", "c=1")
    assert unknown.exit_code != Exit.OK
    forgotten = talking.ok("capability", "forget", "add_numbers", "--json").json()
    assert mismatches(forgotten, CapabilityForgotten) == []
    assert listed(talking) == []
    assert "there is no capability" in talking("capability", "show", "add_numbers").err


@requirement("learning:capabilities:kept")
def test_code_that_failed_called_nothing_or_has_a_secret_is_not_kept(talking: Cli) -> None:
    run(talking, "await talk_add(a=1, b=2)\n1 / 0")
    run(talking, "1 + 1")
    run(talking, "t = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'\nawait talk_add(a=1, b=2)")
    assert listed(talking) == []


@requirement("learning:capabilities:files")
@requirement("learning:capabilities:stale")
def test_a_capability_is_renamed_exported_imported_and_stale_without_its_tool(talking: Cli) -> None:
    run(talking, "(await talk_add(a=1, b=2))['result']", "--intent", "add numbers")
    renamed = talking.ok("capability", "rename", "add_numbers", "sum_up", "--json").json()
    file = str(talking.folder / "sum_up.yaml")
    exported = talking.ok("capability", "export", "sum_up", file, "--json").json()
    assert "already exists" in talking("capability", "export", "sum_up", file).err
    assert talking.ok("capability", "export", "sum_up").out.strip() == exported["text"].strip()
    again = talking.ok("capability", "import", file, "--json").json()
    talking.ok("capability", "forget", "sum_up")
    imported = talking.ok("capability", "import", file, "--json").json()

    assert mismatches(renamed, CapabilityRenamed) == []
    assert mismatches(exported, CapabilityExported) == []
    assert mismatches(imported, CapabilityImported) == []
    assert (again["new"], imported["new"]) == (False, True)
    assert "is not a valid name" in talking("capability", "rename", "sum_up", "Sum Up").err
    [row] = listed(talking)
    assert (row["name"], row["runs"], row["stale"]) == ("sum_up", 0, [])
    assert talking.ok("capability", "run", "sum_up", "--json").json()["result"] == 3

    talking.ok("gateway", "remove", "talk")
    [row] = listed(talking)
    assert row["stale"] == ["talk:add"]
    assert "stale" in talking.ok("capability", "list").out
    assert "talk:add" in talking.ok("capability", "show", "sum_up").out.split("stale, because")[1]
