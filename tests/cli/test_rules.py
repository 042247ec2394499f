"""`rules list`, `rules check` and `rules test`."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches
from tests.requirements import requirement

from recollect.agents.harnesses import all_tools
from recollect.app.opening import hook_command
from recollect.working.default_rules import default_rules

DEFAULT_RULES = default_rules(all_tools())

GOLDEN = Path(__file__).parents[1] / "golden" / "agents"
DEPLOY = {
    "id": "deploys",
    "tool_pattern": "Bash",
    "content_pattern": "deploy(ed)? to \\w+",
    "attention": 0.9,
    "summarizer": "stdout",
}


def configure(cli: Cli, *rules: dict[str, Any]) -> None:
    (cli.root / "memory-config.json").write_text(json.dumps({"rules": rules}))


def test_the_rules_in_force_are_listed_in_order(cli: Cli) -> None:
    configure(cli, DEPLOY, {"id": "file-edited", "enabled": False})

    told = cli.ok("rules", "list", "--json").json()

    assert mismatches(told, SHAPES["rules list"]) == []
    assert [rule["id"] for rule in told["rules"]] == [
        "deploys",
        *(rule.id for rule in DEFAULT_RULES if rule.id != "file-edited"),
    ]
    assert told["rules"][0]["origin"].endswith("memory-config.json")
    assert "deploys" in cli.ok("rules", "list").out


@requirement("rules:cli:matches")
def test_the_list_says_how_often_each_rule_matched(cli: Cli) -> None:
    event = {
        "session_id": "s1",
        "cwd": str(cli.folder),
        "tool_name": "Edit",
        "tool_input": {"file_path": str(cli.folder / "a.py")},
    }
    for _ in range(2):
        command = hook_command("claude-code", "PostToolUse")
        subprocess.run(command, input=json.dumps(event).encode(), env=cli.env, check=True)

    rules = cli.ok("rules", "list", "--json").json()["rules"]

    assert {rule["id"]: rule["matches"] for rule in rules if rule["matches"]} == {"file-edited": 2}
    assert "matched 2x" in cli.ok("rules", "list").out


@pytest.mark.parametrize(("pattern", "exit_code"), [("error|fail", 0), ("(?=a)b", 5), ("(", 5)])
def test_a_pattern_is_checked_and_the_exit_code_says_so(cli: Cli, pattern: str, exit_code: int) -> None:
    done = cli("rules", "check", "--pattern", pattern, "--json")

    assert done.exit_code == exit_code
    assert mismatches(done.json(), SHAPES["rules check"]) == []
    assert done.json()["safe"] is (exit_code == 0)
    assert ("reason" in done.json()) is (exit_code == 5)


def test_a_person_reads_why_a_pattern_is_refused(bare: Cli) -> None:
    """It needs no project."""
    done = bare("rules", "check", "--pattern", "(?=a)b")

    assert done.exit_code == 5
    assert "look-ahead is not supported" in done.out
    assert "linear" in bare.ok("rules", "check", "--pattern", "a|b").out


def test_the_rules_of_a_project_are_checked(cli: Cli) -> None:
    configure(cli, DEPLOY)

    told = cli.ok("rules", "check", "--json").json()

    assert mismatches(told, SHAPES["rules check"]) == []
    assert told["checked"] == len(DEFAULT_RULES) + 1
    assert "every pattern is safe" in cli.ok("rules", "check").out


def test_with_a_refused_pattern_no_command_starts(cli: Cli) -> None:
    configure(cli, DEPLOY | {"content_pattern": "(?<!x)y"})

    for command in (("rules", "list"), ("list",), ("search", "x")):
        done = cli(*command)
        assert done.exit_code == 5
        assert "'deploys'" in done.err
        assert "(?<!x)y" in done.err


def test_rules_that_overlap_are_warned_of(cli: Cli) -> None:
    configure(cli, DEPLOY | {"id": "everything", "content_pattern": ""}, DEPLOY)

    done = cli.ok("rules", "check")

    assert "everything comes before deploys" in done.err


def test_a_recorded_output_is_run_through_the_rules(cli: Cli, tmp_path: Path) -> None:
    configure(cli, DEPLOY)
    file = tmp_path / "out.txt"
    file.write_text("deployed to staging with ghp_x9Kd2LmQ7RtYb4WnZc8VfHj3PsGa6EuT1oXi\n")

    done = cli.ok(
        "rules", "test", str(file), "--tool", "Bash", "--command", "make ship", "--failed", "--json"
    )
    told = done.json()

    assert mismatches(told, SHAPES["rules test"]) == []
    assert told["kept"]["rule"] == "deploys"
    assert told["kept"]["content"] == "make ship\ndeployed to staging with [REDACTED]"
    assert told["kept"]["redacted"]
    assert [also["rule"] for also in told["also"]] == ["failed-command"]
    shown = cli.ok("rules", "test", str(file), "--tool", "Bash", "--failed").out
    assert "deploys extracts" in shown
    assert "also matches: failed-command" in shown


@pytest.mark.parametrize(
    ("event", "rule"),
    [
        ("claude-code/tool-failed", "failed-command"),
        ("claude-code/tool-after-read", "spec-read"),
        ("codex/tool-after", "git-commit"),
        ("cursor/edit-after", "file-edited"),
        ("gemini/tool-after", None),
        ("opencode/tool-after", None),
    ],
)
def test_the_event_of_any_harness_can_be_tried(
    cli: Cli, tmp_path: Path, event: str, rule: str | None
) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(json.loads((GOLDEN / f"{event}.json").read_text())["stdin"]))

    told = cli.ok("rules", "test", str(file), "--json").json()

    assert mismatches(told, SHAPES["rules test"]) == []
    assert (told["kept"]["rule"] if told["kept"] else None) == rule


def test_an_output_that_no_rule_wants_says_so(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("fine\n")

    assert "No rule matches" in cli.ok("rules", "test", str(file), "--tool", "Bash").out


@pytest.mark.parametrize("text", ["plain text", "{}", '{"hook_event_name": "Stop"}', "[]"])
def test_what_is_no_event_of_a_tool_is_refused(cli: Cli, tmp_path: Path, text: str) -> None:
    file = tmp_path / "event.json"
    file.write_text(text)

    assert cli("rules", "test", str(file)).exit_code == 5


def test_a_file_that_is_not_there_is_named(cli: Cli) -> None:
    done = cli("rules", "test", "nowhere.json")

    assert done.exit_code == 3
    assert "nowhere.json" in done.err
