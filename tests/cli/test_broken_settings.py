"""A configuration file that cannot be read: reported, repaired, and never lost."""

import json
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

from recollect.paths import CONFIG_NAME, user_config

BROKEN = ['{"retrieval": {', "[]", "\ufffe", "not json", '{"a": 1} {}']
broken = pytest.mark.parametrize("text", BROKEN)


@requirement("cli:config:repairs")
@broken
def test_doctor_names_the_file_and_what_to_do(shop: Cli, text: str) -> None:
    (shop.root / CONFIG_NAME).write_text(text)

    done = shop("doctor", "--json")

    assert done.exit_code == 8
    [message] = [row["message"] for row in done.json()["findings"] if row["check"] == "settings"]
    assert message.startswith("the file must be one JSON object")
    assert CONFIG_NAME in message
    assert CONFIG_NAME in shop.ok("status").out


@requirement("cli:config:repairs")
@broken
def test_config_moves_the_file_aside_and_writes_a_new_one(shop: Cli, text: str) -> None:
    file = shop.root / CONFIG_NAME
    file.write_text(text)

    done = shop.ok("config", "delete.grace_period_days", "60")

    assert json.loads(file.read_text()) == {"delete": {"grace_period_days": 60}}
    assert file.with_name(f"{CONFIG_NAME}.unreadable").read_text() == text
    assert f"{CONFIG_NAME}.unreadable" in done.err
    assert shop.ok("list").exit_code == 0


@requirement("cli:config:repairs")
def test_the_users_own_file_is_repaired_in_the_same_way(shop: Cli) -> None:
    shop.ok("config", "delete.grace_period_days", "60", "--user")
    Path(user_config(shop.env)).write_text("{")

    assert shop("doctor").exit_code == 8
    shop.ok("config", "delete.grace_period_days", "50", "--user")

    assert shop.ok("config", "delete.grace_period_days", "--json").json()["settings"][0]["value"] == 50


@broken
def test_nothing_is_written_with_settings_that_are_not_known(shop: Cli, text: str) -> None:
    (shop.root / CONFIG_NAME).write_text(text)
    before = sorted(path.name for path in shop.root.rglob("*.json"))

    for command in (["list"], ["doctor", "--fix"], ["retire", "opaque-sessions", "--reason", "old"]):
        done = shop(*command)
        assert done.exit_code in (5, 8)

    assert sorted(path.name for path in shop.root.rglob("*.json")) == before
    assert (shop.root / CONFIG_NAME).read_text() == text
    said = " ".join(shop("list").err.split())
    assert "`recollect config KEY VALUE` moves it aside and writes a new one" in said
