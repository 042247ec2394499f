"""`config`."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

from recollect.config import SETTINGS

GRACE = "delete.grace_period_days"


def setting(cli: Cli, key: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = cli.ok("config", key, "--json").json()["settings"]
    assert [row["key"] for row in rows] == [key]
    return rows[0]


@requirement("cli:config:shows")
def test_every_setting_is_shown_with_value_origin_and_help(cli: Cli) -> None:
    shown = cli.ok("config", "--json").json()
    said = cli.ok("config").out

    assert [row["key"] for row in shown["settings"]] == list(SETTINGS)
    assert {row["origin"] for row in shown["settings"]} == {"default"}
    assert shown["root"] == str(cli.root)
    for row in shown["settings"]:
        assert f"{row['key']} = {row['value']}  default\n    {row['help']}\n" in said


def test_a_setting_is_changed_in_the_projects_file_and_the_rest_is_kept(cli: Cli) -> None:
    file = cli.root / "memory-config.json"
    file.write_text('{"others": {"keep": [1]}, "delete": {"x": 2}}')

    said = cli.ok("config", GRACE, "60").out

    assert json.loads(file.read_text()) == {
        "others": {"keep": [1]},
        "delete": {"x": 2, "grace_period_days": 60},
    }
    assert said.startswith(f"{GRACE} = 60  {file}\n")
    assert setting(cli, GRACE)["value"] == 60


@requirement("cli:config:precedence")
def test_the_environment_goes_before_the_project_and_the_project_before_the_user(cli: Cli) -> None:
    cli.ok("config", GRACE, "10", "--user")
    user_file = Path(cli.env["HOME"]) / ".local/share/recollect/memory-config.json"
    assert setting(cli, GRACE) | {"help": ""} == {
        "key": GRACE,
        "value": 10,
        "origin": str(user_file),
        "help": "",
    }

    cli.ok("config", GRACE, "20")
    assert (setting(cli, GRACE)["value"], setting(cli, GRACE)["origin"]) == (
        20,
        str(cli.root / "memory-config.json"),
    )

    cli.env["RECOLLECT_GRACE_PERIOD_DAYS"] = "30"
    assert (setting(cli, GRACE)["value"], setting(cli, GRACE)["origin"]) == (
        30,
        "$RECOLLECT_GRACE_PERIOD_DAYS",
    )


def test_a_change_that_something_overrides_says_so(cli: Cli) -> None:
    cli.ok("config", GRACE, "20")
    assert "memory-config.json overrides it" in cli.ok("config", GRACE, "5", "--user").out

    cli.env["RECOLLECT_GRACE_PERIOD_DAYS"] = "30"
    assert (
        "Written, but $RECOLLECT_GRACE_PERIOD_DAYS overrides it." in cli.ok("config", GRACE, "40").out
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no.such.key",), "there is no setting 'no.such.key'; `recollect config` lists them"),
        (("no.such.key", "1"), "there is no setting 'no.such.key'"),
        ((GRACE, "soon"), f"{GRACE} must be a number from 0, not 'soon' (from the command line)"),
        ((GRACE, "-1"), "must be a number from 0"),
        (("lock_wait_seconds", "601"), "from 0 to 600"),
        (("memory_root", "elsewhere"), "add --user"),
    ],
)
def test_an_invalid_change_is_refused(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    done = cli("config", *("--", *arguments))

    assert done.exit_code == 5
    assert said in done.err
    assert (cli.root / "memory-config.json").read_text() == "{}\n"


def test_a_bad_value_names_where_it_comes_from(cli: Cli) -> None:
    cli.env["RECOLLECT_GRACE_PERIOD_DAYS"] = "many"
    assert "(from $RECOLLECT_GRACE_PERIOD_DAYS)" in cli("list").err

    del cli.env["RECOLLECT_GRACE_PERIOD_DAYS"]
    (cli.root / "memory-config.json").write_text("{nonsense")
    done = cli("list", "--json")
    assert done.exit_code == 5
    assert str(cli.root / "memory-config.json") in done.json()["error"]


def test_the_environment_can_move_the_root(bare: Cli) -> None:
    bare.env["RECOLLECT_ROOT"] = "notes/memory"
    bare.ok("init")

    assert bare.save()["path"] == "notes/memory/decisions/sign-a-jwt-at-login.json"
    assert setting(bare, "memory_root")["origin"] == "$RECOLLECT_ROOT"
