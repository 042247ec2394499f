"""What `init` and `uninstall` do about the harnesses of a project."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.cli.test_setup import everything
from tests.requirements import requirement

from recollect.agents.harnesses import NAMES, get_harness
from recollect.installation import how_to_add
from recollect.paths import data_folder

SETTINGS = '{\n  "model": "größe",\n  "hooks": {}\n}\n'
FILE = ".claude/settings.json"


@pytest.fixture
def claude(bare: Cli) -> Cli:
    """A project in which Claude Code is in use."""
    (bare.folder / ".claude").mkdir()
    (bare.folder / FILE).write_text(SETTINGS)
    return bare


def _step(what: str, action: str, why: str = "") -> dict[str, str]:
    return {"what": what, "action": action, "why": why, "by_hand": ""}


def text(cli: Cli) -> str:
    return (cli.folder / FILE).read_text()


@requirement("connections:init:diff")
def test_init_shows_the_exact_change_and_does_nothing_without_a_yes(claude: Cli) -> None:
    done = claude.ok("init")

    assert f"claude-code would change {FILE}:" in done.out
    assert "UserPromptSubmit" in done.out
    assert '    -  "hooks": {}' in done.out
    assert "use --yes to connect it" in done.out
    assert text(claude) == SETTINGS
    assert not (claude.folder / ".mcp.json").exists()
    assert claude.root.is_dir()


def test_init_with_yes_connects_and_keeps_a_backup(claude: Cli) -> None:
    steps = claude.ok("init", "--yes", "--json").json()["steps"]

    assert _step(f"claude-code: {FILE}", "changed") in steps
    assert _step("claude-code: .mcp.json", "created") in steps
    settings = json.loads(text(claude))
    assert settings["model"] == "größe"
    assert "UserPromptSubmit" in settings["hooks"]
    assert "recollect" in json.loads((claude.folder / ".mcp.json").read_text())["mcpServers"]
    [backup] = Path(data_folder(claude.env)).glob("backups/**/settings.json")
    assert backup.read_text() == SETTINGS


def test_a_second_init_changes_no_byte(claude: Cli) -> None:
    claude.ok("init", "--yes")
    before = everything(claude.folder)

    steps = claude.ok("init", "--yes", "--json").json()["steps"]

    assert everything(claude.folder) == before
    assert _step("claude-code", "kept", "already connected") in steps


def test_uninstall_restores_the_files_byte_for_byte(claude: Cli) -> None:
    before = everything(claude.folder)
    claude.ok("init", "--yes")

    steps = claude.ok("uninstall", "--json").json()["steps"]

    assert everything(claude.folder) == before
    done = {step["what"]: step["action"] for step in steps}
    assert done[f"claude-code: {FILE}"] == "changed"
    assert done["claude-code: .mcp.json"] == "removed"


def test_uninstall_takes_out_what_an_earlier_version_wrote(claude: Cli) -> None:
    before = everything(claude.folder)
    claude.ok("init", "--yes")
    (claude.folder / FILE).write_text(text(claude).replace(" || true", ""))

    claude.ok("uninstall", "--yes")

    assert everything(claude.folder) == before


def test_init_says_what_is_left_to_do_for_what_it_connected(claude: Cli) -> None:
    assert claude.ok("init", "--json").json()["notes"] == []
    left = f"claude-code: {get_harness('claude-code').approval.step}."

    assert f"Next: {left}" in claude.ok("init", "--yes").out
    assert claude.ok("init", "--json").json()["notes"] == [left]


def test_init_that_finds_no_harness_says_which_it_looked_for_and_how_to_name_one(bare: Cli) -> None:
    [note] = bare.ok("init", "--json").json()["notes"]

    assert all(name in note for name in NAMES)
    assert "--harness NAME" in note
    assert note in bare.ok("init").out
    assert bare.ok("init", "--no-harness", "--json").json()["notes"] == []


def test_init_leaves_a_harness_that_its_plugin_connects_alone_unless_it_is_named(claude: Cli) -> None:
    home = Path(claude.env["HOME"]) / ".claude"
    home.mkdir(parents=True)
    (home / "settings.json").write_text('{"enabledPlugins": {"memory@recollect": true}}')

    steps = claude.ok("init", "--yes", "--json").json()["steps"]

    assert _step("claude-code", "kept", "connected by its plugin") in steps
    assert text(claude) == SETTINGS
    assert "by its plugin" in claude.ok("uninstall", "--yes").out
    claude.ok("init", "--harness", "claude-code", "--yes")
    assert "UserPromptSubmit" in text(claude)


def test_init_knows_a_plugin_that_is_kept_where_claude_code_was_moved(
    claude: Cli, tmp_path: Path
) -> None:
    moved = tmp_path / "accounts" / "work"
    moved.mkdir(parents=True)
    (moved / "settings.json").write_text('{"enabledPlugins": {"memory@recollect": true}}')
    claude.env["CLAUDE_CONFIG_DIR"] = str(moved)

    steps = claude.ok("init", "--yes", "--json").json()["steps"]

    assert _step("claude-code", "kept", "connected by its plugin") in steps
    assert text(claude) == SETTINGS
    assert "by its plugin" in claude.ok("uninstall", "--yes").out


def test_no_harness_connects_none(claude: Cli) -> None:
    done = claude.ok("init", "--no-harness", "--yes")

    assert "claude-code" not in done.out
    assert text(claude) == SETTINGS


def test_a_named_harness_is_connected_although_nothing_of_it_is_here(bare: Cli) -> None:
    bare.ok("init", "--harness", "codex", "--harness", "gemini", "--yes")

    assert (bare.folder / ".codex/hooks.json").exists()
    assert (bare.folder / ".gemini/settings.json").exists()
    assert not (bare.folder / FILE).exists()


def test_an_unknown_harness_is_refused_before_anything_is_made(bare: Cli) -> None:
    done = bare("init", "--harness", "emacs", "--yes")

    assert done.exit_code == 5
    assert "'emacs'" in done.err
    assert everything(bare.folder) == {}


@pytest.mark.parametrize(("answer", "connected"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_init_asks(claude: Cli, answer: str, connected: bool) -> None:
    with terminal(claude, "init") as shown:
        shown.answer("Connect claude-code?", answer)
        assert shown.finish() == 0

    assert (text(claude) != SETTINGS) is connected


def test_a_file_that_cannot_be_changed_is_left_alone_with_advice(claude: Cli) -> None:
    (claude.folder / FILE).write_text('{ "a": [/x] }')

    done = claude.ok("init", "--yes")

    assert "was left alone" in done.out
    assert text(claude) == '{ "a": [/x] }'
    assert (claude.folder / ".mcp.json").exists()


def test_what_to_add_by_hand_is_what_init_would_have_written(claude: Cli) -> None:
    (claude.folder / FILE).write_text('{ "a": [/x] }')
    shown = claude.ok("init", "--yes").out
    steps = claude.ok("init", "--yes", "--json").json()["steps"]

    [by_hand] = [step["by_hand"] for step in steps if step["what"] == f"claude-code: {FILE}"]

    assert by_hand in shown
    (claude.folder / FILE).write_text(by_hand)
    steps = claude.ok("init", "--yes", "--json").json()["steps"]
    assert _step("claude-code", "kept", "already connected") in steps


@pytest.mark.parametrize("harness", ["claude-code", "gemini", "cursor"])
def test_a_settings_file_with_comments_is_connected_and_given_back(bare: Cli, harness: str) -> None:
    file = bare.folder / get_harness(harness).files.hooks_file
    file.parent.mkdir(exist_ok=True)
    file.write_text('{\n  // our choice\n  "version": 1, // for Cursor\n}\n')
    before = everything(bare.folder)

    bare.ok("init", "--harness", harness, "--yes")

    assert "// our choice" in file.read_text()
    assert "recollect-hook" in file.read_text()
    [row] = [row for row in bare.ok("status", "--json").json()["harnesses"] if row["connected"]]
    assert row["name"] == harness
    bare.ok("uninstall", "--yes")
    assert everything(bare.folder) == before


def test_a_settings_file_that_cannot_be_read_says_which_and_what_to_do(claude: Cli) -> None:
    (claude.folder / FILE).write_bytes(b"\xff\xfe")

    done = claude("init", "--yes")

    assert done.exit_code == 7
    assert FILE in done.err
    assert "leave this harness out" in done.err
    assert claude.ok("init", "--no-harness", "--yes").exit_code == 0


@requirement("connections:server:package")
@pytest.mark.parametrize("command", [["init", "--harness", "claude-code", "--yes"], ["status"]])
def test_a_missing_package_of_the_server_is_named_where_a_harness_is_connected(
    bare: Cli, command: list[str]
) -> None:
    """`pip install recollect` brings no MCP library, and a harness only says that it cannot connect."""
    assert "recollect[mcp]" not in bare.ok("init", "--harness", "claude-code", "--yes").out
    program = (
        "import sys; sys.modules['mcp'] = None\n"
        "from recollect.cli.main import main\n"
        f"sys.argv[1:] = {command!r}; main()"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=bare.folder,
        env=bare.env,
        capture_output=True,
        text=True,
        check=True,
    )

    text = " ".join(done.stdout.split())
    assert f"run `{how_to_add('mcp')}`, then `recollect init`: the MCP server cannot start" in text
