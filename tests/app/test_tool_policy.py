"""Rules about MCP tools that a user has in a harness hold behind the gateway too."""

import json
import os
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.app.tool_policy import HarnessRules
from recollect.gateway.policy import decide
from recollect.gateway.tool import UpstreamTool

WRITE, READ = UpstreamTool("files", "write_file"), UpstreamTool("files", "read_file")
CLAUDE = {"permissions": {"allow": ["mcp__files"], "deny": ["mcp__files__write_file", "Bash(rm:*)"]}}
FILES: list[tuple[str, str, str]] = [
    ("claude-code", ".claude/settings.json", json.dumps(CLAUDE)),
    ("codex-mcp-client", ".codex/config.toml", '[mcp_servers.files]\ndisabled_tools = ["write_file"]'),
    ("codex-mcp-client", ".codex/config.toml", '[mcp_servers.files]\nenabled_tools = ["read_file"]'),
    (
        "gemini-cli-mcp-client",
        ".gemini/settings.json",
        json.dumps({"mcpServers": {"files": {"excludeTools": ["write_file"]}}}),
    ),
    (
        "cursor-vscode",
        ".cursor/cli-config.json",
        json.dumps({"permissions": {"deny": ["Mcp(files:write_*)"]}}),
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        json.dumps({"permission": {"files_write*": "deny", "bash": {"*": "ask"}}}),
    ),
    ("opencode", ".config/opencode/opencode.json", json.dumps({"tools": {"files_write_file": False}})),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def put(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


@requirement("gateway:policy:harness-rules")
@pytest.mark.parametrize(("client", "name", "text"), FILES)
@pytest.mark.parametrize("known", [True, False])
def test_a_tool_that_a_harness_denies_is_denied(
    home: Path, folder: Path, client: str, name: str, text: str, known: bool
) -> None:
    put(home, name, text)

    rules = HarnessRules(folder, {"HOME": str(home)}).of(client if known else "somebody")

    denied = decide(WRITE, rules)
    assert denied.effect == "deny"
    assert denied.rule is not None
    assert name.rsplit("/", maxsplit=1)[-1] in denied.rule.source
    assert decide(READ, rules).effect == "allow"


def test_rules_of_another_harness_do_not_hold_for_a_known_client(home: Path, folder: Path) -> None:
    put(home, ".claude/settings.json", json.dumps(CLAUDE))

    assert HarnessRules(folder, {"HOME": str(home)}).of("cursor-vscode") == ()


def test_a_cloned_project_can_forbid_and_cannot_permit(home: Path, folder: Path) -> None:
    put(folder, ".claude/settings.json", json.dumps(CLAUDE))

    rules = HarnessRules(folder, {"HOME": str(home)}).of("claude-code")

    assert [rule.effect for rule in rules] == ["deny"]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"permissions": 3}', '{"permissions": {"deny": [1, "x"]}}', "{"]
)
def test_settings_of_a_wrong_shape_have_no_rules(home: Path, folder: Path, text: str) -> None:
    for _, name, _ in FILES:
        put(home, name, text)

    assert HarnessRules(folder, {"HOME": str(home)}).of("") == ()


def test_an_allowance_for_certain_arguments_is_not_one_for_all(home: Path, folder: Path) -> None:
    entry = "mcp__files__write_file(path:/tmp/*)"
    put(home, ".claude/settings.json", json.dumps({"permissions": {"allow": [entry], "ask": [entry]}}))

    rules = HarnessRules(folder, {"HOME": str(home)}).of("claude-code")

    assert [rule.effect for rule in rules] == ["ask"]


@requirement("gateway:policy:harness-rules")
def test_a_rule_that_is_changed_added_or_removed_while_we_run_acts_at_once(
    home: Path, folder: Path
) -> None:
    rules = HarnessRules(folder, {"HOME": str(home)})
    settings = home / ".claude" / "settings.json"
    effects = [decide(WRITE, rules.of("claude-code")).effect]
    for effect in ("ask", "deny", "ask"):
        put(home, ".claude/settings.json", json.dumps({"permissions": {effect: ["mcp__files__*"]}}))
        effects.append(decide(WRITE, rules.of("claude-code")).effect)
    two_days_ago = settings.stat().st_mtime - 2 * 86_400
    os.utime(settings, (two_days_ago, two_days_ago))
    effects.append(decide(WRITE, rules.of("claude-code")).effect)
    settings.unlink()
    effects.append(decide(WRITE, rules.of("claude-code")).effect)

    assert effects == ["allow", "ask", "deny", "ask", "ask", "allow"]
