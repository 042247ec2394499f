"""Which harnesses are in use here?"""

from pathlib import Path

import pytest

from recollect.agents.launch import Launch
from recollect.app.connections import SERVE, Connections
from recollect.app.opening import hook_command
from recollect.clock import utc_now


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def detect(home: Path, folder: Path, env: dict[str, str]) -> list[str]:
    return Connections(
        folder, home, env, home / "backups", Launch(hook_command, SERVE), utc_now
    ).present()


@pytest.mark.parametrize(
    ("name", "harness"),
    [
        (".claude/settings.json", "claude-code"),
        ("CLAUDE.md", "claude-code"),
        (".codex/config.toml", "codex"),
        (".cursor/rules/a.mdc", "cursor"),
        (".gemini/settings.json", "gemini"),
        ("opencode.jsonc", "opencode"),
        (".opencode/plugins/a.ts", "opencode"),
    ],
)
def test_a_harness_is_found_by_what_it_leaves_in_the_project(
    name: str, harness: str, folder: Path, home: Path
) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()

    assert detect(home, folder, {}) == [harness]


def test_the_memory_root_alone_is_no_sign_of_claude_code(folder: Path, home: Path) -> None:
    assert (folder / ".claude" / "memory").is_dir()
    assert detect(home, folder, {}) == []


def test_a_harness_is_found_by_its_folder_in_the_home(folder: Path, home: Path) -> None:
    for name in (".claude", ".codex", ".cursor", ".gemini", ".config/opencode"):
        (home / name).mkdir(parents=True)

    assert detect(home, folder, {}) == ["claude-code", "codex", "cursor", "gemini", "opencode"]


def test_a_harness_is_found_by_its_program(folder: Path, home: Path, tmp_path: Path) -> None:
    program = tmp_path / "cursor-agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert detect(home, folder, {"PATH": str(tmp_path)}) == ["cursor"]


@pytest.mark.parametrize(
    ("variable", "made", "harness"),
    [
        ("CLAUDE_CONFIG_DIR", ".", "claude-code"),
        ("CODEX_HOME", ".", "codex"),
        ("CURSOR_CONFIG_DIR", ".", "cursor"),
        ("GEMINI_CLI_HOME", ".gemini", "gemini"),
        ("OPENCODE_CONFIG_DIR", ".", "opencode"),
        ("XDG_CONFIG_HOME", "opencode", "opencode"),
    ],
)
def test_a_harness_is_found_where_its_user_has_moved_its_settings(
    variable: str, made: str, harness: str, folder: Path, home: Path, tmp_path: Path
) -> None:
    env = {variable: str(tmp_path / "moved")}

    assert detect(home, folder, env) == []
    (tmp_path / "moved" / made).mkdir(parents=True)
    assert detect(home, folder, env) == [harness]


def test_settings_that_were_moved_away_from_the_home_are_not_looked_for_there(
    folder: Path, home: Path, tmp_path: Path
) -> None:
    for name in (".claude", ".codex", ".gemini", ".config/opencode"):
        (home / name).mkdir(parents=True)
    moved = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")

    assert detect(home, folder, dict.fromkeys(moved, str(tmp_path / "moved"))) == []


def test_a_relative_folder_is_looked_for_from_the_project(folder: Path, home: Path) -> None:
    (folder / "mine").mkdir()

    assert detect(home, folder, {"CODEX_HOME": "mine"}) == ["codex"]


@pytest.mark.parametrize("value", ["", "x" * 5000])
def test_a_variable_that_names_no_folder_of_its_own_is_no_sign_of_a_harness(
    value: str, folder: Path, home: Path
) -> None:
    assert detect(home, folder, {"CLAUDE_CONFIG_DIR": value}) == []
