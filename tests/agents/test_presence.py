"""Which harnesses are there?"""

from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.agents.install import detect


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


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
@requirement("agents:detect:by-traces")
def test_a_harness_is_found_by_what_it_leaves_in_the_project(
    name: str, harness: str, folder: Path, home: Path
) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()

    assert detect(home, folder, path="") == [harness]


def test_the_memory_root_alone_is_no_sign_of_claude_code(folder: Path, home: Path) -> None:
    assert (folder / ".claude" / "memory").is_dir()
    assert detect(home, folder, path="") == []


def test_a_harness_is_found_by_its_folder_in_the_home(folder: Path, home: Path) -> None:
    for name in (".claude", ".codex", ".cursor", ".gemini", ".config/opencode"):
        (home / name).mkdir(parents=True)

    assert detect(home, folder, path="") == ["claude-code", "codex", "cursor", "gemini", "opencode"]


def test_a_harness_is_found_by_its_program(folder: Path, home: Path, tmp_path: Path) -> None:
    program = tmp_path / "cursor-agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert detect(home, folder, path=str(tmp_path)) == ["cursor"]
