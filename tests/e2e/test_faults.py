"""Disks that are full, folders that cannot be written, files that are no files."""

import errno
import io
import os
import resource
import shutil
import subprocess
import traceback
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.requirements import requirement
from tests.samples import NOW, document, draft

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.errors import (
    InvalidError,
    InvalidMemoryError,
    OutsideRootError,
    RecollectError,
    StoreError,
)
from recollect.ids import UnifiedId
from recollect.records.json_format import render
from recollect.records.memories import Saved
from recollect.records.record import LinkType
from recollect.retrieval.request import Request
from recollect.storage.files.atomic import TEMP_SUFFIX

DECISIONS = ".claude/memory/decisions"
NOBODY = 65534


def opened(folder: Path) -> Recollect:
    return open_project(folder, env={"HOME": str(folder.parent / "home")}, clock=lambda: NOW)


def save(folder: Path, title: str = "New") -> None:
    saved = opened(folder).memories.save(draft(title, content={"decision": f"Do {title}."}))
    assert isinstance(saved, Saved)


def tree(folder: Path) -> dict[str, str]:
    """Everything below a folder, state excepted: kind and content of each."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if ".recollect" not in path.parts:
            plain = path.is_file() and not path.is_symlink() and path.stat().st_size < 10**6
            found[str(path.relative_to(folder))] = path.read_bytes().hex() if plain else "other"
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project with one memory in it, beside things that are none of its business."""
    folder = tmp_path / "project"
    (folder / ".claude" / "memory").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.json").write_bytes(render(document(id="secret")))
    save(folder, "Good")
    return folder


def message_in_child(action: Callable[[], object], prepare: Callable[[], object]) -> str:
    """Run an action in a child with other limits or rights; the message of the error it raised."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            prepare()
            action()
            answer = "no error"
        except RecollectError as error:
            answer = f"{type(error).__name__}: {error}"
        except BaseException:
            answer = traceback.format_exc()
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


def mount(folder: Path, options: str) -> None:
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"mounting a file system is not permitted here: {done.stderr.decode().strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own with a project on it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount(folder, "size=1m")
    try:
        (folder / "project" / ".claude" / "memory").mkdir(parents=True)
        save(folder / "project", "Good")
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def served(folder: Path) -> list[str]:
    return [stored.memory.id for stored in opened(folder).memories.scan().stored]


@requirement("store:faults:full-disk")
def test_a_full_disk_is_reported_by_name_and_changes_nothing(disk: Path) -> None:
    project = disk / "project"
    before = tree(project)
    fill(disk / "ballast")

    with pytest.raises(
        StoreError, match=r"cannot (write|make).*'\.claude/memory.*No space left on device"
    ):
        save(project)

    assert tree(project) == before
    assert served(project) == ["good"]

    (disk / "ballast").unlink()
    save(project)
    assert served(project) == ["good", "new"]
    assert "new.json" in (project / ".claude/memory/index.md").read_text()


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError as error:
                assert error.errno == errno.ENOSPC  # noqa: PT017 - how a disk says that it is full


@requirement("store:faults:index-leaves-room")
def test_the_index_does_not_take_the_last_space_from_a_save(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount(folder, "size=8m")
    try:
        project = folder / "project"
        decisions = project / ".claude" / "memory" / "decisions"
        decisions.mkdir(parents=True)
        for number in range(600):
            text = " ".join(f"word{number}x{place}" for place in range(100))
            record = document(id=f"m{number}", content={**document()["content"], "context": text})  # type: ignore[dict-item]
            (decisions / f"m{number}.json").write_bytes(render(record))
        room = shutil.disk_usage(folder).free - 1_200_000
        (folder / "ballast").write_bytes(b"x" * room)

        recollect = opened(project)
        found = recollect.search.find(Request("word599x7", limit=1))

        assert [hit.document.id for hit in found.answer.hits] == ["mem:m599"]
        assert any("nearly full" in note for note in found.notes)
        assert shutil.disk_usage(folder).free > shutil.disk_usage(folder).total // 20
        save(project)
        assert "new" in served(project)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_file_that_may_not_grow_as_large_as_the_memory_is_reported(place: Path) -> None:
    before = tree(place.parent)

    told = message_in_child(
        lambda: save(place), lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
    )

    assert told.startswith(
        "StoreError: cannot write '.claude/memory/decisions/new.json': File too large"
    )
    assert tree(place.parent) == before
    assert served(place) == ["good"]


@requirement("store:faults:any-call")
@pytest.mark.parametrize("name", ["write", "fsync", "replace"])
@pytest.mark.parametrize("number", range(1, 5))
def test_an_error_of_the_disk_at_any_call_is_reported_and_the_next_command_mends(
    place: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    before = served(place)
    project, real, seen = opened(place), getattr(os, name), 0

    def fails(*arguments: object, **options: object) -> object:
        nonlocal seen
        seen += 1
        if seen == number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments, **options)

    monkeypatch.setattr(os, name, fails)
    try:
        project.memories.save(draft("New", content={"decision": "Do New."}))
    except StoreError as error:
        told = str(error)
    else:
        told = ""
    monkeypatch.undo()

    found = served(place)
    assert (seen >= number) == bool(told)
    assert not told or ".claude/memory" in told
    assert found == ([*before] if "nothing was changed" in told else [*before, "new"])
    store = opened(place).space.store
    assert store.inventory_now() == store.inventory()
    assert list(place.rglob(f"*{TEMP_SUFFIX}")) == []


def failing_reads(monkeypatch: pytest.MonkeyPatch, name: str, numbers: Container[int]) -> list[str]:
    """Let the disk fail those reads of the file `name`, however it is opened; the list of all reads."""
    reads: list[str] = []

    def failing(real: Callable[..., Any]) -> Callable[..., Any]:
        def opens(path: Any, *arguments: Any, **options: Any) -> Any:
            if isinstance(path, str | os.PathLike) and os.fspath(path).endswith(name):
                reads.append(name)
                if len(reads) in numbers:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(path, *arguments, **options)

        return opens

    monkeypatch.setattr(io, "open", failing(io.open))
    monkeypatch.setattr(os, "open", failing(os.open))
    return reads


def supersede(project: Recollect) -> None:
    project.memories.save(
        draft(
            "Better",
            content={"decision": "Do it better."},
            links=[{"type": "supersedes", "target": "mem:good"}],
        )
    )


@requirement("store:faults:supersession-completes")
@pytest.mark.parametrize("number", range(1, 7))
def test_a_read_error_never_leaves_a_supersession_half_done(
    place: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    project = opened(place)
    with monkeypatch.context() as patch:
        failing_reads(patch, "good.json", {number})
        try:
            supersede(project)
        except RecollectError as error:
            assert "good.json" in str(error)  # noqa: PT017 - a read that is not made does not fail
            reported = True
        else:
            reported = False

    after = opened(place)  # the next command recovers
    assert reported or "better" in served(place)
    assert "better" not in served(place) or after.memories.get("good").memory.valid_to is not None


@requirement("store:faults:supersession-completes")
def test_a_memory_that_cannot_be_read_is_not_superseded(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = opened(place)
    with monkeypatch.context() as patch:
        failing_reads(patch, "good.json", range(1, 100))
        with pytest.raises(InvalidError, match=r"good\.json: cannot be read: Input/output error"):
            supersede(project)

    assert served(place) == ["good"]


@requirement("store:faults:supersession-completes")
def test_recovery_that_meets_a_read_error_is_finished_by_the_next_command(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = document(id="better", links=[{"type": "supersedes", "target": "mem:good"}])
    (place / DECISIONS / "better.json").write_bytes(render(killed))
    (place / ".claude/memory/.recollect/writing").touch()
    with monkeypatch.context() as patch:
        failing_reads(patch, "good.json", range(1, 100))
        opened(place)

    assert opened(place).memories.get("good").memory.valid_to is not None
    assert not (place / ".claude/memory/.recollect/unsettled").exists()


@requirement("store:faults:supersession-completes")
@pytest.mark.parametrize("number", range(1, 7))
def test_a_read_error_never_leaves_an_unlinking_half_done(
    place: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    project = opened(place)
    supersede(project)
    with monkeypatch.context() as patch, suppress(RecollectError):
        failing_reads(patch, "good.json", {number})
        project.memories.unlink("better", LinkType.SUPERSEDES, UnifiedId("mem:good"))

    after = opened(place).memories
    assert bool(after.get("better").memory.links) == (after.get("good").memory.valid_to is not None)


def test_a_read_only_file_system_is_reported_and_still_read(disk: Path) -> None:
    project = disk / "project"
    before = tree(project)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

    with pytest.raises(StoreError, match=r"'.*\.recollect/lock'.*read-only"):
        save(project)

    assert served(project) == ["good"]
    assert tree(project) == before


def test_a_read_only_file_system_with_a_killed_writers_mark_is_still_read(disk: Path) -> None:
    project = disk / "project"
    (project / ".claude/memory/.recollect/writing").touch()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

    assert served(project) == ["good"]


@pytest.fixture
def nobodys() -> Iterator[Path]:
    """A project that belongs to another user, where that user can reach it."""
    if os.getuid() != 0:
        pytest.skip("only root can act as another user")
    with TemporaryDirectory() as name:
        folder = Path(name) / "project"
        (folder / ".claude" / "memory").mkdir(parents=True)
        (folder / ".git").mkdir()  # outside of a checkout the root of another user is refused
        save(folder, "Good")
        for path in [folder.parent, *folder.parent.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
        yield folder


def as_nobody() -> None:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def test_a_folder_of_memories_without_permission_is_reported_by_name(nobodys: Path) -> None:
    (nobodys / DECISIONS).chmod(0o555)
    before = tree(nobodys)

    told = message_in_child(lambda: save(nobodys), as_nobody)

    assert told.startswith(f"StoreError: cannot write '{DECISIONS}/new.json': Permission denied")
    assert tree(nobodys) == before
    assert served(nobodys) == ["good"]


def test_a_root_without_permission_is_reported_by_what_could_not_be_written(nobodys: Path) -> None:
    """Its folders may still be written: the memory is there, and only the index is not."""
    (nobodys / ".claude" / "memory").chmod(0o555)

    told = message_in_child(lambda: save(nobodys), as_nobody)

    assert told.startswith("StoreError: the memory is written, but '.claude/memory/index.md' is not")
    assert served(nobodys) == ["good", "new"]
    assert "new.json" in (nobodys / ".claude/memory/index.md").read_text()


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (lambda path: path.mkdir(), "a folder"),
    "fifo": (os.mkfifo, "not a plain file"),
    "symlink out": (lambda path: path.symlink_to("../../../../outside/secret.json"), "symlink"),
    "dangling symlink": (lambda path: path.symlink_to("nowhere"), "No such file"),
    "50 MB": (lambda path: path.write_bytes(b'{"a": "' + b"x" * 50_000_000 + b'"}'), "bytes"),
    "invalid UTF-8": (lambda path: path.write_bytes(b'{"a": "\xff"}'), "not UTF-8"),
    "UTF-16": (lambda path: path.write_bytes('{"a": 1}'.encode("utf-16")), "not UTF-8"),
    "duplicate keys": (lambda path: path.write_bytes(b'{"a": 1, "a": 2}'), "appears twice"),
    "NaN": (lambda path: path.write_bytes(b'{"confidence": NaN}'), "NaN is not valid JSON"),
    "deep": (lambda path: path.write_bytes(b'{"a":' + b"[" * 500_000), "nested deeper"),
    "empty": (lambda path: path.touch(), "not valid JSON"),
    "conflict": (lambda path: path.write_bytes(b"{\n<<<<<<< ours\n}"), "merge conflict"),
    "list": (lambda path: path.write_bytes(b"[]"), "must be an object"),
    "another id": (lambda path: path.write_bytes(render(document(id="../up"))), "id: must be"),
    "lines": (
        lambda path: path.write_bytes(
            render(document(id="bad", anchors=[{"path": "a", "digest": "b", "lines": 5}]))
        ),
        "anchors[0].lines",
    ),
}


@requirement("store:faults:bad-files")
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_named_left_alone_and_does_not_stop_the_others(place: Path, kind: str) -> None:
    make, reason = BAD[kind]
    bad = place / DECISIONS / "bad.json"
    make(bad)
    before = tree(place.parent)

    scan = opened(place).memories.scan()

    assert [stored.memory.id for stored in scan.stored] == ["good"]
    (broken,) = scan.broken
    assert broken.path == f"{DECISIONS}/bad.json"
    assert reason in broken.reason
    with pytest.raises(InvalidError, match=rf"{DECISIONS}/bad\.json"):
        opened(place).memories.get("bad")
    assert tree(place.parent) == before

    save(place)
    kept = tree(place.parent)
    assert {name: kept[name] for name in before if "index.md" not in name} == {
        name: row for name, row in before.items() if "index.md" not in name
    }
    assert served(place) == ["good", "new"]


@pytest.mark.parametrize("spoil", [b"\xef\xbb\xbf%s", b"%s\r\n"])
def test_a_byte_order_mark_and_windows_line_ends_are_read(place: Path, spoil: bytes) -> None:
    data = render(document(id="odd")).replace(b"\n", b"\r\n")
    (place / DECISIONS / "odd.json").write_bytes(spoil % data)

    assert served(place) == ["good", "odd"]


@pytest.mark.parametrize("name", ["decisions", ".recollect", "index.md"])
def test_nothing_is_written_through_a_symlink_out_of_the_root(place: Path, name: str) -> None:
    root, outside = place / ".claude" / "memory", place.parent / "outside"
    (root / name).rename(place.parent / "moved")
    target = outside if name != "index.md" else outside / "secret.json"
    (root / name).symlink_to(target)
    before = tree(outside)

    try:
        save(place)
    except OutsideRootError as error:
        assert f".claude/memory/{name}" in str(error)  # noqa: PT017 - writing index.md is no error
    else:
        assert name == "index.md"

    assert tree(outside) == before


@pytest.mark.parametrize("id", ["../escape", "../../../outside/x", "/tmp/x", "a/../../b", "..", "a\0b"])
def test_an_id_with_a_path_in_it_writes_nothing_anywhere(place: Path, id: str) -> None:
    before = tree(place.parent)

    with pytest.raises(InvalidMemoryError, match="id: must be"):
        opened(place).memories.save(draft("New", id=id))

    assert tree(place.parent) == before


@pytest.mark.parametrize("name", ["decisions", ".recollect"])
def test_a_file_where_a_folder_should_be_is_named(place: Path, name: str) -> None:
    root = place / ".claude" / "memory"
    (root / name).rename(place.parent / "moved")
    (root / name).write_bytes(b"")

    with pytest.raises(
        StoreError, match=rf"'\.claude/memory/{name}' is a file where a folder should be"
    ):
        save(place)


def test_a_folder_where_the_index_should_be_is_named_and_the_memory_is_written(place: Path) -> None:
    index = place / ".claude" / "memory" / "index.md"
    index.unlink()
    index.mkdir()

    with pytest.raises(
        StoreError, match=r"the memory is written, but '\.claude/memory/index\.md' is not"
    ):
        save(place)
    assert served(place) == ["good", "new"]

    index.rmdir()
    assert served(place) == ["good", "new"]
    assert "new.json" in index.read_text()
