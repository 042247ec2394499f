"""Who may read what Recollect writes: the memories of a project are shared, all else is the user's alone."""

import os
import re
import stat
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.hook.conftest import Harness
from tests.requirements import requirement

from recollect.storage import private


@pytest.fixture(params=[0o022, 0o000], ids=["umask 022", "umask 000"])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """The mode of a folder and of everything in it."""
    paths = [folder, *folder.rglob("*")]
    return {str(path): oct(stat.S_IMODE(path.lstat().st_mode)) for path in paths}


def open_to_others(folder: Path) -> dict[str, str]:
    return {path: mode for path, mode in modes(folder).items() if not mode.endswith("00")}


def work(cli: Cli) -> None:
    """A bit of everything that writes: commands, hooks, and a hook that fails."""
    cli.git("init", "-q")  # outside of a checkout a root that others can write is not used
    cli.ok("init", "--no-harness")
    cli.save()
    cli.save("Tabs", "--user")
    cli.ok("search", "login")
    cli.ok("config", "retrieval.max_inject", "2", "--user")
    cli.ok("backup")
    harness = Harness(cli.folder, cli.env)
    harness.prompt("how do we sign in?")
    harness.send("PostToolUse", tool_name="Edit", tool_input={"file_path": "src/login.py"})
    harness.send("Stop")
    (cli.root / "memory-config.json").write_text("[")
    harness.send("UserPromptSubmit", prompt="and now?")
    (cli.root / "memory-config.json").write_text("{}")


def data_folder(cli: Cli) -> Path:
    return Path(cli.env["HOME"], ".local", "share", "recollect")


@requirement("store:private:state")
def test_state_and_the_users_files_are_the_users_alone(bare: Cli, umask: int) -> None:
    work(bare)

    state, data = bare.root / ".recollect", data_folder(bare)
    assert open_to_others(state) == {}
    assert open_to_others(data) == {}
    written = {path.name for path in (*state.rglob("*"), *data.rglob("*"))}
    assert written >= {"state.db", "state.db-wal", "index.db", "lock", "drafts", ".gitignore"}
    assert written >= {"tabs.json", "memory-config.json", "hook.log", "backups", "index.md"}


@requirement("store:private:memories-shared")
def test_the_memories_of_a_project_follow_the_umask(bare: Cli, umask: int) -> None:
    work(bare)

    found = modes(bare.root)
    shared = {name: mode for name, mode in found.items() if "/.recollect" not in name}
    assert set(shared.values()) == {oct(0o777 & ~umask), oct(0o666 & ~umask)}
    assert stat.S_IMODE((bare.root / "decisions").stat().st_mode) == 0o777 & ~umask


@requirement("store:private:tightened")
def test_files_of_an_earlier_version_are_made_private_when_they_are_opened(bare: Cli) -> None:
    work(bare)
    state, data = bare.root / ".recollect", data_folder(bare)
    for path in (state, data, data / "memory", state / "state.db", state / "state.db-wal"):
        path.chmod(0o755 if path.is_dir() else 0o644)

    Harness(bare.folder, bare.env).prompt("how do we sign in again?")
    assert open_to_others(state) == {}

    bare.ok("list")
    assert open_to_others(data) == {}


@requirement("store:private:tightened")
def test_a_folder_that_everyone_shares_is_not_made_private(tmp_path: Path) -> None:
    """A user may point RECOLLECT_HOME at such a folder."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)

    private.make_folder(shared)

    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777


@requirement("store:private:state")
def test_a_backup_is_private_and_the_folder_it_goes_to_stays_as_it_is(bare: Cli) -> None:
    bare.ok("init", "--no-harness")
    folder = bare.folder.parent / "disk"
    folder.mkdir()
    folder.chmod(0o755)

    bare.ok("backup", "--to", str(folder / "all.tar.gz"))

    assert stat.S_IMODE((folder / "all.tar.gz").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


@requirement("docs:security:files-listed")
def test_every_private_file_is_in_the_table_of_the_security_guide(bare: Cli) -> None:
    text = (Path(__file__).parents[2] / "docs" / "guides" / "security.md").read_text("utf-8")
    patterns = {name.rstrip("/") for name in re.findall(r"`([^`]+)`", text)}
    patterns |= {f"{name}-{part}" for name in ("state.db", "index.db") for part in ("wal", "shm")}
    work(bare)

    def listed(path: Path) -> bool:
        return any(fnmatch(str(path), pattern) for pattern in patterns)

    for folder in (bare.root / ".recollect", data_folder(bare)):
        names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
        missing = [path for path in names if not listed(path) and not listed(Path(path.parts[0]))]
        assert missing == []
