"""The kept index of a project: in step with the files, mended when broken, never missed."""

import os
import random
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.e2e.test_faults import fill, mount
from tests.embedded import embedded
from tests.requirements import requirement
from tests.retrieval.corpora import doc
from tests.samples import document, draft

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.paths import INDEX_NAME
from recollect.records.categories import Category
from recollect.records.json_format import render
from recollect.retrieval.request import Request
from recollect.storage.sqlite import index_database
from recollect.storage.sqlite.index_database import DocumentDatabase

TITLES = ("Sign a JWT at login", "Retry the payment queue", "Shard the ledger by tenant")


def put(folder: Path, id: str, title: str, category: Category = Category.DECISION) -> Path:
    """Write a memory's file, as a person or another tool would."""
    path = folder / ".claude" / "memory" / category.folder / f"{id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(render(document(category, id=id, title=title)))
    return path


@pytest.fixture
def full(folder: Path, project: Recollect) -> Recollect:
    """A project with three memories."""
    for number, title in enumerate(TITLES):
        put(folder, f"m{number}", title)
    return project


@pytest.fixture
def kept(folder: Path) -> Path:
    return folder / ".claude" / "memory" / ".recollect" / INDEX_NAME


def answer(recollect: Recollect, text: str = "queue ledger login") -> list[object]:
    """Everything about the hits of a search."""
    found = recollect.find(Request(text, limit=50, strategy="fts5_bm25"))
    return [(hit.document, hit.explanation.as_json()) for hit in found.answer.hits]


def titles(recollect: Recollect, text: str = "queue ledger login") -> set[str]:
    found = recollect.find(Request(text, limit=50, strategy="fts5_bm25"))
    return {hit.document.title for hit in found.answer.hits}


@requirement("retrieval:index:in-step")
def test_the_index_follows_the_files(folder: Path, full: Recollect) -> None:
    assert titles(full) == set(TITLES)

    put(folder, "m0", "Paint the shed at login")
    put(folder, "new", "A queue of its own", Category.RUNBOOK)
    (folder / ".claude/memory/decisions/m2.json").unlink()

    assert titles(full) == {"Paint the shed at login", TITLES[1], "A queue of its own"}


def test_an_edit_that_keeps_size_and_time_is_noticed_soon_after(folder: Path, full: Recollect) -> None:
    path = folder / ".claude/memory/decisions/m0.json"
    assert TITLES[0] in titles(full)
    before = path.stat()

    put(folder, "m0", "Sign a JWT at logoff and login"[: len(TITLES[0])])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert path.stat().st_size == before.st_size
    assert TITLES[0] not in titles(full, "sign jwt")


def test_a_memory_that_moves_to_another_file_is_found_there(folder: Path, full: Recollect) -> None:
    titles(full)
    (folder / ".claude/memory/decisions/m1.json").unlink()
    moved = put(folder, "renamed", TITLES[1])

    (hit,) = full.find(Request("payment queue", strategy="fts5_bm25")).answer.hits

    assert hit.document.path == f".claude/memory/decisions/{moved.name}"


def test_a_file_that_is_no_memory_hides_nothing(folder: Path, full: Recollect) -> None:
    decisions = folder / ".claude" / "memory" / "decisions"
    (decisions / "broken.json").write_text("{")
    (decisions / "folder.json").mkdir()
    (decisions / "dangling.json").symlink_to("nowhere")
    Path(os.fsdecode(os.fsencode(decisions) + b"/\xff.json")).write_bytes(b"{}")
    half = document(id="half", title="HALF").copy()
    (decisions / "half.json").write_bytes(render(half).replace(b"HALF", b"queue \\ud800 half"))

    found = titles(full)

    assert set(TITLES) <= found
    assert found - set(TITLES) <= {"queue \\ud800 half"}


@requirement("retrieval:index:deleted")
def test_deleting_the_index_changes_no_answer(
    folder: Path, full: Recollect, kept: Path, reopen: Callable[[], Recollect]
) -> None:
    """Not even after a history of edits."""
    for number in range(6):
        put(folder, f"e{number % 3}", f"Queue number {number} of the ledger")
        answer(full)
    (folder / ".claude/memory/decisions/e1.json").unlink()
    before = answer(full)
    assert before == answer(reopen())

    for path in kept.parent.glob(f"{INDEX_NAME}*"):
        path.unlink()

    assert answer(reopen()) == before
    assert kept.exists()


def wreck_random(path: Path) -> None:
    path.write_bytes(random.Random(3).randbytes(path.stat().st_size))


def wreck_truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 + 100)


def wreck_tail(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 4096)


def wreck_empty(path: Path) -> None:
    os.truncate(path, 0)


def wreck_inner_pages(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = random.Random(4).randbytes(len(data) - 4096)
    path.write_bytes(data)


def wreck_tables(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE tag")
        db.execute("DROP TABLE document")
    db.close()


def wreck_dates(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE document SET created_at = 'yesterday', tags = '{'")
    db.close()


WRECKS = [
    wreck_random,
    wreck_truncated,
    wreck_tail,
    wreck_inner_pages,
    wreck_tables,
    wreck_dates,
]


def closed(recollect: Recollect) -> None:
    recollect.finder.index.close()


@requirement("retrieval:index:corrupt")
@pytest.mark.parametrize("wreck", WRECKS)
def test_a_corrupt_index_is_moved_aside_built_anew_and_reported(
    full: Recollect, kept: Path, reopen: Callable[[], Recollect], wreck: Callable[[Path], None]
) -> None:
    before = answer(full)
    closed(full)
    wreck(kept)

    found = reopen().find(Request("queue ledger login", strategy="fts5_bm25"))

    assert any("the index was corrupt" in note for note in found.notes)
    assert kept.with_name(f"{INDEX_NAME}.corrupt").exists()
    again = reopen()
    assert answer(again) == before
    assert again.find(Request("queue", strategy="fts5_bm25")).notes == (), "told once"


def test_an_emptied_index_is_filled_again(
    full: Recollect, kept: Path, reopen: Callable[[], Recollect]
) -> None:
    before = answer(full)
    closed(full)
    wreck_empty(kept)

    assert answer(reopen()) == before


@requirement("retrieval:index:corrupt")
def test_no_page_of_the_index_can_be_overwritten_so_that_a_search_fails(
    full: Recollect, kept: Path, reopen: Callable[[], Recollect]
) -> None:
    before = titles(full)
    closed(full)
    whole, noise = kept.read_bytes(), random.Random(5)
    for start in range(0, len(whole), 4096):
        data = bytearray(whole)
        data[start : start + 4096] = noise.choice([bytes(4096), noise.randbytes(4096)])
        kept.write_bytes(data)
        again = reopen()
        assert titles(again) == before, start
        closed(again)


def test_an_index_that_breaks_while_it_is_open_is_replaced(full: Recollect, kept: Path) -> None:
    before = answer(full)
    with sqlite3.connect(kept) as db:
        db.execute("DROP TABLE document")
    db.close()

    assert answer(full) == before
    assert answer(full) == before


@requirement("retrieval:index:corrupt")
@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE meta SET value = 'many' WHERE key = 'documents'",
        "UPDATE document SET tags = '{'",
        "UPDATE document SET category = x'ff'",
    ],
)
def test_an_index_with_values_gone_bad_is_built_anew(full: Recollect, kept: Path, harm: str) -> None:
    assert titles(full) == set(TITLES)
    closed(full)
    db = sqlite3.connect(kept, isolation_level=None)
    db.execute(harm)
    db.close()

    assert titles(full) == set(TITLES)


@pytest.mark.parametrize("harm", ["a file for a folder", "a folder for the index"])
def test_where_the_index_cannot_be_kept_it_is_in_memory(full: Recollect, kept: Path, harm: str) -> None:
    if harm == "a file for a folder":
        kept.parent.write_text("in the way")
    else:
        kept.mkdir(parents=True)

    found = full.find(Request("queue ledger login", strategy="fts5_bm25"))

    assert {hit.document.title for hit in found.answer.hits} == set(TITLES)
    assert any("cannot be stored" in note for note in found.notes)
    assert titles(full) == set(TITLES)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own with a project of three memories on it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount(folder, "size=256k,mode=0755")
    try:
        for number, title in enumerate(TITLES):
            put(folder, f"m{number}", title)
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("known", ["nothing", "everything"])
def test_a_project_on_a_read_only_disk_is_searched(disk: Path, env: dict[str, str], known: str) -> None:
    if known == "everything":
        first = open_project(disk, env=env)
        assert titles(first) == set(TITLES)
        closed(first)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

    assert titles(open_project(disk, env=env)) == set(TITLES)


def test_a_project_on_a_full_disk_is_searched(disk: Path, env: dict[str, str]) -> None:
    (disk / ".claude" / "memory" / ".recollect").mkdir(exist_ok=True)
    fill(disk / "ballast")
    recollect = open_project(disk, env=env)

    found = recollect.find(Request("queue ledger login", strategy="fts5_bm25"))

    assert {hit.document.title for hit in found.answer.hits} == set(TITLES)
    assert any("cannot be stored" in note for note in found.notes)
    assert titles(recollect) == set(TITLES)


def test_an_index_stays_when_the_disk_fills_up_and_what_it_lacks_is_found(
    disk: Path, env: dict[str, str]
) -> None:
    subprocess.run(["mount", "-o", "remount,size=1m", str(disk)], check=True)
    first = open_project(disk, env=env)
    assert titles(first) == set(TITLES)
    closed(first)
    for number in range(20):
        put(disk, f"new-{number}", f"Queue number {number}")
    fill(disk / "ballast")
    recollect = open_project(disk, env=env)

    found = recollect.find(Request("number", strategy="fts5_bm25"))

    assert found.answer.total == 20
    assert any("cannot be stored" in note for note in found.notes), found.notes
    assert not list(disk.rglob("*.corrupt"))


@pytest.fixture
def locked(kept: Path) -> Iterator[Callable[[], None]]:
    """Hold the index for writing, as a slow process would."""
    holders: list[sqlite3.Connection] = []

    def hold() -> None:
        db = sqlite3.connect(kept, isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
        holders.append(db)

    yield hold
    for db in holders:
        db.close()


def test_an_index_that_another_holds_answers_with_what_it_knows_and_says_so(
    folder: Path, full: Recollect, locked: Callable[[], None]
) -> None:
    titles(full)
    embedded(full.finder.index).connection.execute("PRAGMA busy_timeout = 20")
    locked()
    put(folder, "new", "Queue for the login")

    found = full.find(Request("queue login ledger", strategy="fts5_bm25"))

    assert {hit.document.title for hit in found.answer.hits} == set(TITLES)
    assert any("could not be updated" in note for note in found.notes)


def test_an_index_that_another_process_is_making_is_waited_for(
    folder: Path, full: Recollect, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half an index finds half of the memories, and would not know it."""
    embedded(full.finder.index).connection.execute("PRAGMA busy_timeout = 20")
    maker = sqlite3.connect(kept, isolation_level=None, check_same_thread=False)
    maker.execute("BEGIN IMMEDIATE")
    done = threading.Timer(0.3, lambda: maker.execute("ROLLBACK"))
    done.start()

    assert titles(full) == set(TITLES)
    done.join()

    maker.execute("DELETE FROM meta WHERE key = 'folders'")
    maker.execute("BEGIN IMMEDIATE")
    put(folder, "new", "Queue for the login")
    monkeypatch.setattr(index_database, "FIRST_BUILD_SECONDS", 0.1)
    found = full.find(Request("queue", strategy="fts5_bm25"))
    maker.close()
    assert found.notes == (
        "another process is still building the index: not every memory was searched",
    )


def test_the_users_memories_are_found_beside_the_projects_and_after_them(project: Recollect) -> None:
    project.memories.save(draft("Ledger one"))
    project.user_space.store.root.path.mkdir(parents=True)
    project.user_memories.save(draft("Ledger two"))

    hits = project.find(Request("ledger", strategy="fts5_bm25")).answer.hits

    assert [hit.document.title for hit in hits] == ["Ledger one", "Ledger two"]
    assert hits[0].document.priority < hits[1].document.priority


def test_a_corpus_in_a_file_is_found_again(tmp_path: Path) -> None:
    at = tmp_path / "index.db"
    corpus = DocumentDatabase([doc("a", "Ledger")], at)
    corpus.reader()
    corpus.close()

    assert DocumentDatabase([], at).reader().size == 1
