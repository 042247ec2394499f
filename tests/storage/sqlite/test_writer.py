"""Bringing the index in step with the files, and no further."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.retrieval.corpora import doc

from recollect.retrieval.index import Document, Filters
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.schema import storable
from recollect.storage.sqlite.writer import Changes, Content, FileState, fill, synchronise
from recollect.values import replaced

LATER = 10**12  # nanoseconds: long after the files of these tests were written


@dataclass(slots=True)
class Shelf:
    """Files that are in no file system: path to (modified, size, content)."""

    db: sqlite3.Connection = field(default_factory=index_file.memory)
    files: dict[str, tuple[int, int, Content]] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    def put(self, path: str, document: Document | None, modified: int = 1, size: int = 1) -> None:
        self.files[path] = (modified, size, Content(repr(document), document))

    def synchronise(self, now: int = LATER) -> Changes:
        self.read.clear()
        states = (FileState(path, row[0], row[1]) for path, row in self.files.items())
        return synchronise(self.db, states, self._read, now)

    def _read(self, path: str) -> Content:
        self.read.append(path)
        return self.files[path][2]

    def found(self, word: str) -> set[str]:
        index = SqliteIndex(self.db)
        hits = index.by_words([(index.stems([word])[0], 1)], Filters(), 50)
        return {fact.id.removeprefix("mem:") for fact in index.facts([key for key, _ in hits]).values()}


@pytest.fixture
def shelf() -> Shelf:
    shelf = Shelf()
    shelf.put("a", doc("a", "Ledger"))
    shelf.put("b", doc("b", "Quota"))
    assert shelf.synchronise() == Changes(added=2)
    return shelf


@requirement("retrieval:index:incremental")
def test_what_has_not_changed_is_not_read_again(shelf: Shelf) -> None:
    assert not shelf.synchronise()
    assert shelf.read == []


@requirement("retrieval:index:incremental")
@pytest.mark.parametrize(("modified", "size"), [(2, 1), (1, 2)])
def test_a_change_of_time_or_size_is_read_and_put_in(shelf: Shelf, modified: int, size: int) -> None:
    shelf.put("a", doc("a", "Shard"), modified, size)

    assert shelf.synchronise() == Changes(changed=1)
    assert shelf.read == ["a"]
    assert (shelf.found("ledger"), shelf.found("shard")) == (set(), {"a"})


@requirement("retrieval:index:incremental")
def test_a_file_that_was_only_touched_is_read_once_and_changes_nothing(shelf: Shelf) -> None:
    shelf.put("a", doc("a", "Ledger"), modified=2)

    assert not shelf.synchronise()
    assert shelf.read == ["a"]
    assert not shelf.synchronise()
    assert shelf.read == []


@requirement("retrieval:index:same-size-same-time")
def test_an_edit_of_the_same_size_and_time_soon_after_reading_is_noticed() -> None:
    shelf = Shelf()
    shelf.put("a", doc("a", "Ledger"), modified=LATER - 10**9)
    shelf.synchronise(LATER)

    shelf.put("a", doc("a", "Quotas"), modified=LATER - 10**9)
    assert shelf.synchronise(LATER + 10**8) == Changes(changed=1)
    assert shelf.found("quotas") == {"a"}

    shelf.synchronise(LATER + 10**10)
    assert shelf.read == ["a"], "seen long after its last change, it is beyond doubt"
    shelf.synchronise(LATER + 10**10)
    assert shelf.read == []


def test_a_file_written_a_moment_ago_is_looked_at_again_without_writing() -> None:
    """Eight who search while one writes need not wait for each other."""
    shelf = Shelf()
    shelf.put("a", doc("a", "Ledger"), modified=LATER - 10**9)
    shelf.synchronise(LATER)
    before = shelf.db.total_changes

    assert not shelf.synchronise(LATER + 10**8)

    assert shelf.read == ["a"]
    assert shelf.db.total_changes == before


@requirement("retrieval:index:deletion")
def test_a_file_that_is_gone_leaves_nothing_behind(shelf: Shelf) -> None:
    shelf.put("c", replaced(doc("c", "Shard"), tags=("t",), files=("x.py",), thread="s"))
    shelf.synchronise()
    for path in "abc":
        del shelf.files[path]

    assert shelf.synchronise() == Changes(removed=3)
    for table in ("file", "document", "tag", "named_file", "passage", "text", "term"):
        assert shelf.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


@requirement("retrieval:index:rename")
def test_a_file_that_was_renamed_is_found_under_its_new_path(shelf: Shelf) -> None:
    del shelf.files["a"]
    shelf.put("z", doc("a", "Ledger", path="z"))

    assert shelf.synchronise() == Changes(added=1, removed=1)
    assert shelf.found("ledger") == {"a"}
    assert shelf.db.execute("SELECT path FROM document WHERE id = 'mem:a'").fetchall() == [("z",)]


def test_a_key_is_never_given_twice(shelf: Shelf) -> None:
    """Vectors that are being made for a document must not become another's."""
    (before,) = shelf.db.execute("SELECT max(key) FROM document").fetchone()
    del shelf.files["b"]
    shelf.synchronise()
    shelf.put("c", doc("c"))
    shelf.synchronise()

    assert shelf.db.execute("SELECT max(key) FROM document").fetchone()[0] > before


def test_a_file_that_is_no_memory_is_remembered_and_found_by_nothing(shelf: Shelf) -> None:
    shelf.put("a", None, modified=2)

    shelf.synchronise()

    assert shelf.found("ledger") == set()
    assert not shelf.synchronise()
    assert shelf.read == []


@requirement("retrieval:threads:kept-up")
def test_a_change_in_a_thread_reaches_its_neighbours(shelf: Shelf) -> None:
    for number, word in enumerate(["refund", "x", "y"]):
        shelf.put(f"t{number}", doc(f"t{number}", body=word, day=number, thread="s"))
    shelf.synchronise()
    assert shelf.found("refund") == {"t0", "t1", "t2"}

    shelf.put("t0", doc("t0", body="gateway", thread="s"), modified=2)
    shelf.synchronise()
    assert (shelf.found("refund"), shelf.found("gateway")) == (set(), {"t0", "t1", "t2"})

    shelf.put("t0", doc("t0", body="gateway", thread="elsewhere"), modified=3)
    shelf.synchronise()
    assert shelf.found("gateway") == {"t0"}
    del shelf.files["t0"]
    shelf.synchronise()
    assert shelf.found("gateway") == set()


def test_a_failure_in_the_middle_leaves_the_index_as_it_was(shelf: Shelf) -> None:
    shelf.put("a", doc("a", "Shard"), modified=2)
    shelf.files["c"] = (1, 1, Content("x", None))
    bad: Mapping[str, Content] = {"a": shelf.files["a"][2]}
    states = [FileState("a", 2, 1), FileState("c", 1, 1)]

    with pytest.raises(KeyError):
        synchronise(shelf.db, states, bad.__getitem__, LATER)

    assert shelf.found("ledger") == {"a"}
    assert shelf.synchronise() == Changes(added=1, changed=1)


def test_progress_is_told() -> None:
    shelf, told = Shelf(), []
    shelf.put("a", doc("a"))
    shelf.put("b", doc("b"))
    states = [FileState(path, 1, 1) for path in "ab"]

    synchronise(shelf.db, states, shelf._read, LATER, lambda done, of: told.append((done, of)))

    assert told == [(1, 2), (2, 2)]


WORDS = st.sampled_from(["ledger", "quota", "shard"])
EDITS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.none() | st.tuples(WORDS, st.sampled_from(["", "s"]))),
    max_size=15,
)


@requirement("retrieval:index:history")
@given(EDITS)
def test_an_index_with_a_history_is_as_one_made_fresh(
    edits: list[tuple[str, tuple[str, str] | None]],
) -> None:
    """What is found, how it scores, and which words are known."""
    lived = Shelf()
    for number, (path, made) in enumerate(edits):
        if made is None:
            lived.files.pop(path, None)
        else:
            document = doc(path, made[0], " ".join(made), thread=made[1], tags=made[:1])
            lived.put(path, document, modified=number)
        lived.synchronise()
    fresh = index_file.memory()
    fill(fresh, [row[2].document for row in lived.files.values() if row[2].document])

    assert _dump(lived.db) == _dump(fresh)


def _dump(db: sqlite3.Connection) -> list[object]:
    index = SqliteIndex(db)
    terms = index.stems(["ledger", "quota", "shard", "s"])
    hits = index.by_words([(stem, 1) for stem in terms], Filters(), 50)
    facts = index.facts([key for key, _ in hits])
    rows = [(facts[key].id, score) for key, score in hits]
    return [rows, dict(index.frequencies(terms)), index.longer("q", 5), index.size]


@given(st.text(st.characters(), max_size=20))
def test_any_text_can_be_kept(text: str) -> None:
    db = index_file.memory()
    fill(db, [doc("a", text, text, tags=[text], files=(text,), thread=text, source=text)])

    (found,) = SqliteIndex(db).documents([k for k, _, _ in SqliteIndex(db).titles(Filters())]).values()
    db.close()

    assert found.title == found.body == found.thread == storable(text)


def test_half_a_character_is_spelled_out() -> None:
    assert storable("a\ud800b") == "a\\ud800b"
    assert storable("数据 a") == "数据 a"


@requirement("retrieval:index:stopped-on-the-way")
def test_who_is_stopped_while_making_an_index_has_not_worked_for_nothing() -> None:
    """A hook has less than a second, which is not enough for a hundred thousand memories at once."""
    db = index_file.memory()
    states = [FileState(f"{number:04}", 1, 1) for number in range(1_500)]

    def read(path: str) -> Content:
        if path == "1200" and db.execute("SELECT 1 FROM file LIMIT 1").fetchone():
            raise KeyboardInterrupt
        return Content(path, doc(path, f"Title {path}"))

    with pytest.raises(KeyboardInterrupt):
        synchronise(db, states, read, LATER)
    assert SqliteIndex(db).size == 1_000
    changes = synchronise(db, states, lambda path: Content(path, doc(path)), LATER)
    assert changes == Changes(added=500)
    assert SqliteIndex(db).size == 1_500
