"""A process that swaps folders for links all the time, while others write: nothing is written outside.

The links lead to a folder that looks like the project, so that a write through one would succeed.
"""

import ctypes
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.samples import NOW, draft
from tests.soak import times

from recollect.app.opening import init_project, open_project
from recollect.app.project import Recollect
from recollect.config import Config
from recollect.errors import RecollectError
from recollect.records.memories import Saved
from recollect.redaction.user_patterns import gate_of
from recollect.retrieval.request import Request
from recollect.storage.files.drafts import FileDrafts
from recollect.storage.files.skill_folders import SkillFolder, gather
from recollect.storage.files.store import FileStore
from recollect.storage.files.worktree import WorkTree

ROOT = ".claude/memory"
FOLDERS = (
    ".claude",
    ROOT,
    f"{ROOT}/decisions",
    f"{ROOT}/.recollect",
    f"{ROOT}/.recollect/drafts",
    f"{ROOT}/.recollect/rejected",
)
WRITES = 15
AT_FDCWD, RENAME_EXCHANGE = -100, 2  # of Linux

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux swaps two names at once")


def opened(folder: Path) -> Recollect:
    return open_project(folder, env={"HOME": str(folder.parent / "home")}, clock=lambda: NOW)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project, and a copy of its folders outside of it."""
    folder = tmp_path / "project"
    folder.mkdir()
    env = {"HOME": str(tmp_path / "home")}
    init_project(folder, env=env, clock=lambda: NOW)
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / "outside" / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / "outside" / ROOT / "index.md").write_text("theirs\n")
    (tmp_path / "outside" / ROOT / ".recollect" / "lock").write_text("")
    return folder


def tree(folder: Path) -> dict[str, tuple[int, str]]:
    """Everything below a folder, with its mode and content.

    SQLite opens its two working files by name, after the database: a swap in those microseconds puts them
    beside another file of the database's name. The security guide says so.
    """
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.read_bytes().hex() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
        if not path.name.endswith(("-wal", "-shm"))
    }


def exchange(one: Path, other: Path) -> None:
    """Swap two names at once, so that there is something under each at any moment."""
    exchanged = ctypes.CDLL(None).renameat2(
        AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE
    )
    assert exchanged == 0


@contextmanager
def swapper(name: str, place: Path) -> Iterator[None]:
    """A child that swaps a folder of the project for a link to the one outside, and back, until the end."""
    target, link = place / name, place.parent / "link"
    link.symlink_to(place.parent / "outside" / name)
    child = os.fork()
    if child == 0:
        for moment in itertools.cycle(range(40)):
            exchange(target, link)
            time.sleep(moment / 10_000)
            exchange(target, link)
            time.sleep(moment / 2_000)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if target.is_symlink():
            exchange(target, link)


def save_and_change(place: Path, number: int) -> None:
    project = opened(place)
    saved = project.memories.save(draft(f"Number {number}", content={"decision": f"Do {number}."}))
    if isinstance(saved, Saved) and number % 3 == 0:
        FileStore(project.project.root).delete(saved.stored)


def put_draft(place: Path, number: int) -> None:
    drafts = FileDrafts(place / ROOT / ".recollect", gate_of(Config().redaction))
    drafts.put(f"draft-{number % 7}", {"title": str(number)})
    drafts.all()


def search_and_repair(place: Path, number: int) -> None:
    project = opened(place)
    project.find(Request(f"Number {number}"))
    for examination in project.upkeep.examine():
        project.upkeep.fix(examination)
    project.upkeep.back_up(place.parent / f"backup-{number}.tar.gz")


def set_up(place: Path, number: int) -> None:
    project, _ = init_project(place, env={"HOME": str(place.parent / "home")}, clock=lambda: NOW)
    connections = project.connections
    change = connections.connecting if number % 2 else connections.disconnecting
    connections.apply(change("claude-code"))


ACTIONS = {"save": save_and_change, "draft": put_draft, "search": search_and_repair, "init": set_up}


@requirement("trust:folders:swapped")
@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
def test_nothing_is_written_through_a_folder_that_is_swapped_for_a_link(
    place: Path, action: Callable[[Path, int], None], name: str
) -> None:
    outside = place.parent / "outside"
    before = tree(outside)

    with swapper(name, place):
        for number in range(times(WRITES)):
            with suppress(RecollectError):
                action(place, number)

    assert tree(outside) == before
    action(place, 1_000)  # the project is as usable as before


@requirement("trust:folders:swapped")
def test_no_file_outside_is_read_through_a_folder_that_is_swapped_for_a_link(place: Path) -> None:
    for top, text in ((place, "ours"), (place.parent / "outside", "theirs")):
        (top / "skills").mkdir()
        (top / "skills" / "page.md").write_text(f"# {text}\n")
    skills = SkillFolder(place / "skills", "skills", place)
    tree_of_project = WorkTree(place)

    texts = set()
    with swapper("skills", place):
        for _ in range(times(500)):
            texts |= {page.text for page in gather([skills]).pages}
            with suppress(RecollectError):
                anchor = tree_of_project.anchor("skills/page.md", place)
                texts.add(str(anchor["digest"]))

    assert "# ours\n" in texts
    assert "# theirs\n" not in texts
    assert len(texts) == 2  # the page, and the digest of its anchor
