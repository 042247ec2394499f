"""The index writer: equal to its source after each synchronisation, and no work beyond that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.indexes import EmptyIndex, ListedFiles, MakeIndex
from tests.requirements import requirement
from tests.retrieval.corpora import doc

from recollect.retrieval.index import Document, Filters, Index
from recollect.retrieval.index_writer import Changes, Content
from recollect.text.stemming import stems

LATER = 10**12  # nanoseconds: long after the files of these tests were written


@dataclass(slots=True)
class Synchronised:
    """An index and the files that it is built from."""

    index: EmptyIndex
    files: ListedFiles = field(default_factory=ListedFiles)

    def put(self, path: str, document: Document | None, modified: int = 1, size: int = 1) -> None:
        self.files.put(path, document, modified, size)

    def synchronise(self, now: int = LATER) -> Changes:
        self.files.paths_read.clear()
        return self.index.writer.synchronise(self.files, now)

    @property
    def read(self) -> list[str]:
        return self.files.paths_read

    def found(self, word: str) -> set[str]:
        return ids(self.index.reader, [word])


def ids(index: Index, words: Sequence[str]) -> set[str]:
    hits = index.by_words([(stem, 1) for stem in stems(words)], Filters(), 50)
    return {fact.id.removeprefix("mem:") for fact in index.facts([key for key, _ in hits]).values()}


@pytest.fixture
def empty(make_index: MakeIndex) -> Synchronised:
    return Synchronised(make_index())


@pytest.fixture
def shelf(empty: Synchronised) -> Synchronised:
    """An index of two files."""
    empty.put("a", doc("a", "Ledger"))
    empty.put("b", doc("b", "Quota"))
    assert empty.synchronise() == Changes(added=2)
    return empty


@requirement("retrieval:index:incremental")
def test_what_has_not_changed_is_not_read_again(shelf: Synchronised) -> None:
    assert not shelf.synchronise()
    assert shelf.read == []


@requirement("retrieval:index:incremental")
@pytest.mark.parametrize(("modified", "size"), [(2, 1), (1, 2)])
def test_a_change_of_time_or_size_is_read_and_put_in(
    shelf: Synchronised, modified: int, size: int
) -> None:
    shelf.put("a", doc("a", "Shard"), modified, size)

    assert shelf.synchronise() == Changes(changed=1)
    assert shelf.read == ["a"]
    assert (shelf.found("ledger"), shelf.found("shard")) == (set(), {"a"})


@requirement("retrieval:index:incremental")
def test_a_file_that_was_only_touched_is_read_once_and_changes_nothing(shelf: Synchronised) -> None:
    shelf.put("a", doc("a", "Ledger"), modified=2)

    assert not shelf.synchronise()
    assert shelf.read == ["a"]
    assert not shelf.synchronise()
    assert shelf.read == []


def test_an_edit_of_the_same_size_and_time_soon_after_reading_is_noticed(empty: Synchronised) -> None:
    shelf = empty
    shelf.put("a", doc("a", "Ledger"), modified=LATER - 10**9)
    shelf.synchronise(LATER)

    shelf.put("a", doc("a", "Quotas"), modified=LATER - 10**9)
    assert shelf.synchronise(LATER + 10**8) == Changes(changed=1)
    assert shelf.found("quotas") == {"a"}

    shelf.synchronise(LATER + 10**10)
    assert shelf.read == ["a"], "seen long after its last change, it is beyond doubt"
    shelf.synchronise(LATER + 10**10)
    assert shelf.read == []


def test_a_file_written_a_moment_ago_is_read_again_without_writing(empty: Synchronised) -> None:
    """Eight who search while one writes need not wait for each other."""
    empty.put("a", doc("a", "Ledger"), modified=LATER - 10**9)
    empty.synchronise(LATER)
    before = empty.index.reader.version()

    assert not empty.synchronise(LATER + 10**8)

    assert empty.read == ["a"]
    assert empty.index.reader.version() == before


def test_a_file_that_is_gone_is_found_by_nothing(shelf: Synchronised) -> None:
    document = doc("c", "Shard", tags=("t",), files=("x.py",), thread="s")
    shelf.put("c", document)
    shelf.synchronise()
    shelf.files.rows.clear()

    assert shelf.synchronise() == Changes(removed=3)
    index = shelf.index.reader
    assert index.size == 0
    assert not index.titles(Filters(statuses=frozenset()))
    assert not index.by_files(["x.py"], Filters(), 10)
    assert not index.frequencies(stems(["ledger", "quota", "shard"]))


def test_a_file_that_was_renamed_is_found_under_its_new_path(shelf: Synchronised) -> None:
    del shelf.files.rows["a"]
    shelf.put("z", doc("a", "Ledger", path="z"))

    assert shelf.synchronise() == Changes(added=1, removed=1)
    index = shelf.index.reader
    (key,) = [key for key, title, _ in index.titles(Filters()) if title == "Ledger"]
    assert index.documents([key])[key].path == "z"
    assert shelf.found("ledger") == {"a"}


def test_a_key_is_never_given_twice(shelf: Synchronised) -> None:
    """Vectors that are being made for a document must not become another's."""
    before = {key for key, _, _ in shelf.index.reader.titles(Filters())}
    del shelf.files.rows["b"]
    shelf.synchronise()
    shelf.put("c", doc("c"))
    shelf.synchronise()

    (new,) = {key for key, _, _ in shelf.index.reader.titles(Filters())} - before
    assert new > max(before)


def test_a_file_that_is_no_memory_is_remembered_and_found_by_nothing(shelf: Synchronised) -> None:
    shelf.put("a", None, modified=2)

    shelf.synchronise()

    assert shelf.found("ledger") == set()
    assert not shelf.synchronise()
    assert shelf.read == []


def test_a_change_in_a_thread_reaches_its_neighbours(shelf: Synchronised) -> None:
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
    del shelf.files.rows["t0"]
    shelf.synchronise()
    assert shelf.found("gateway") == set()


def test_a_failure_in_the_middle_leaves_the_index_as_it_was(shelf: Synchronised) -> None:
    shelf.put("a", doc("a", "Shard"), modified=2)
    shelf.put("c", None)

    class Failing(ListedFiles):
        def read(self, path: str) -> Content:
            if path == "c":
                raise KeyError(path)
            return super().read(path)

    with pytest.raises(KeyError):
        shelf.index.writer.synchronise(Failing(shelf.files.rows), LATER)

    assert shelf.found("ledger") == {"a"}
    assert shelf.synchronise() == Changes(added=1, changed=1)


def test_progress_is_reported(empty: Synchronised) -> None:
    reports: list[tuple[int, int]] = []
    empty.put("a", doc("a"))
    empty.put("b", doc("b"))

    empty.index.writer.synchronise(empty.files, LATER, lambda done, of: reports.append((done, of)))

    assert reports == [(1, 2), (2, 2)]


WORDS = st.sampled_from(["ledger", "quota", "shard"])
EDITS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.none() | st.tuples(WORDS, st.sampled_from(["", "s"]))),
    max_size=15,
)


@given(edits=EDITS)
def test_an_index_with_a_history_is_as_one_made_fresh(
    make_index: MakeIndex,
    spent: Callable[[str], bool],
    edits: list[tuple[str, tuple[str, str] | None]],
) -> None:
    """What is found, how it scores, and which words are known."""
    if spent("history"):
        return
    lived = Synchronised(make_index())
    for number, (path, words) in enumerate(edits):
        if words is None:
            lived.files.rows.pop(path, None)
        else:
            document = doc(path, words[0], " ".join(words), thread=words[1], tags=words[:1])
            lived.put(path, document, modified=number)
        lived.synchronise()
    documents = [content.document for _, _, content in lived.files.rows.values() if content.document]

    assert _dump(lived.index.reader) == _dump(make_index().filled(documents))


def _dump(index: Index) -> list[object]:
    terms = stems(["ledger", "quota", "shard", "s"])
    hits = index.by_words([(stem, 1) for stem in terms], Filters(), 50)
    facts = index.facts([key for key, _ in hits])
    rows = [(facts[key].id, score) for key, score in hits]
    return [rows, dict(index.frequencies(terms)), index.longer("q", 5), index.size]


@given(text=st.text(st.characters(), max_size=20))
def test_any_text_can_be_stored(make_index: MakeIndex, text: str) -> None:
    document = doc("a", text, text, tags=[text], files=(text,), thread=text, source=text)
    index = make_index().filled([document])

    (found,) = index.documents([key for key, _, _ in index.titles(Filters())]).values()

    spelled_out = text.encode("utf-8", "backslashreplace").decode()
    assert found.title == found.body == found.thread == spelled_out


def test_a_process_stopped_while_building_an_index_keeps_what_it_finished(
    empty: Synchronised,
) -> None:
    """A hook has less than a second, which is not enough for a hundred thousand memories at once."""

    class Stopped(ListedFiles):
        def read(self, path: str) -> Content:
            if path == "1200":
                raise KeyboardInterrupt
            return super().read(path)

    for number in range(1_500):
        empty.put(f"{number:04}", doc(f"{number:04}", f"Title {number}"))

    with pytest.raises(KeyboardInterrupt):
        empty.index.writer.synchronise(Stopped(empty.files.rows), LATER)
    kept = empty.index.reader.size
    assert 0 < kept < 1_500
    assert empty.synchronise() == Changes(added=1_500 - kept)
    assert empty.index.reader.size == 1_500
