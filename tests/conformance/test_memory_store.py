"""Where memories are stored: versions, conflicts, broken files. Files and PostgreSQL alike."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import shared_project
from tests.requirements import requirement
from tests.samples import document

from recollect.errors import (
    ConflictError,
    InvalidConfigError,
    InvalidJsonError,
    MemoryNotFoundError,
    OutsideRootError,
)
from recollect.ids import MemoryId
from recollect.records.categories import Category
from recollect.records.json_format import render
from recollect.records.record import Memory
from recollect.records.store import MemoryStore
from recollect.storage.files.root import MemoryRoot
from recollect.storage.files.store import FileStore
from recollect.storage.postgres.memories import PostgresMemories


@dataclass(frozen=True, slots=True)
class Engine:
    """A store; the same again, as another process opens it; and a way to put a file there by hand."""

    store: MemoryStore
    reopened: Callable[..., MemoryStore]
    put: Callable[[Mapping[str, bytes | None]], None]


def files(folder: Path) -> Engine:
    root = MemoryRoot(folder, ".claude/memory")

    def put(contents: Mapping[str, bytes | None]) -> None:
        for path, data in contents.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(data or b"")

    return Engine(FileStore(root), lambda **options: FileStore(root, **options), put)


def postgres(_folder: Path) -> Engine:
    project = shared_project()
    memories = PostgresMemories(project)
    again = project.database.project(project.key)
    return Engine(memories, lambda **options: PostgresMemories(again, **options), memories.apply)


@pytest.fixture(params=[files, postgres], ids=lambda make: make.__name__)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    make: Callable[[Path], Engine] = request.param
    return make(tmp_path)


@pytest.fixture
def store(engine: Engine) -> MemoryStore:
    return engine.store


def memory(id: str = "x", category: Category = Category.DECISION, **fields: Any) -> Memory:
    return Memory.parse(document(category, id=id, **fields))


@requirement("team:postgres:adapters")
def test_a_memory_is_read_as_it_was_written(engine: Engine) -> None:
    stored = engine.store.create(memory())

    for store in (engine.store, engine.reopened()):
        assert store.load(MemoryId("x")) == stored
        assert store.scan().stored == (stored,)
        assert store.has(MemoryId("x"))
        assert store.taken() == {"x"}


def test_an_id_without_a_memory_is_not_found(store: MemoryStore) -> None:
    assert not store.has(MemoryId("x"))
    assert not store.has(MemoryId("../x"))
    with pytest.raises(MemoryNotFoundError, match="there is no memory 'x'"):
        store.load(MemoryId("x"))


@pytest.mark.parametrize("category", [Category.DECISION, Category.RUNBOOK])
def test_an_id_that_is_taken_in_any_category_is_a_conflict(
    store: MemoryStore, category: Category
) -> None:
    first = store.create(memory())

    with pytest.raises(ConflictError) as caught:
        store.create(memory(category=category, title="Second"))

    assert caught.value.current == first.digest
    assert store.scan().stored == (first,)


def test_a_write_over_a_version_that_is_gone_is_a_conflict_that_names_both(store: MemoryStore) -> None:
    old = store.create(memory())
    newer = store.replace(old, memory(title="Newer"))

    with pytest.raises(ConflictError) as caught:
        store.replace(old, memory(title="Loser"))
    with pytest.raises(ConflictError):
        store.delete(old)

    assert (caught.value.expected, caught.value.current) == (old.digest, newer.digest)
    assert store.load(MemoryId("x")) == newer


def test_a_write_over_a_memory_that_was_deleted_is_a_conflict(store: MemoryStore) -> None:
    old = store.create(memory())
    store.delete(old)

    with pytest.raises(ConflictError, match="deleted in the meantime"):
        store.replace(old, memory(title="Loser"))

    assert store.scan().stored == ()


def test_writing_what_is_there_already_is_no_new_version(store: MemoryStore) -> None:
    old = store.create(memory())

    assert store.replace(old, old.memory.with_fields({})) is old


def test_fields_that_this_version_does_not_know_are_kept(store: MemoryStore) -> None:
    stored = store.create(Memory.parse(document(id="x", from_the_future={"a": [1, 2.50, None]})))

    assert store.load(MemoryId("x")).memory.document["from_the_future"] == {"a": [1, 2.50, None]}
    assert stored == store.load(MemoryId("x"))


def test_broken_files_are_reported_with_line_and_reason_and_the_others_are_served(
    engine: Engine,
) -> None:
    good = engine.store.create(memory())
    bad = {
        "syntax": (b'{\n  "a": \n}', 3, "not valid JSON"),
        "field": (render(document(id="field", tags=[])), 8, "tags: needs at least 1"),
        "place": (render(document(Category.RUNBOOK, id="place")), 3, "move the file to runbooks/"),
        "bytes": (b"\xff\xfe\x00", None, ""),
    }
    engine.put({f"decisions/{name}.json": data for name, (data, _, _) in bad.items()})

    scan = engine.store.scan()

    assert scan.stored == (good,)
    reports = {each.path.rpartition("/")[2].removesuffix(".json"): each for each in scan.broken}
    assert {name: reports[name].line for name in bad if name != "bytes"} == {
        name: line for name, (_, line, _) in bad.items() if name != "bytes"
    }
    assert all(reason in reports[name].reason for name, (_, _, reason) in bad.items())
    assert engine.store.taken() == {"x", *bad}
    with pytest.raises(InvalidJsonError):
        engine.store.load(MemoryId("syntax"))
    with pytest.raises(ConflictError):
        engine.store.create(memory("syntax"))


def test_memories_come_by_category_and_id(store: MemoryStore) -> None:
    for id, category in (("b", Category.DECISION), ("a", Category.RUNBOOK), ("a2", Category.DECISION)):
        store.create(memory(id, category))

    assert [stored.memory.id for stored in store.scan().stored] == ["a2", "b", "a"]


def test_an_id_with_a_path_in_it_cannot_be_written_to(store: MemoryStore) -> None:
    stored = store.create(memory())

    with pytest.raises(OutsideRootError):
        store.delete(replace(stored, memory=Memory(document(id="../../../x"))))


def test_a_scan_reports_its_progress(store: MemoryStore) -> None:
    reports: list[tuple[int, int]] = []
    store.create(memory())

    store.scan(lambda done, of: reports.append((done, of)))

    assert reports == [(1, 1)]


def test_settings_that_were_not_accepted_forbid_writing(engine: Engine) -> None:
    with pytest.raises(InvalidConfigError, match="no"):
        engine.reopened(refusal="no").create(memory())

    assert engine.store.taken() == set()


def test_of_two_who_change_one_version_one_succeeds_and_the_other_is_told(engine: Engine) -> None:
    old = engine.store.create(memory())

    def change(number: int) -> bool:
        try:
            engine.reopened().replace(old, memory(title=f"Changed by {number}"))
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(change, range(4))) == [False, False, False, True]


def test_many_who_write_different_memories_lose_nothing(engine: Engine) -> None:
    def create(number: int) -> None:
        with (store := engine.reopened()).writing():
            store.create(memory(f"m{number}"))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(create, range(12)))

    assert engine.store.taken() == {f"m{number}" for number in range(12)}
