import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.records.test_record import OLD_DECISION
from tests.requirements import requirement
from tests.samples import document

from recollect.app.project import Recollect
from recollect.errors import (
    ConflictError,
    InvalidJsonError,
    InvalidMemoryError,
    LockedError,
    MemoryNotFoundError,
    OutsideRootError,
    StoreError,
)
from recollect.ids import MemoryId
from recollect.records.categories import Category
from recollect.records.json_format import parse, render
from recollect.records.record import Memory
from recollect.storage.files.atomic import TEMP_SUFFIX
from recollect.storage.files.lock import exclusive
from recollect.storage.files.store import FileStore


@pytest.fixture
def store(project: Recollect) -> FileStore:
    return project.space.store


@pytest.fixture
def root(store: FileStore) -> Path:
    return store.root.path


def memory(id: str = "x", category: Category = Category.DECISION, **fields: Any) -> Memory:
    return Memory.parse(document(category, id=id, **fields))


def listed(root: Path) -> list[str]:
    """The ids that index.md lists."""
    lines = (root / "index.md").read_text().splitlines()
    return [line.partition(".json")[0].rpartition("/")[2] for line in lines if line.startswith("- [")]


def test_a_memory_is_read_as_it_was_written(store: FileStore, root: Path) -> None:
    stored = store.create(memory())

    assert store.load(MemoryId("x")) == stored
    assert (root / "decisions" / "x.json").read_bytes() == render(memory().document)
    assert store.scan().stored == (stored,)


def test_an_id_without_a_file_is_not_found(store: FileStore) -> None:
    with pytest.raises(MemoryNotFoundError, match="there is no memory 'x'"):
        store.load(MemoryId("x"))


@requirement("store:write:create-taken")
@pytest.mark.parametrize("category", [Category.DECISION, Category.RUNBOOK])
def test_an_id_that_is_taken_in_any_category_is_a_conflict_that_names_the_version_there(
    store: FileStore, root: Path, category: Category
) -> None:
    first = store.create(memory())
    second = memory(category=category, title="Second")

    with pytest.raises(ConflictError) as caught:
        store.create(second)

    assert caught.value.current == first.digest
    assert first.digest[:12] in str(caught.value)
    assert store.scan().stored == (first,)
    assert caught.value.kept_at is not None
    assert kept(root, caught.value) == second


def kept(root: Path, error: ConflictError) -> Memory:
    assert error.kept_at is not None
    data = (root.parent.parent / error.kept_at).read_bytes()
    return Memory.parse(parse(data, error.kept_at))


@requirement("store:write:conflict-names-both")
def test_a_write_over_a_version_that_is_gone_is_a_conflict_and_both_versions_are_kept(
    store: FileStore, root: Path
) -> None:
    old = store.create(memory())
    newer = store.replace(old, memory(title="Newer"))
    loser = memory(title="Loser")

    with pytest.raises(ConflictError) as caught:
        store.replace(old, loser)

    assert (caught.value.expected, caught.value.current) == (old.digest, newer.digest)
    assert old.digest[:12] in str(caught.value)
    assert newer.digest[:12] in str(caught.value)
    assert store.load(MemoryId("x")) == newer
    assert kept(root, caught.value) == loser


def test_a_write_over_a_memory_that_was_deleted_is_a_conflict(store: FileStore, root: Path) -> None:
    old = store.create(memory())
    store.delete(old)

    with pytest.raises(ConflictError, match="deleted in the meantime") as caught:
        store.replace(old, memory(title="Loser"))

    assert caught.value.current is None
    assert kept(root, caught.value).title == "Loser"


def test_a_change_by_hand_is_a_conflict_too(store: FileStore, root: Path) -> None:
    old = store.create(memory())
    (root / "decisions" / "x.json").write_bytes(b"being edited {")

    with pytest.raises(ConflictError):
        store.replace(old, memory(title="Loser"))

    assert (root / "decisions" / "x.json").read_bytes() == b"being edited {"


def test_only_the_version_that_was_looked_at_is_deleted(store: FileStore, root: Path) -> None:
    old = store.create(memory())
    newer = store.replace(old, memory(title="Newer"))

    with pytest.raises(ConflictError):
        store.delete(old)
    assert store.load(MemoryId("x")) == newer

    store.delete(newer)
    assert store.scan().stored == ()
    assert listed(root) == []


def test_writing_what_is_there_already_touches_nothing(store: FileStore, root: Path) -> None:
    path = root / "decisions" / "x.json"
    path.parent.mkdir()
    data = OLD_DECISION.replace(b"jwt-over-session-cookies", b"x").replace(b"\n", b"\r\n")
    path.write_bytes(data)
    old = store.load(MemoryId("x"))

    assert store.replace(old, old.memory.with_fields({})) is old
    assert path.read_bytes() == data


def test_an_id_with_a_path_in_it_cannot_be_written_to(store: FileStore, root: Path) -> None:
    stored = store.create(memory())
    outside = root.parent.parent / "x.json"

    with pytest.raises(OutsideRootError):
        store.delete(replace(stored, memory=Memory(document(id="../../../x"))))

    assert not outside.exists()


@requirement("store:scan:broken-reported")
def test_broken_files_are_reported_with_line_and_reason_and_the_others_are_served(
    store: FileStore, root: Path
) -> None:
    good = store.create(memory())
    bad = {
        "syntax.json": (b'{\n  "a": \n}', 3, "not valid JSON"),
        "field.json": (render(document(id="field", tags=[])), 8, "tags: needs at least 1"),
        "place.json": (render(document(Category.RUNBOOK, id="place")), 3, "move the file to runbooks/"),
        "name.json": (render(document(id="other")), 4, "but the file is name.json"),
        "missing.json": (b"{}", None, "schema_version: is missing"),
    }
    for name, (data, _, _) in bad.items():
        (root / "decisions" / name).write_bytes(data)

    scan = store.scan()

    assert scan.stored == (good,)
    found = {broken.path.rpartition("/")[2]: broken for broken in scan.broken}
    assert set(found) == set(bad)
    for name, (data, line, reason) in bad.items():
        assert found[name].line == line, name
        assert reason in found[name].reason
        assert (root / "decisions" / name).read_bytes() == data
    assert store.taken() == {"x", "syntax", "field", "place", "name", "missing"}


def test_loading_a_broken_memory_raises_with_its_path(store: FileStore, root: Path) -> None:
    store.create(memory())
    (root / "decisions" / "x.json").write_bytes(b"{")
    with pytest.raises(InvalidJsonError, match=r"\.claude/memory/decisions/x\.json, line 1"):
        store.load(MemoryId("x"))

    (root / "decisions" / "x.json").write_bytes(b"{}")
    with pytest.raises(InvalidMemoryError, match=r"\.claude/memory/decisions/x\.json"):
        store.load(MemoryId("x"))


def test_a_scan_reports_its_progress(store: FileStore) -> None:
    for id in "abc":
        store.create(memory(id))
    seen: list[tuple[int, int]] = []

    store.scan(lambda done, total: seen.append((done, total)))

    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_the_inventory_follows_every_write(store: FileStore, root: Path) -> None:
    a = store.create(memory("a"))
    store.create(memory("b", Category.RUNBOOK))
    assert listed(root) == ["a", "b"]

    store.replace(a, memory("a", record_status="retired"))
    assert listed(root) == ["b"]
    assert (root / "index.md").read_text() == store.inventory()
    changed, _ = store.rebuild_inventory()
    assert not changed


@pytest.mark.parametrize("spoil", ["text", "bytes", "missing", "fifo"])
def test_an_inventory_that_is_spoilt_is_written_anew_by_the_next_save(
    store: FileStore, root: Path, spoil: str
) -> None:
    store.create(memory("a"))
    index = root / "index.md"
    index.unlink()
    match spoil:
        case "text":
            index.write_text("my own notes")
        case "bytes":
            index.write_bytes(b"\xff\xfe")
        case "fifo":
            os.mkfifo(index)
        case _:
            pass

    store.create(memory("b"))

    assert listed(root) == ["a", "b"]


def test_several_writes_under_one_lock_are_one_update_of_the_inventory(
    store: FileStore, root: Path
) -> None:
    with store.writing():
        store.create(memory("a"))
        store.create(memory("b"))
        assert not (root / "index.md").exists()

    assert listed(root) == ["a", "b"]


def test_state_is_kept_out_of_git(store: FileStore, root: Path) -> None:
    store.create(memory())

    assert (root / ".recollect" / ".gitignore").read_text().splitlines()[-1] == "*"


@requirement("store:recover:leftovers")
def test_what_a_killed_writer_left_is_cleaned_by_the_next_command(
    store: FileStore, root: Path, reopen: Callable[[], Recollect]
) -> None:
    store.create(memory())
    (root / ".recollect" / "writing").touch()
    temps = [
        root / "decisions" / f".y.json.999{TEMP_SUFFIX}",
        root / f".index.md.999{TEMP_SUFFIX}",
        root / ".recollect" / f"..gitignore.999{TEMP_SUFFIX}",
    ]
    for temp in temps:
        temp.write_bytes(b"half")
    (root / "index.md").write_text("half")

    reopen()

    assert not any(temp.exists() for temp in temps)
    assert listed(root) == ["x"]
    assert not (root / ".recollect" / "writing").exists()


def test_nothing_is_mended_while_another_writer_is_at_work(store: FileStore, root: Path) -> None:
    store.create(memory())
    (root / ".recollect" / "writing").touch()
    temp = root / "decisions" / f".y.json.999{TEMP_SUFFIX}"
    temp.touch()

    with exclusive(root / ".recollect" / "lock"):
        assert not store.recover()
        assert temp.exists()

    assert store.recover()
    assert not temp.exists()
    with store.writing():
        store.settle()
    assert not store.recover()


def test_a_supersession_cut_short_is_completed_even_if_another_writer_came_first(
    project: Recollect, root: Path, reopen: Callable[[], Recollect]
) -> None:
    """The writer that finds the mark mends the files; the next command ends what is superseded."""
    store = project.space.store
    store.create(memory("old"))
    store.create(memory("new", links=[{"type": "supersedes", "target": "mem:old"}]))
    (root / ".recollect" / "writing").touch()

    store.create(memory("third"))
    assert store.load(MemoryId("old")).memory.valid_to is None

    assert reopen().memories.get("old").memory.valid_to is not None
    assert listed(root) == ["new", "third"]


def test_a_second_writer_waits_no_longer_than_it_is_told(store: FileStore, root: Path) -> None:
    store.create(memory())
    store.lock_wait = 0.05

    with exclusive(root / ".recollect" / "lock"), pytest.raises(LockedError, match="another process"):
        store.create(memory("y"))


def test_threads_of_one_process_lose_nothing(store: FileStore, root: Path) -> None:
    def work(start: int) -> None:
        for number in range(start, start + 10):
            store.create(memory(f"m{number}"))

    threads = [Thread(target=work, args=(start,)) for start in (0, 10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(store.scan().stored) == len(listed(root)) == 30


def test_a_refused_write_leaves_no_mark_behind(store: FileStore, root: Path) -> None:
    old = store.create(memory())
    store.delete(old)

    with pytest.raises(ConflictError):
        store.delete(old)

    assert not (root / ".recollect" / "writing").exists()


@pytest.mark.parametrize("name", [".recollect", ".recollect/rejected"])
def test_state_is_not_written_through_a_symlink_out_of_the_root(
    store: FileStore, root: Path, tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    stored = store.create(memory())
    newer = store.replace(stored, memory(title="Newer"))
    place = root / name
    place.rename(tmp_path / "moved") if place.exists() else None
    place.symlink_to(outside)

    with pytest.raises(OutsideRootError, match="is a symlink that leaves the memory root"):
        store.replace(stored, memory(title="Loser"))

    assert list(outside.iterdir()) == []
    assert store.load(MemoryId("x")) == newer


@pytest.mark.parametrize("mark", ["writing", "lock"])
def test_a_mark_that_is_a_symlink_is_not_followed(
    store: FileStore, root: Path, tmp_path: Path, mark: str
) -> None:
    store.create(memory())
    (root / ".recollect" / mark).unlink(missing_ok=True)
    (root / ".recollect" / mark).symlink_to(tmp_path / "outside")

    with pytest.raises(StoreError, match=mark):
        store.create(memory("y"))

    assert not (tmp_path / "outside").exists()


def test_a_root_that_is_gone_is_not_made_again(store: FileStore, root: Path) -> None:
    root.rmdir()

    with pytest.raises(StoreError, match="no longer exists; `recollect init` creates a new one"):
        store.create(memory())

    assert not root.exists()
