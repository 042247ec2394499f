"""One repository, several people: what `init` writes suits all of them, and disturbs nobody without us."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.test_setup import everything
from tests.requirements import requirement

from recollect.agents.harnesses import NAMES

SHARED, LOCAL = ".claude/settings.json", ".claude/settings.local.json"


def at(cli: Cli, folder: Path, home: Path) -> Cli:
    """The command line of another person, with a home and a checkout of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    home.mkdir(parents=True, exist_ok=True)
    return Cli(folder, {**cli.env, "HOME": str(home)}, cli.monkeypatch)


def connect(cli: Cli) -> None:
    cli.ok("init", "--yes", *[word for name in NAMES for word in ("--harness", name)])


def hook_lines(settings: Path) -> list[str]:
    hooks = json.loads(settings.read_text())["hooks"]
    return [hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]]


@requirement("connections:shared:no-machine-paths")
def test_two_people_with_different_paths_write_the_same_bytes(bare: Cli, tmp_path: Path) -> None:
    ada = at(bare, tmp_path / "ada" / "src" / "shop", tmp_path / "home of ada")
    ben = at(bare, tmp_path / "ben" / "shop", tmp_path / "home of ben")

    connect(ada)
    connect(ben)

    ours, theirs = everything(ada.folder), everything(ben.folder)
    for files in (ours, theirs):
        del files[".claude/memory/project-id"]  # a checkout without a commit has an identity of its own
    assert ours == theirs
    paths = [str(tmp_path).encode(), sys.prefix.encode(), sys.executable.encode()]
    assert not [name for name, data in ours.items() if any(p in data for p in paths)]


@requirement("connections:shared:no-machine-paths")
def test_what_one_committed_the_others_init_does_not_change(bare: Cli, tmp_path: Path) -> None:
    ada = at(bare, tmp_path / "ada", tmp_path / "home of ada")
    ada.git("init", "-q", "-b", "main")
    connect(ada)
    ada.git("add", "-A")
    ada.git("commit", "-q", "-m", "Connect our agents")
    ada.git("clone", "-q", str(ada.folder), str(tmp_path / "ben" / "shop"))
    ben = at(bare, tmp_path / "ben" / "shop", tmp_path / "home of ben")

    connect(ben)

    assert ben.git("status", "--porcelain").out == ""


def test_paths_of_one_machine_that_an_earlier_version_wrote_are_replaced(bare: Cli) -> None:
    connect(bare)
    before = everything(bare.folder)
    settings = bare.folder / SHARED
    old = "/opt/old/bin/python -I -S /opt/old/recollect/hook/main.py claude-code"
    settings.write_text(settings.read_text().replace("env PYTHONPATH= recollect-hook claude-code", old))

    connect(bare)

    assert everything(bare.folder) == before


@requirement("agents:install:gone")
def test_a_colleague_without_recollect_is_not_disturbed(bare: Cli, tmp_path: Path) -> None:
    connect(bare)
    path = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}

    for line in hook_lines(bare.folder / SHARED):
        done = subprocess.run(
            ["sh", "-c", line], input=b"{}", capture_output=True, env=path, check=False
        )
        assert (done.returncode, done.stdout) == (0, b"")


def test_git_merges_memories_for_a_colleague_without_the_merge_driver(
    shop: Cli, tmp_path: Path
) -> None:
    shop.git("init", "-q", "-b", "main")
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", "Remember")
    shop.git("clone", "-q", str(shop.folder), str(tmp_path / "clone"))
    clone = at(shop, tmp_path / "clone", tmp_path / "home of the colleague")
    memory = next(clone.root.glob("decisions/*.json"))
    title = json.loads(memory.read_text())["title"]
    clone.git("checkout", "-q", "-b", "side")
    memory.write_text(memory.read_text().replace(title, f"{title}, from Tuesday on"))
    clone.git("commit", "-qam", "Say where")
    clone.git("checkout", "-q", "main")
    (clone.folder / "README").write_text("a shop\n")
    clone.git("add", "README")
    clone.git("commit", "-qm", "Describe")

    clone.git("merge", "-q", "--no-edit", "side")

    assert json.loads(memory.read_text())["title"] == f"{title}, from Tuesday on"
    assert (clone.folder / "README").is_file()


@requirement("connections:local:own-settings")
def test_local_connects_in_ones_own_settings_and_leaves_the_teams_files_alone(bare: Cli) -> None:
    done = bare.ok("init", "--harness", "claude-code", "--local", "--yes")

    lines = hook_lines(bare.folder / LOCAL)
    assert all(shlex.split(line)[0] == sys.executable for line in lines)
    assert not (bare.folder / SHARED).exists()
    assert not (bare.folder / ".mcp.json").exists()
    assert "claude mcp add --scope local recollect -- " in " ".join(done.out.split())
    bare.ok("uninstall", "--yes")
    assert not (bare.folder / LOCAL).exists()


@requirement("connections:local:own-settings")
def test_shared_hooks_replace_local_ones_so_that_none_runs_twice(bare: Cli) -> None:
    bare.ok("init", "--harness", "claude-code", "--local", "--yes")

    bare.ok("init", "--harness", "claude-code", "--shared", "--yes")

    assert not (bare.folder / LOCAL).exists()
    assert hook_lines(bare.folder / SHARED)
    done = bare.ok("init", "--harness", "claude-code", "--local", "--yes")
    assert "connects claude-code for the whole team" in " ".join(done.out.split())
    assert not (bare.folder / LOCAL).exists()


@pytest.mark.parametrize("harness", [name for name in NAMES if name != "claude-code"])
def test_local_says_which_harness_has_no_settings_for_one_person(bare: Cli, harness: str) -> None:
    before = everything(bare.folder)

    [row] = [
        step
        for step in bare.ok("init", "--harness", harness, "--local", "--yes", "--json").json()["steps"]
        if step["what"].startswith(harness)
    ]

    assert row["action"] == "skipped"
    assert "use --shared or its plugin" in row["why"]
    assert not [name for name in everything(bare.folder).keys() - before.keys() if harness in name]


@requirement("connections:startable")
def test_status_says_when_what_a_harness_runs_is_not_on_path(bare: Cli) -> None:
    bare.ok("init", "--harness", "claude-code", "--yes")
    [row] = [row for row in bare.ok("status", "--json").json()["harnesses"] if row["connected"]]
    assert row["obstacle"] == ""

    bare.env["PATH"] = "/usr/bin:/bin"

    [row] = [row for row in bare.ok("status", "--json").json()["harnesses"] if row["connected"]]
    assert row["obstacle"] == "'recollect-hook' is not on PATH"
    shown = " ".join(bare.ok("status").out.split())
    assert "claude-code cannot start: 'recollect-hook' is not on PATH" in shown
    assert "add the folder of `recollect` to PATH" in shown


@requirement("connections:startable")
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (None, "'recollect-hook' is not on PATH"),
        ("#!/bin/sh\nexit 0\n", ""),
        ("#!/bin/sh\necho cannot open shared object >&2; exit 3\n", "cannot open shared object"),
        ("#!/nowhere/python\n", "No such file or directory"),
    ],
)
def test_doctor_starts_what_a_harness_is_told_to_run(
    bare: Cli, tmp_path: Path, program: str | None, reason: str
) -> None:
    bare.ok("init", "--harness", "claude-code", "--yes")
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("recollect", "recollect-hook") if program is not None else ():
        (folder / name).write_text(program or "")
        (folder / name).chmod(0o755)
    bare.env["PATH"] = f"{folder}:/usr/bin:/bin"

    findings = bare("doctor", "--json").json()["findings"]

    messages = [row["message"] for row in findings if row["check"] == "connections"]
    assert [reason in message for message in messages] == ([True] if reason else [])
