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


BAD = {
    "retrieval": {"max_inject": 99, "fusion": "rnk", "max_injct": 1},
    "graph": {"unified": "perhaps"},
    "delete": {"grace_period_days": 60},
}
COMPLAINTS = (
    "retrieval.max_inject must be a number from 0 to 20, not 99 (from {file}).",
    "retrieval.fusion must be one of score, rank, not 'rnk' (from {file}).",
    "graph.unified must be true, false, on, off, yes, no, 1 or 0, not 'perhaps' (from {file}).",
)
MISSPELT = "retrieval.max_injct is not a setting (from {file}); did you mean retrieval.max_inject?"


def spoil(cli: Cli) -> list[str]:
    """Write three values that are not accepted and a misspelt key; returns the messages about them."""
    file = cli.root / "memory-config.json"
    file.write_text(json.dumps(BAD))
    return [text.format(file=file) for text in (*COMPLAINTS, MISSPELT)]


@requirement("cli:config:one-bad-value")
def test_bad_values_are_named_by_config_status_and_doctor_and_spoil_nothing_else(cli: Cli) -> None:
    messages = spoil(cli)

    shown = cli.ok("config", "--json").json()
    assert [row["message"] for row in shown["problems"]] == messages
    assert shown["problems"][0] | {"message": ""} == {
        "key": "retrieval.max_inject",
        "origin": str(cli.root / "memory-config.json"),
        "message": "",
        "value": "99",
        "allowed": "a number from 0 to 20",
    }
    assert (setting(cli, "retrieval.max_inject")["value"], setting(cli, GRACE)["value"]) == (3, 60)
    assert [row["message"] for row in cli.ok("status", "--json").json()["settings"]] == messages
    checked = cli("doctor", "--json")
    assert checked.exit_code == 8
    findings = [row for row in checked.json()["findings"] if row["check"] == "settings"]
    assert [row["message"] for row in findings] == messages
    assert [row["level"] for row in findings] == ["error", "error", "error", "warning"]
    for text in (cli.ok("config").out, cli.ok("status").out, cli("doctor").out):
        assert all(message in text for message in messages)


def test_commands_that_read_work_with_a_bad_value_and_say_so_apart(cli: Cli) -> None:
    cli.save()
    messages = spoil(cli)

    for command in (("list",), ("search", "sign a jwt"), ("show", "sign-a-jwt-at-login"), ("export",)):
        done = cli.ok(*command, "--json") if command[0] != "export" else cli.ok(*command)
        assert messages[0] in done.err
    assert cli.ok("search", "sign a jwt", "--json").json()["hits"]


@requirement("cli:config:writes-refuse")
@pytest.mark.parametrize(
    "command",
    [
        ("save", "--category", "runbook", "--title", "X"),
        ("retire", "sign-a-jwt-at-login", "--reason", "x"),
        ("edit", "sign-a-jwt-at-login", "--add-tag", "x"),
        ("index",),
        ("init", "--no-harness"),
        ("uninstall", "--yes"),
        ("doctor", "--fix"),
        ("redact", "--scan", ".claude/memory", "--fix"),
    ],
)
def test_commands_that_write_refuse_a_bad_value(cli: Cli, command: tuple[str, ...]) -> None:
    cli.save()
    file = cli.root / "decisions" / "sign-a-jwt-at-login.json"
    before = file.read_bytes()
    spoil(cli)

    done = cli(*command)

    assert done.exit_code == 5
    assert "retrieval.max_inject must be a number from 0 to 20, not 99" in done.err
    assert "memory-config.json)" in done.err
    assert file.read_bytes() == before


def test_a_refusal_says_how_to_correct_the_value(cli: Cli) -> None:
    cli.ok("config", "retrieval.fusion", "rank", "--user")
    user_file = Path(cli.env["HOME"]) / ".local/share/recollect/memory-config.json"
    user_file.write_text('{"retrieval": {"fusion": "rnk"}}')
    (cli.root / "memory-config.json").write_text('{"retrieval": {"max_inject": 99}}')
    cli.env["RECOLLECT_EXTRACTION"] = "perhaps"

    refused = cli("index").err

    assert "`recollect config retrieval.max_inject VALUE`" in refused
    assert "`recollect config retrieval.fusion VALUE --user`" in refused
    assert "change or unset $RECOLLECT_EXTRACTION" in refused


def test_config_corrects_a_bad_value(cli: Cli) -> None:
    spoil(cli)

    for key, value in (("retrieval.max_inject", "4"), ("retrieval.fusion", "rank")):
        cli.ok("config", key, value)
    cli.ok("config", "graph.unified", "off")

    assert setting(cli, "graph.unified")["value"] == 0
    cli.save()


def test_an_unknown_key_gets_the_nearest(cli: Cli) -> None:
    assert "did you mean retrieval.max_inject?" in cli("config", "retrieval.max_injct").err
    assert "did you mean delete.grace_period_days?" in cli("config", "grace_period_days", "3").err


def test_a_bad_value_names_where_it_comes_from(cli: Cli) -> None:
    cli.env["RECOLLECT_GRACE_PERIOD_DAYS"] = "many"
    assert "(from $RECOLLECT_GRACE_PERIOD_DAYS)" in cli.ok("list").err

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
