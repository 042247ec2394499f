"""kill -9 at every step of a write: a child is killed at its n-th system call, for every n."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from tests.e2e.kill_points import When, killed
from tests.requirements import requirement
from tests.samples import NOW, draft

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.records.json_format import render
from recollect.records.memories import Saved
from recollect.storage.files.atomic import TEMP_SUFFIX


def opened(folder: Path) -> Recollect:
    return open_project(folder, env={"HOME": str(folder / "home")}, clock=lambda: NOW)


@dataclass(frozen=True)
class World:
    """A project that a write is done to, and copies of it to kill the writer in."""

    origin: Path
    scratch: Path

    def copies(self) -> Iterator[Path]:
        while True:
            shutil.rmtree(self.scratch, ignore_errors=True)
            shutil.copytree(self.origin, self.scratch)
            yield self.scratch


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Three memories; `target` is what the writes are about."""
    origin = tmp_path / "origin"
    (origin / ".claude" / "memory").mkdir(parents=True)
    project = opened(origin)
    for number, title in enumerate(("Target", "Bystander", "Another")):
        saved = project.memories.save(draft(title, content={"decision": f"Take road {number}."}))
        assert isinstance(saved, Saved)
    return World(origin, tmp_path / "scratch")


def files(folder: Path) -> dict[str, bytes]:
    """Every memory by its file name."""
    return {
        path.name: path.read_bytes() for path in (folder / ".claude/memory/decisions").glob("*.json")
    }


def save(project: Recollect) -> None:
    project.memories.save(draft("New", content={"decision": "Take road 7."}))


def edit(project: Recollect) -> None:
    project.memories.edit("target", lambda _: {"title": "Target, edited"}, "Edited")


def supersede(project: Recollect) -> None:
    links = [{"type": "supersedes", "target": "mem:target"}]
    project.memories.save(draft("New", content={"decision": "Take road 7."}, links=links))


def delete(project: Recollect) -> None:
    project.space.store.delete(project.memories.get("target"))


def first_save(project: Recollect) -> None:
    """In a fresh clone: no state folder yet."""
    shutil.rmtree(project.project.root.state)
    save(project)


ACTIONS = [save, first_save, edit, supersede, delete]


@requirement("store:crash:every-step")
@pytest.mark.parametrize("when", ["before", "after", "halfway"])
@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.__name__)
def test_a_writer_killed_at_any_step_leaves_the_old_version_or_the_new_one_whole(
    world: World, action: Callable[[Recollect], None], when: When
) -> None:
    old = files(world.origin)
    copies = world.copies()
    done = next(copies)
    action(opened(done))
    new = files(done)
    assert new != old

    steps = 0
    outcomes = set()
    for number, folder in enumerate(copies, start=1):
        project = opened(folder)
        if not killed(number, when, partial(action, project)):
            break
        steps = number
        outcomes.add(_judge(folder, old, new))

    assert steps >= 14, "the write path has at least this many steps that change the disk"
    assert outcomes == {"old", "new"}


def _judge(folder: Path, old: dict[str, bytes], new: dict[str, bytes]) -> str:
    """What the next command finds: all of the old state or all of the new one, and a tidy root."""
    project = opened(folder)
    found = files(folder)
    assert found in (old, new), "a memory is half written, half superseded or gone"
    scan = project.memories.scan()
    assert scan.broken == ()
    assert {f"{s.memory.id}.json": render(s.memory.document) for s in scan.stored} == found
    store = project.space.store
    assert store.inventory_now() == store.inventory()
    root = folder / ".claude" / "memory"
    assert list(root.rglob(f"*{TEMP_SUFFIX}")) == []
    assert not (root / ".recollect" / "writing").exists()
    assert [path for path in folder.iterdir() if path.name not in (".claude", "home")] == []
    return "old" if found == old else "new"


def test_after_a_crash_the_next_save_works_without_waiting(world: World) -> None:
    """The lock of the dead is free, and what it left does not stand in the way of a running process."""
    folder = next(world.copies())
    running = opened(folder)
    assert killed(8, "after", lambda: save(opened(folder)))

    saved = running.memories.save(draft("Later", content={"decision": "Take road 9."}))

    assert isinstance(saved, Saved)
    assert running.space.store.inventory_now() == running.space.store.inventory()
    assert list((folder / ".claude").rglob(f"*{TEMP_SUFFIX}")) == []
