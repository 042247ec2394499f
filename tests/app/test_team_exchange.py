"""Memories between files and a database: moved byte for byte, resumed after a kill, and brought in step."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Wall
from tests.postgres import Server
from tests.requirements import requirement
from tests.samples import document, draft

from recollect.app.memory_sides import DatabaseSide
from recollect.app.moving import TO_FILES, migrate
from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.app.syncing import SyncReport, sync
from recollect.bench.generated_memories import fill
from recollect.errors import RefusedError
from recollect.records.json_format import render
from recollect.records.memories import Saved

ODD = {
    "decisions/crlf.json": render(
        document(id="crlf", unknown_field={"z": 1, "a": [None, 2.50]})
    ).replace(b"\n", b"\r\n"),
    "decisions/linked.json": render(
        document(
            id="linked", links=[{"type": "supersedes", "target": "mem:crlf", "evidence": "abc123"}]
        )
    ),
    "decisions/history.json": b"\xef\xbb\xbf"
    + render(document(id="history", changes=[{"date": "2026-01-01T00:00:00Z", "summary": "ä"}])),
    "runbooks/broken.json": b'{"not": "finished',
    "runbooks/bytes.json": b"\xff\x00\xfe",
}


@pytest.fixture
def root(folder: Path) -> Path:
    """A memory root with files that are easy to lose something of."""
    root = folder / ".claude" / "memory"
    for path, data in ODD.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    return root


@pytest.fixture
def url(postgres_server: Server) -> str:
    return postgres_server.url("tests")


@pytest.fixture
def team(folder: Path, env: dict[str, str], url: str, wall: Wall) -> Callable[[], Recollect]:
    return lambda: open_project(folder, env={**env, "RECOLLECT_DATABASE": url}, clock=wall)


def contents(root: Path) -> dict[str, bytes]:
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in root.glob("*/*.json")}


def clone(root: Path, tmp_path: Path) -> Path:
    """The same project on another machine, without memories."""
    other = tmp_path / "other" / ".claude" / "memory"
    other.mkdir(parents=True)
    (other / "project-id").write_bytes((root / "project-id").read_bytes())
    return other


@requirement("team:postgres:lossless")
def test_files_to_a_database_and_back_are_the_same_bytes(
    project: Recollect, root: Path, url: str, tmp_path: Path, env: dict[str, str], wall: Wall
) -> None:
    there = migrate(project, url)
    other = clone(root, tmp_path)
    theirs = open_project(other.parent.parent, env={**env, "RECOLLECT_DATABASE": url}, clock=wall)
    back = migrate(theirs, TO_FILES)

    assert contents(other) == ODD == contents(root)
    assert (there.moved, there.memories, there.links) == (5, 3, 1)
    assert set(there.unreadable) == {"runbooks/broken.json", "runbooks/bytes.json"}
    assert (back.moved, back.bytes) == (5, sum(map(len, ODD.values())))


def test_a_move_that_was_interrupted_goes_on_and_writes_nothing_twice(
    project: Recollect, root: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 450)
    apply = DatabaseSide.apply
    calls: list[int] = []

    def interrupted(side: DatabaseSide, files: dict[str, bytes | None]) -> None:
        calls.append(len(files))
        if len(calls) == 2:
            raise KeyboardInterrupt
        apply(side, files)

    monkeypatch.setattr(DatabaseSide, "apply", interrupted)
    with pytest.raises(KeyboardInterrupt):
        migrate(project, url)
    report = migrate(project, url)

    assert (report.already_there, report.moved) == (200, 255)
    assert calls == [200, 200, 200, 55]
    assert migrate(project, url).moved == 0


@requirement("team:postgres:lossless")
def test_a_move_that_was_killed_goes_on(
    folder: Path, root: Path, env: dict[str, str], url: str, team: Callable[[], Recollect]
) -> None:
    fill(root, 450)
    command = [sys.executable, "-m", "recollect", "migrate", "--to", url]
    moving = subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 60
    while not (root / "project-id").exists() and time.monotonic() < until:
        time.sleep(0.01)
    memories = team().memories.store
    while not memories.taken() and moving.poll() is None and time.monotonic() < until:
        pass
    os.kill(moving.pid, signal.SIGKILL)
    moving.wait()

    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)

    recollect = team()
    assert recollect.team is not None
    assert dict(recollect.team.memories.raw_files()) == contents(root)


def test_a_database_with_other_memories_is_not_overwritten(
    project: Recollect, root: Path, url: str, team: Callable[[], Recollect]
) -> None:
    team().memories.save(draft("Somebody was here"))

    with pytest.raises(RefusedError, match=r"somebody-was-here\.json; `recollect sync`"):
        migrate(project, url)


def test_a_secret_in_a_file_stays_on_this_machine(
    project: Recollect, root: Path, url: str, team: Callable[[], Recollect]
) -> None:
    key = "AKIA" + "Q3EGRTW7BNXKC2ZL"
    text = f"aws_access_key_id = {key}"
    content = {"status": "accepted", "context": text, "decision": "x", "rationale": ["y"]}
    (root / "decisions" / "leak.json").write_bytes(render(document(id="leak", content=content)))

    with pytest.raises(RefusedError, match=r"there are secrets in decisions/leak\.json"):
        migrate(project, url)

    assert "leak" not in team().memories.store.taken()


def test_without_a_database_there_is_nothing_to_move_from(project: Recollect) -> None:
    with pytest.raises(RefusedError, match="RECOLLECT_DATABASE"):
        migrate(project, TO_FILES)
    with pytest.raises(RefusedError, match="no database is set"):
        sync(project)


def put(root: Path, id: str, **fields: Any) -> None:
    (root / "decisions").mkdir(exist_ok=True)
    (root / "decisions" / f"{id}.json").write_bytes(render(document(id=id, **fields)))


def change(recollect: Recollect, id: str, **fields: object) -> None:
    store = recollect.memories.store
    old = recollect.get(id)
    store.replace(old, old.memory.with_fields(fields))  # type: ignore[arg-type]


def counts(report: SyncReport) -> tuple[int, int, int, int]:
    return len(report.to_database), len(report.to_files), len(report.merged), len(report.conflicts)


@requirement("team:postgres:sync")
def test_each_sides_changes_go_to_the_other(team: Callable[[], Recollect]) -> None:
    recollect = team()
    root = recollect.root
    put(root, "mine")
    saved = recollect.memories.save(draft("Theirs"))
    assert isinstance(saved, Saved)

    assert counts(sync(recollect)) == (1, 1, 0, 0)
    assert counts(sync(recollect)) == (0, 0, 0, 0)

    put(root, "mine", title="Edited in the repository")
    change(recollect, "theirs", title="Edited in the database")
    assert counts(sync(recollect)) == (1, 1, 0, 0)
    assert recollect.get("mine").memory.title == "Edited in the repository"
    assert b"Edited in the database" in (root / "decisions" / "theirs.json").read_bytes()

    (root / "decisions" / "mine.json").unlink()
    assert counts(sync(recollect)) == (1, 0, 0, 0)
    assert recollect.memories.store.taken() == {"theirs"}


@requirement("team:postgres:sync")
def test_different_fields_are_merged_and_the_same_field_is_shown(team: Callable[[], Recollect]) -> None:
    recollect = team()
    root = recollect.root
    put(root, "both")
    sync(recollect)
    put(root, "both", tags=["test", "here"])
    change(recollect, "both", confidence=0.5)

    assert counts(sync(recollect)) == (0, 0, 1, 0)
    merged = json.loads((root / "decisions" / "both.json").read_bytes())
    assert (merged["tags"], merged["confidence"]) == (["test", "here"], 0.5)
    assert recollect.get("both").memory.document == merged

    put(root, "both", title="Ours", tags=merged["tags"], confidence=0.5)
    change(recollect, "both", title="Theirs")
    before = (root / "decisions" / "both.json").read_bytes()
    report = sync(recollect)

    (conflict,) = report.conflicts
    assert [(clash.path, clash.ours, clash.theirs) for clash in conflict.clashes] == [
        (("title",), {"title": "Ours"}, {"title": "Theirs"})
    ]
    assert (root / "decisions" / "both.json").read_bytes() == before
    assert recollect.get("both").memory.title == "Theirs"

    assert counts(sync(recollect, "files")) == (1, 0, 0, 0)
    assert recollect.get("both").memory.title == "Ours"


def test_what_one_side_deleted_and_the_other_changed_is_a_conflict(
    team: Callable[[], Recollect],
) -> None:
    recollect = team()
    put(recollect.root, "x")
    sync(recollect)
    (recollect.root / "decisions" / "x.json").unlink()
    change(recollect, "x", title="Still wanted")

    report = sync(recollect)

    assert [conflict.reason for conflict in report.conflicts] == [
        "deleted in the files, changed on the other side"
    ]
    assert counts(sync(recollect, "database")) == (0, 1, 0, 0)
    assert (recollect.root / "decisions" / "x.json").exists()
