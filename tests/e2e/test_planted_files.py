"""Links, pipes and devices where files should be, and memory roots that belong to somebody else."""

import json
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

from recollect.hook.answer import answer
from recollect.hook.project_paths import find_project
from recollect.paths import read_plain

FILES = ("memory-config.json", "index.md", "project-id", "decisions/a.json", ".gitattributes")


def plant(path: Path, kind: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")


@requirement("trust:files:bounded")
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_has_no_end_hangs_no_command(cli: Cli, name: str, kind: str) -> None:
    cli.save()
    plant(cli.root / name, kind)

    for words in (["list"], ["search", "login"], ["doctor"], ["status"], ["init", "--no-harness"]):
        done = cli(*words)
        assert done.exit_code != 70, done
    if name == "memory-config.json":
        assert "not a plain file" in cli("list").err


@requirement("trust:files:bounded")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_settings_file_of_a_harness_that_has_no_end_hangs_nothing(cli: Cli, kind: str) -> None:
    plant(cli.folder / ".mcp.json", kind)

    assert "not a plain file" in cli("init", "--harness", "claude-code", "--yes").err


@requirement("trust:files:bounded")
def test_a_plain_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")

    assert read_plain(str(path), 5) == b"12345"
    with pytest.raises(OSError, match="too large"):
        read_plain(str(path), 4)


@requirement("trust:root:not-shared")
@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_a_memory_root_in_a_shared_folder_is_not_used(
    bare: Cli, env: dict[str, str], tmp_path: Path, mode: int
) -> None:
    shared = tmp_path / "shared"
    folder = shared / "mine"
    folder.mkdir(parents=True)
    (shared / ".claude" / "memory").mkdir(parents=True)
    assert find_project(str(folder), env) is not None
    shared.chmod(mode)

    assert find_project(str(folder), env) is None
    done = bare("list", cwd=folder)

    assert done.exit_code != 0
    assert "others own" in done.err

    bare.ok("init", "--no-harness", cwd=folder)
    assert (folder / ".claude" / "memory").is_dir()


@requirement("trust:root:not-shared")
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_memory_root_of_somebody_else_is_not_used(env: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / ".claude" / "memory"
    root.mkdir(parents=True)
    os.chown(root, 12345, 12345)

    assert find_project(str(tmp_path), env) is None
    (tmp_path / ".git").mkdir()
    assert find_project(str(tmp_path), env) is not None


@requirement("trust:root:no-link-out")
def test_a_memory_root_that_leads_out_of_the_repository_is_not_written(
    repository: Cli, env: dict[str, str], tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    repository.root.rename(outside)
    repository.root.symlink_to(outside)
    before = sorted(outside.rglob("*"))

    for words in (["save", "preference", "x"], ["list"], ["init", "--no-harness"]):
        done = repository(*words)
        assert done.exit_code != 0
    assert "a link that leaves the project" in repository("list").err
    assert find_project(str(repository.folder), env) is None
    assert sorted(outside.rglob("*")) == before

    repository.env["RECOLLECT_ROOT"] = str(outside)
    repository.ok("list")


@requirement("trust:files:hard-links")
@pytest.mark.parametrize("content", ["text", "database"])
@pytest.mark.parametrize(
    "name", ["state.db", "index.db", "state.db-wal", "index.db-wal", "index.db-shm", "latency", "lock"]
)
def test_a_file_that_is_hard_linked_to_one_elsewhere_is_not_changed(
    cli: Cli, tmp_path: Path, name: str, content: str
) -> None:
    """SQLite takes a short file for an empty database, and changes the header of another database."""
    theirs = tmp_path / "theirs"
    if content == "text":
        theirs.write_text("Nothing of ours.\n")
    else:
        with closing(sqlite3.connect(theirs)) as database:
            database.execute("CREATE TABLE note (text)")
    theirs.chmod(0o644)
    before = theirs.read_bytes()
    cli.save()
    state = cli.root / ".recollect"
    (state / name).unlink(missing_ok=True)
    (state / name).hardlink_to(theirs)

    for words in (["search", "login", "--json"], ["status"], ["doctor"], ["session"]):
        assert cli(*words).exit_code != 70
    event = {"session_id": "s", "cwd": str(cli.folder), "prompt": "how do we sign the login token?"}
    answer("claude-code", "UserPromptSubmit", json.dumps(event).encode(), cli.env)

    assert theirs.read_bytes() == before
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o644
    hits = cli.ok("search", "login", "--json").json()["hits"]
    assert [hit["id"] for hit in hits] == ["sign-a-jwt-at-login"]
