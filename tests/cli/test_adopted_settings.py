"""A folder of the claude-memory plugin: its settings are read, and what differs is said."""

import json
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

# As the plugin writes it, with each of its sections.
PLUGIN: dict[str, Any] = {
    "memory_root": ".claude/memory",
    "categories": {
        "session_summary": {
            "enabled": True,
            "folder": "sessions",
            "auto_capture": True,
            "retention_days": 30,
            "max_retained": 7,
        },
        "decision": {"enabled": True, "folder": "decisions", "auto_capture": True, "retention_days": 0},
    },
    "auto_commit": False,
    "max_memories_per_category": 100,
    "retrieval": {"enabled": True, "max_inject": 5, "match_strategy": "title_tags"},
    "triage": {"enabled": True, "max_messages": 50, "thresholds": {"decision": 0.4}},
    "delete": {"grace_period_days": 45, "archive_retired": True},
}
COMMAND = "recollect config retrieval.match_strategy fts5_bm25"


def adopt(cli: Cli, settings: dict[str, Any]) -> None:
    root = cli.folder / ".claude" / "memory"
    root.mkdir(parents=True)
    (root / "memory-config.json").write_text(json.dumps(settings))


def said(cli: Cli, command: str) -> list[str]:
    """The texts of a command that speak of the settings."""
    if command == "init":
        return [str(note) for note in cli.ok("init", "--no-harness", "--json").json()["notes"]]
    found = cli("doctor", "--json").json()["findings"]
    return [row["message"] for row in found if row["check"] == "settings"]


@requirement("retrieval:enabled:plugin-keys")
def test_the_settings_that_both_have_are_read_as_they_are(bare: Cli) -> None:
    adopt(bare, PLUGIN)
    bare.ok("init", "--no-harness")

    rows = {row["key"]: row["value"] for row in bare.ok("config", "--json").json()["settings"]}

    assert rows["retrieval.enabled"] == 1
    assert rows["retrieval.max_inject"] == 5
    assert rows["retrieval.match_strategy"] == "title_tags"
    assert rows["categories.session_summary.retention_days"] == 30
    assert rows["categories.session_summary.max_retained"] == 7
    assert rows["delete.grace_period_days"] == 45
    assert bare.ok("config", "--json").json()["problems"] == []


@requirement("retrieval:enabled:plugin-keys")
@pytest.mark.parametrize("command", ["init", "doctor"])
def test_settings_that_mean_nothing_here_are_named_once(bare: Cli, command: str) -> None:
    adopt(bare, PLUGIN)
    bare.ok("init", "--no-harness")

    [note] = [note for note in said(bare, command) if "have no effect here" in note]

    assert note.endswith(
        ": memory_root, auto_commit, max_memories_per_category, triage, delete.archive_retired, "
        "categories.*.enabled, categories.*.folder, categories.*.auto_capture"
    )


@requirement("retrieval:strategy:adopted")
@pytest.mark.parametrize("command", ["init", "doctor"])
def test_a_folder_that_uses_title_tags_is_told_so_with_the_command_that_changes_it(
    bare: Cli, command: str
) -> None:
    adopt(bare, {"retrieval": {"match_strategy": "title_tags"}})
    bare.ok("init", "--no-harness")

    [note] = said(bare, command)
    assert "title_tags" in note
    assert f"`{COMMAND}`" in note

    bare.ok(*COMMAND.split()[1:])
    assert said(bare, command) == []


@pytest.mark.parametrize("command", ["init", "doctor"])
def test_a_folder_with_none_of_this_is_told_nothing(cli: Cli, command: str) -> None:
    assert said(cli, command) == []
