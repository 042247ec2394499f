"""A cloned repository contains Python modules; none of them runs when an agent, git or a user starts us."""

import json
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.e2e.hostile import plant_modules, run
from tests.requirements import requirement
from tests.server.running import OLD, RawClient, started

from recollect.agents.harnesses import NAMES
from recollect.app.opening import hook_command
from recollect.bench import bare_sqlite
from recollect.bench.hook import BASE
from recollect.storage.models.installed import ModelFolder
from recollect.storage.models.manifest import MODEL_FILE, MODELS, Model, Reading, Source

SERVER_FILES = (
    ".mcp.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    "opencode.json",
)


@pytest.fixture
def connected(repository: Cli) -> Cli:
    """A checkout that is connected to every harness."""
    repository.ok("init", "--yes", *(word for name in NAMES for word in ("--harness", name)))
    return repository


def server_command(folder: Path, name: str) -> list[str]:
    """The command that a harness's file names for our server."""
    text = (folder / name).read_text()
    servers: Any = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    entry = servers.get("mcpServers") or servers.get("mcp_servers") or servers["mcp"]
    command = entry["recollect"]["command"]
    return command if isinstance(command, list) else [command, *entry["recollect"]["args"]]


@requirement("trust:modules:not-run")
@pytest.mark.parametrize("name", SERVER_FILES)
def test_the_server_that_a_harness_starts_imports_nothing_from_the_repository(
    connected: Cli, name: str
) -> None:
    command = server_command(connected.folder, name)
    ran = plant_modules(connected.folder)

    with started(command, connected.folder, connected.env) as process:
        assert RawClient(process, OLD).begin()["serverInfo"]["name"] == "recollect"

    assert not ran.exists()


@requirement("trust:modules:not-run")
def test_a_merge_imports_nothing_from_the_repository(repository: Cli) -> None:
    repository.save(tags=["auth"])
    _commit(repository)
    repository.git("checkout", "-q", "-b", "theirs")
    repository.ok("edit", "sign-a-jwt-at-login", "--add-tag", "partners")
    ran = plant_modules(repository.folder)
    _commit(repository)
    repository.git("checkout", "-q", "main")
    repository.ok("edit", "sign-a-jwt-at-login", "--add-tag", "tokens")
    _commit(repository)
    plant_modules(repository.folder)
    _commit(repository)

    done = repository.git("merge", "-q", "--no-edit", "theirs", check=False)

    assert done.exit_code == 0, done
    assert repository.memory("sign-a-jwt-at-login")["tags"] == ["auth", "tokens", "partners"]
    assert not ran.exists()


@requirement("trust:modules:not-run")
def test_a_model_is_installed_without_the_modules_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    ran = plant_modules(folder)
    source = Source("package", str(tmp_path / "no-such.whl"), {MODEL_FILE: "x"})
    monkeypatch.setitem(
        MODELS, "tiny", Model("tiny", "", 1, "", 1, Reading(), {MODEL_FILE: "0"}, (source,))
    )
    monkeypatch.chdir(folder)

    with pytest.raises(Exception, match=r"no-such\.whl"):
        ModelFolder(tmp_path / "models").install("tiny")

    assert not ran.exists()


@requirement("trust:modules:not-run")
def test_hooks_and_benches_import_nothing_from_the_current_folder(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    ran = plant_modules(folder)
    monkeypatch.chdir(folder)

    for command in (hook_command("claude-code", "SessionStart"), BASE):
        assert run(command, folder, env).returncode == 0
    assert len(bare_sqlite.opening(2)) == 2

    assert not ran.exists()


@requirement("trust:modules:not-run")
def test_the_console_script_imports_nothing_from_the_current_folder(
    tmp_path: Path, env: dict[str, str]
) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    ran = plant_modules(folder)
    script = Path(sys.executable).parent / "recollect"

    assert run([str(script), "--version"], folder, env).returncode == 0
    assert run([f"{script}-hook", "claude-code", "SessionStart"], folder, env).returncode == 0

    assert not ran.exists()


@requirement("trust:modules:older-commands-updated")
def test_init_isolates_the_commands_of_an_earlier_version(connected: Cli) -> None:
    for name in SERVER_FILES:
        path = connected.folder / name
        older = (
            path.read_text().replace('"env"', f'"{sys.executable}"').replace('"PYTHONPATH="', '"-m"')
        )
        path.write_text(older)
        assert server_command(connected.folder, name) == [sys.executable, "-m", "recollect", "serve"]
    driver = f"{shlex.quote(sys.executable)} -m recollect merge-driver %O %A %B %P"
    connected.git("config", "merge.recollect.driver", driver)

    connected.ok("init", "--yes", *(word for name in NAMES for word in ("--harness", name)))

    for name in SERVER_FILES:
        assert server_command(connected.folder, name) == ["env", "PYTHONPATH=", "recollect", "serve"]
    driver = connected.git("config", "merge.recollect.driver").out
    assert shlex.split(driver)[1:4] == ["-I", "-m", "recollect"]


def _commit(cli: Cli) -> None:
    cli.git("add", "-A")
    cli.git("commit", "-q", "-m", "Change")
