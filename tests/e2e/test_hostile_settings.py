"""A project's `memory-config.json` with any values: commands end, and no environment variable is expanded."""

import json
import os
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.e2e.test_hostile_repository import bounded
from tests.requirements import requirement

from recollect.config import SETTINGS

SECONDS = 60
UNEXPECTED = 70
COMMANDS = (
    ["list"],
    ["search", "login"],
    ["status"],
    ["config"],
    ["gc", "--dry-run"],
    ["rules", "list"],
)
VALUES: tuple[object, ...] = (
    *("$CANARY", "${CANARY}", "%(CANARY)s", "{CANARY}", "~/x", "../../..", "/dev/zero", "\0", "a\nb"),
    *(10**30, 2**63, 999_999_999, 1e300, -1, [], {}, "x" * 50_000),
)
RULE = {"tool_pattern": "Bash", "attention": 0.5, "summarizer": "stdout"}
LISTS: dict[str, dict[str, Any]] = {
    "many words": {
        "rules": [{**RULE, "id": f"r{n}", "content_pattern": f"w{n}"} for n in range(6_000)]
    },
    "many patterns": {
        "rules": [
            {**RULE, "id": f"r{n}", "content_pattern": f"(x{n}|y)[a-z]{{0,99}}z"} for n in range(3_000)
        ]
    },
    "no rules": {"rules": "x" * 200_000},
    "wrong rules": {"rules": [{"id": ["y" * 9_000], "tool_pattern": {}, "summarizer": []}] * 20},
    "many redactions": {
        "redaction": {
            "patterns": [{"id": f"p{n}", "pattern": f"(x{n}|y)[a-z]{{0,99}}z"} for n in range(5_000)]
        }
    },
    "wrong redactions": {"redaction": {"patterns": {}, "allow": [[], {}]}},
    "environment": {"env": {"CANARY": "set", "PATH": "/nowhere"}, "environment": {"CANARY": "set"}},
}


def write(cli: Cli, settings: dict[str, Any]) -> None:
    (cli.root / "memory-config.json").write_text(json.dumps(settings))


@requirement("trust:settings:harmless")
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_no_value_of_a_setting_breaks_a_command_or_is_expanded(cli: Cli, value: object) -> None:
    cli.save()
    cli.env["CANARY"] = "sings"
    settings: dict[str, Any] = {}
    for key in SETTINGS:
        section = settings
        *above, name = key.split(".")
        for part in above:
            section = section.setdefault(part, {})
        section[name] = value
    write(cli, settings)

    for words in COMMANDS:
        with bounded(SECONDS):
            done = cli(*words)
        assert done.exit_code != UNEXPECTED, (words, done.err)
        assert "sings" not in done.out + done.err


@requirement("trust:settings:harmless")
@pytest.mark.parametrize("name", LISTS)
def test_no_list_of_rules_or_patterns_hangs_a_command(cli: Cli, name: str) -> None:
    cli.save()
    write(cli, LISTS[name])
    before = dict(os.environ)

    for words in (*COMMANDS, ["rules", "check"], ["doctor"], ["save", "--file", "-"]):
        with bounded(SECONDS):
            done = cli(*words, stdin="{}")
        assert done.exit_code != UNEXPECTED, (words, done.err)
        assert len(done.err) < 100_000
    assert dict(os.environ) == before


@requirement("trust:settings:harmless")
def test_more_rules_or_patterns_than_anybody_needs_are_refused_by_number(cli: Cli) -> None:
    write(cli, LISTS["many words"])
    assert "rules has 6,000 entries; at most 100 are allowed" in cli("rules", "check").err

    write(cli, LISTS["many redactions"])
    assert "redaction.patterns has 5,000 entries; at most 100 are allowed" in cli("list").err
