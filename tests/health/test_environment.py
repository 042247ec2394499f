"""What is wrong around the memories: interpreter, disk, git."""

import os
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.health.conftest import Examine, Git
from tests.health.files import of, one, put, write
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.health.environment import interpreter
from recollect.health.finding import Fix, Level


class WithoutFts5(sqlite3.Connection):
    """A SQLite that was built without full-text search."""

    def execute(self, sql: str, *_: object) -> sqlite3.Cursor:
        raise sqlite3.OperationalError("no such module: fts5")


def test_a_python_that_is_too_old_is_an_error(
    project: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = project.upkeep.examine()[0].subject
    monkeypatch.setattr(sys, "version_info", (3, 10, 9))
    found = list(interpreter(patient))
    monkeypatch.undo()

    assert one("interpreter", found).level is Level.ERROR
    assert "Python 3.11 or later" in one("interpreter", found).advice


def test_a_sqlite_without_full_text_search_is_an_error(
    examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert of("fts5", examine()) == []

    real = sqlite3.connect
    where = "recollect.storage.sqlite.connections.sqlite3.connect"
    monkeypatch.setattr(where, lambda path: real(path, factory=WithoutFts5))

    found = one("fts5", examine())
    assert found.level is Level.ERROR
    assert "without FTS5" in found.message
    assert "Use a Python whose sqlite3 has FTS5" in found.advice


def test_a_folder_that_cannot_be_written_is_an_error(
    root: Path, examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root)
    allowed = os.access
    denied = root / "decisions"
    monkeypatch.setattr(os, "access", lambda path, mode: path != denied and allowed(path, mode))

    found = one("permissions", examine())

    assert (found.level, found.path) == (Level.ERROR, ".claude/memory/decisions")
    assert found.message == "cannot be written to"
    assert "chmod" in found.advice


@pytest.mark.parametrize("name", ["runbooks", ".recollect"])
def test_a_file_where_a_folder_should_be_is_an_error(root: Path, examine: Examine, name: str) -> None:
    (root / name).write_text("")

    found = one("permissions", examine())

    assert (found.path, found.message) == (
        f".claude/memory/{name}",
        "is a file where a folder should be",
    )


def test_symlinks_that_lead_nowhere_or_away_are_errors(
    root: Path, examine: Examine, tmp_path: Path
) -> None:
    (root / "runbooks").symlink_to(tmp_path / "nowhere")
    (root / "decisions").symlink_to(tmp_path)
    (root / "elsewhere").mkdir()
    (root / "preferences").symlink_to(root / "elsewhere")

    messages = {found.path: found.message for found in of("permissions", examine())}

    assert messages == {
        ".claude/memory/runbooks": "is a broken symlink",
        ".claude/memory/decisions": "is a symlink that leaves the memory root",
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: b"\xef\xbb\xbf" + data, "has a byte-order mark"),
        (lambda data: data.replace(b"\n", b"\r\n"), "has Windows line endings"),
        (
            lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
            "has a byte-order mark and Windows line endings",
        ),
    ],
)
def test_noise_in_a_file_is_found_and_written_plainly_without_changing_what_it_says(
    root: Path,
    project: Recollect,
    examine: Examine,
    fix: Examine,
    change: Callable[[bytes], bytes],
    said: str,
) -> None:
    path = put(root, title="Ein schöner Tag", x_unknown={"kept": [1, 2.5, None]})
    path.write_bytes(change(path.read_bytes()))
    before = project.get("a-decision").memory.document

    found = one("encoding", examine())
    assert (found.message, found.fix) == (said, Fix.REWRITE)
    fix()

    assert project.get("a-decision").memory.document == before
    assert not path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert b"\r\n" not in path.read_bytes()
    assert of("encoding", examine()) == []


def test_a_broken_file_is_not_rewritten_whatever_its_line_ends(
    root: Path, examine: Examine, fix: Examine
) -> None:
    path = write(root, "broken.json", b"{\r\n")

    assert of("encoding", examine()) == []
    fix()

    assert path.read_bytes() == b"{\r\n"


def test_what_a_dead_writer_left_is_found_and_removed(
    root: Path, examine: Examine, fix: Examine
) -> None:
    temp = write(root, ".x.json.4711.recollect-tmp", b"half")

    found = one("leftover", examine())
    assert (found.level, found.path) == (
        Level.WARNING,
        ".claude/memory/decisions/.x.json.4711.recollect-tmp",
    )
    fix()

    assert not temp.exists()
    assert of("leftover", examine()) == []


@requirement("working:drafts:leftovers")
def test_what_a_killed_hook_left_among_the_drafts_is_found_and_removed(
    root: Path, reopen: Callable[[], Recollect], examine: Examine
) -> None:
    drafts = root / ".recollect" / "drafts"
    drafts.mkdir(parents=True)
    killed, writing = (drafts / f".s{number}.json.{number}.recollect-tmp" for number in (1, 2))
    killed.touch()
    writing.touch()
    os.utime(killed, times=(time.time() - 7200,) * 2)

    assert one("leftover", examine()).path == f".claude/memory/.recollect/drafts/{killed.name}"
    reopen().memories.save(draft("New"))

    assert (killed.exists(), writing.exists()) == (False, True)
    assert of("leftover", examine()) == []


def test_a_version_that_lost_a_race_is_noted_and_kept(
    root: Path, examine: Examine, fix: Examine
) -> None:
    path = root / ".recollect" / "rejected" / "x-0123456789ab.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")

    found = one("rejected-version", examine())
    assert found.path == ".claude/memory/.recollect/rejected/x-0123456789ab.json"
    assert "recollect edit" in found.advice
    fix()

    assert path.exists()


def test_files_that_nothing_reads_are_found(root: Path, examine: Examine) -> None:
    write(root, "notes.md", b"# Notes")
    write(root, ".hidden", b"")
    (root / "misplaced.json").write_text("{}")
    (root / "memory-config.json").write_text("{}")

    found = {finding.path: finding for finding in of("stray-file", examine())}

    assert found.keys() == {".claude/memory/decisions/notes.md", ".claude/memory/misplaced.json"}
    assert found[".claude/memory/decisions/notes.md"].level is Level.NOTE
    assert found[".claude/memory/misplaced.json"].level is Level.WARNING
    assert "decisions" in found[".claude/memory/misplaced.json"].advice


def test_a_project_named_by_its_path_is_noted_until_it_has_a_name(
    root: Path, folder: Path, git: Git, examine: Examine
) -> None:
    assert "`recollect init`" in one("identity", examine()).advice

    git("init", "-q")
    assert "first commit" in one("identity", examine()).advice

    git("commit", "-q", "--allow-empty", "-m", "Begin")
    assert of("identity", examine()) == []


def test_a_shallow_clone_without_a_remote_is_noted(
    folder: Path, git: Git, tmp_path: Path, env: dict[str, str]
) -> None:
    """A remote names the project; without one its first commit does, which a shallow clone lacks."""
    git("init", "-q")
    for number in range(2):
        git("commit", "-q", "--allow-empty", "-m", str(number))
    clone = tmp_path / "clone"
    git("clone", "-q", "--depth", "1", f"file://{folder}", str(clone))
    (clone / ".claude" / "memory").mkdir(parents=True)
    assert of("identity", open_project(clone, env=env).upkeep.examine()[0].findings) == []
    git("-C", str(clone), "remote", "remove", "origin")

    found = one("identity", open_project(clone, env=env).upkeep.examine()[0].findings)

    assert "shallow clone" in found.message
    assert "git fetch --unshallow" in found.advice


def test_a_state_that_cannot_be_read_is_an_error_and_one_that_can_is_none(
    root: Path, examine: Examine
) -> None:
    state = root / ".recollect" / "state.db"
    state.parent.mkdir(exist_ok=True)
    with sqlite3.connect(state) as made:
        made.execute("CREATE TABLE session (id TEXT)")
    assert of("state", examine()) == []
    made.close()

    state.write_bytes(b"SQLite format 3\0" + b"\xff" * 8192)
    found = one("state", examine())
    assert found.level is Level.ERROR
    assert "backup" in found.advice
    assert found.path == ".claude/memory/.recollect/state.db"
