"""`gateway import --take-over`: Recollect in place of the servers of a harness, until `uninstall`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.requirements import requirement

from recollect.cli.exits import Exit

TIME = {"command": "uvx", "args": ["mcp-server-time"], "env": {"TZ": "${TZ:-UTC}"}}
USUAL = json.dumps(
    {"theme": "größe", "mcpServers": {"time": TIME, "other": {"command": "x"}}}, indent=4
)
CODEX = '# mine\n[mcp_servers.time]\ncommand = "uvx"\nargs = ["mcp-server-time"]\nenv = {TZ = "${TZ:-UTC}"}\n'
OPENCODE = json.dumps(
    {
        "mcp": {
            "time": {"type": "local", "command": ["uvx", "mcp-server-time"], "environment": TIME["env"]}
        }
    }
)
USER_FILES = {
    ".claude.json": USUAL,
    ".config/Claude/claude_desktop_config.json": USUAL,
    ".cursor/mcp.json": USUAL,
    ".config/Code/User/mcp.json": json.dumps(
        {"servers": {"time": {"type": "stdio", **TIME}}}, indent=2
    ),
    ".codex/config.toml": CODEX,
    ".gemini/settings.json": USUAL,
    ".config/opencode/opencode.json": OPENCODE,
}
PROJECT_FILES = {
    ".mcp.json": USUAL,
    ".cursor/mcp.json": USUAL,
    ".vscode/mcp.json": USER_FILES[".config/Code/User/mcp.json"],
    ".codex/config.toml": CODEX,
    ".gemini/settings.json": USUAL,
    "opencode.json": OPENCODE,
}
COMMAND = ("gateway", "import", "time", "--take-over")


def put(folder: Path, files: dict[str, str]) -> list[Path]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return [folder / name for name in files]


def home(cli: Cli) -> Path:
    return Path(cli.env["HOME"])


@requirement("gateway:takeover:consent")
@requirement("gateway:takeover:restored")
def test_the_files_of_every_harness_are_taken_over_and_restored(cli: Cli) -> None:
    users, projects = put(home(cli), USER_FILES), put(cli.folder, PROJECT_FILES)
    cli.env["PATH"] = str(Path(sys.executable).parent)

    done = cli.ok(*COMMAND, "--yes", "--json").json()

    assert done["added"] == ["time"]
    assert {row["path"] for row in done["files"]} == {str(path) for path in (*users, *projects)}
    for path in (*users, *projects):
        assert "mcp-server-time" not in path.read_text()
        assert "serve" in path.read_text()
    listed = cli.ok("gateway", "list", "--json").json()["servers"]
    assert [row["name"] for row in listed] == ["time"]
    cli.ok("uninstall", "--yes")
    assert {path: path.read_text() for path in users} == dict(
        zip(users, USER_FILES.values(), strict=True)
    )
    texts = dict(zip(projects, PROJECT_FILES.values(), strict=True))
    assert {path: path.read_text() for path in projects} == texts


@requirement("gateway:takeover:consent")
def test_a_file_of_the_team_names_a_command_on_path_and_no_path_of_this_machine(cli: Cli) -> None:
    [path] = put(cli.folder, {".mcp.json": USUAL})
    cli.env["PATH"] = str(Path(sys.executable).parent)

    cli.ok(*COMMAND, "--yes")

    entry = json.loads(path.read_text())["mcpServers"]["recollect"]
    assert (entry["command"], entry["args"]) == ("recollect", ["serve"])
    assert str(Path(sys.executable).parent) not in path.read_text()


@requirement("gateway:takeover:consent")
def test_what_it_starts_imports_nothing_from_a_repository(cli: Cli) -> None:
    """PYTHONPATH=. in a shell is common, and a repository may ship a `recollect` or a `queue` of its own."""
    [path] = put(cli.folder, {".mcp.json": USUAL})
    cli.env["PATH"] = str(Path(sys.executable).parent)
    cli.ok(*COMMAND, "--yes")
    put(cli.folder, dict.fromkeys(("recollect/__init__.py", "queue.py"), "raise SystemExit(7)\n"))
    entry = json.loads(path.read_text())["mcpServers"]["recollect"]

    env = {**cli.env, "PYTHONPATH": ".", **entry["env"]}
    done = subprocess.run(
        [entry["command"], "--version"], cwd=cli.folder, env=env, capture_output=True, check=False
    )

    assert (done.returncode, done.stdout[:9]) == (0, b"recollect")


@requirement("gateway:takeover:refused")
def test_a_file_of_the_team_is_left_alone_while_our_command_is_not_on_path(cli: Cli) -> None:
    [path] = put(cli.folder, {".mcp.json": USUAL})
    cli.env["PATH"] = "/nonexistent"

    done = cli(*COMMAND, "--yes")

    assert done.exit_code == Exit.INVALID
    assert "not on your PATH" in done.out
    assert path.read_text() == USUAL


@pytest.mark.parametrize("options", [["--dry-run"], ["--dry-run", "--yes"], []])
@requirement("gateway:takeover:consent")
def test_without_consent_the_difference_is_shown_and_nothing_changes(
    cli: Cli, options: list[str]
) -> None:
    [path] = put(home(cli), {".cursor/mcp.json": USUAL})

    shown = cli.ok(*COMMAND, *options)
    as_json = cli.ok(*COMMAND, *options, "--json").json()

    assert '    -        "time": {' in shown.out
    [row] = as_json["files"]
    assert not row["is_changed"]
    assert any(line.startswith("-") and "time" in line for line in row["diff"])
    assert any(line.startswith("+") and "recollect" in line for line in row["diff"])
    assert path.read_text() == USUAL
    assert cli.ok("gateway", "list", "--json").json()["servers"] == []


@pytest.mark.parametrize(("answer", "is_changed"), [("n", False), ("y", True)])
@requirement("gateway:takeover:consent")
def test_on_a_terminal_it_asks(cli: Cli, answer: str, is_changed: bool) -> None:
    [path] = put(home(cli), {".cursor/mcp.json": USUAL})

    with terminal(cli, *COMMAND) as screen:
        screen.answer("[y/N]", answer)
        screen.finish()

    assert (path.read_text() != USUAL) is is_changed


@requirement("gateway:takeover:restored")
def test_a_file_that_the_user_changed_since_keeps_the_change_and_uninstall_says_so(cli: Cli) -> None:
    [path] = put(home(cli), {".cursor/mcp.json": USUAL})
    cli.ok(*COMMAND, "--yes")
    edited = json.loads(path.read_text())
    edited["mcpServers"]["mine"] = {"command": "y"}
    path.write_text(json.dumps(edited))

    steps = cli.ok("uninstall", "--yes", "--json").json()["steps"]

    [step] = [step for step in steps if step["what"] == str(path)]
    assert "it had changed" in step["why"]
    servers = json.loads(path.read_text())["mcpServers"]
    assert servers == {"other": {"command": "x"}, "mine": {"command": "y"}, "time": TIME}


@requirement("gateway:takeover:restored")
def test_files_in_a_folder_of_the_project_are_restored_and_those_of_another_project_are_not(
    cli: Cli, tmp_path: Path
) -> None:
    inner, other = put(cli.folder / "api", {".mcp.json": USUAL}) + put(
        tmp_path / "other", {".mcp.json": USUAL}
    )
    cli.env["PATH"] = str(Path(sys.executable).parent)
    for path in (inner, other):
        cli.ok(*COMMAND, "--yes", cwd=path.parent)

    cli.ok("uninstall", "--yes")

    assert inner.read_text() == USUAL
    assert other.read_text() != USUAL


@requirement("gateway:takeover:restored")
def test_init_before_and_after_a_takeover_leaves_no_trace_either(cli: Cli) -> None:
    [path] = put(cli.folder, {".mcp.json": USUAL})
    cli.env["PATH"] = str(Path(sys.executable).parent)
    cli.ok("init", "--harness", "claude-code", "--yes")
    cli.ok(*COMMAND, "--yes")
    cli.ok("uninstall", "--yes")
    assert path.read_text() == USUAL

    cli.ok("init", "--no-harness")
    cli.ok(*COMMAND, "--yes")
    cli.ok("init", "--harness", "claude-code", "--yes")
    cli.ok("uninstall", "--yes")

    assert json.loads(path.read_text()) == json.loads(USUAL)


@requirement("gateway:takeover:restored")
def test_a_file_that_is_gone_is_not_created_and_a_broken_one_is_left_for_the_user(cli: Cli) -> None:
    gone, broken = put(home(cli), {".cursor/mcp.json": USUAL, ".gemini/settings.json": USUAL})
    cli.ok(*COMMAND, "--yes")
    gone.unlink()
    broken.write_text(broken.read_text() + "/* mine")

    steps = cli.ok("uninstall", "--yes", "--json").json()["steps"]

    reasons = {step["what"]: step["why"] for step in steps}
    assert "it no longer exists" in reasons[str(gone)]
    assert "restore what it had by hand" in reasons[str(broken)]
    assert not gone.exists()
    assert broken.read_text().endswith("/* mine")


SECRET = "sk-ant-api03-" + "a1B2c3D4e5" * 8


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"command": "x", "env": {"API_KEY": SECRET}}, "looks like a secret"),
        ({"command": "x", "args": ["--api-key", SECRET]}, "looks like a secret"),
        ({"url": "https://e.example/mcp", "headers": {"Authorization": f"Bearer {SECRET}"}}, "secret"),
        ({"url": f"https://e.example/mcp?api_key={SECRET}"}, "looks like a secret"),
        (
            {"command": "x", "excludeTools": ["rm"]},
            "`excludeTools`, which the gateway does not support",
        ),
        ({"command": "x", "envFile": ".env"}, "`envFile`"),
        ({"command": "x", "env": {"KEY": "${input:key}"}}, "`${input:key}`"),
        ({"command": "x", "args": ["${workspaceFolder}/x"]}, "`${workspaceFolder}`"),
        ({"command": "./server"}, "a different program in another folder"),
        ({"command": 3}, "it must be text"),
    ],
)
@requirement("gateway:takeover:refused")
def test_a_server_that_cannot_be_taken_over_without_loss_stays_where_it_is(
    cli: Cli, entry: dict[str, object], reason: str
) -> None:
    [path] = put(home(cli), {".cursor/mcp.json": json.dumps({"mcpServers": {"a": entry}})})
    before = path.read_text()

    done = cli("gateway", "import", "a", "--take-over", "--yes", "--json")

    assert done.exit_code == Exit.INVALID
    assert reason in done.json()["refused"]["a"]
    assert path.read_text() == before
    everything = [file.read_text("utf-8", "replace") for file in _own_files(cli)]
    assert SECRET not in done.out + "".join(everything)


def _own_files(cli: Cli) -> list[Path]:
    own = Path(cli.env.get("RECOLLECT_HOME") or home(cli) / ".local/share/recollect")
    return [path for path in own.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("text", "mode", "reason"),
    [
        (
            '{"mcpServers": {"time": {"command": "x"}, "recollect": {"command": "y"}}}',
            0o600,
            "another server",
        ),
        (USUAL, 0o400, "you have no permission to write it"),
    ],
)
@requirement("gateway:takeover:refused")
def test_a_file_that_cannot_be_changed_is_left_alone_with_the_reason(
    cli: Cli, text: str, mode: int, reason: str
) -> None:
    if mode == 0o400 and os.getuid() == 0:
        pytest.skip("root may write every file")
    [path] = put(home(cli), {".cursor/mcp.json": text})
    path.chmod(mode)

    done = cli(*COMMAND, "--yes", "--json")

    assert done.exit_code == Exit.INVALID
    assert reason in done.json()["refused"][str(path)]
    assert path.read_text() == text
    assert cli.ok("gateway", "list", "--json").json()["servers"] == []


@requirement("gateway:takeover:refused")
def test_a_link_out_of_the_project_is_left_alone_and_a_users_link_is_followed(
    cli: Cli, tmp_path: Path
) -> None:
    target, mine = put(tmp_path / "elsewhere", {"a.json": USUAL, "b.json": USUAL})
    (cli.folder / ".mcp.json").symlink_to(target)
    (home(cli) / ".cursor").mkdir(parents=True)
    (home(cli) / ".cursor/mcp.json").symlink_to(mine)
    cli.env["PATH"] = str(Path(sys.executable).parent)

    done = cli(*COMMAND, "--yes", "--json").json()

    assert "leaves the project" in done["refused"][str(cli.folder / ".mcp.json")]
    assert target.read_text() == USUAL
    assert (home(cli) / ".cursor/mcp.json").is_symlink()
    assert "mcp-server-time" not in mine.read_text()


def test_the_record_of_a_takeover_is_private(cli: Cli) -> None:
    put(home(cli), {".cursor/mcp.json": USUAL})
    cli.ok(*COMMAND, "--yes")

    [record] = [path for path in _own_files(cli) if path.name == "gateway-takeovers.json"]
    assert record.stat().st_mode & 0o777 == 0o600


def test_a_file_on_one_long_line_is_shown_in_short_and_names_what_goes(cli: Cli) -> None:
    text = json.dumps({"mcpServers": {"time": TIME}, "history": ["x" * 100] * 10_000})
    [path] = put(home(cli), {".claude.json": text})

    shown = cli.ok(*COMMAND, "--dry-run").out

    assert f"{path} would have recollect instead of time" in " ".join(shown.split())
    assert len(shown) < 5_000


def test_the_shown_difference_has_no_secret_of_a_neighbour(cli: Cli) -> None:
    servers = {"a": {"command": "x"}, "b": {"command": "y", "env": {"API_KEY": SECRET}}}
    put(home(cli), {".cursor/mcp.json": json.dumps({"mcpServers": servers})})

    assert SECRET not in cli.ok("gateway", "import", "a", "--take-over", "--dry-run").out
    assert SECRET not in cli.ok("gateway", "import", "a", "--take-over", "--dry-run", "--json").out
