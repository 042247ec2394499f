"""What the SQLite writer records beside the documents."""

from tests.conformance.indexes import ListedFiles
from tests.retrieval.corpora import doc

from recollect.retrieval.index_writer import CLOCK_DOUBT, Changes
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.schema import storable
from recollect.storage.sqlite.writer import SqliteIndexWriter

LATER = 10**12  # nanoseconds: long after the files of these tests were written


def test_the_folder_times_are_stored_with_the_index_and_unchanged_ones_are_not_written() -> None:
    db = index_file.memory()
    index, writer = SqliteIndex(db), SqliteIndexWriter(db)
    assert index.folder_times() is None
    writer.record_folder_times({"a": 1, "b": 2}, LATER)
    assert index.folder_times() == "1 2"
    before = db.total_changes
    writer.record_folder_times({"a": 1, "b": 2}, LATER + 1)
    assert db.total_changes == before
    writer.record_folder_times({"a": 1, "b": 3}, LATER)
    assert index.folder_times() == "1 3"


def test_folders_count_as_changed_by_their_times_and_while_these_are_recent() -> None:
    writer = SqliteIndexWriter(index_file.memory())
    assert writer.changed_folders({"a": 1, "b": 2}) is None, "nothing was listed yet"

    writer.record_folder_times({"a": 1, "b": LATER - 1}, LATER)
    assert writer.changed_folders({"a": 1, "b": LATER - 1}) == ["b"]
    assert writer.changed_folders({"a": 0, "b": LATER - 1}) == ["a", "b"]

    writer.record_folder_times({"a": 1, "b": LATER - 1}, LATER + CLOCK_DOUBT)
    assert writer.changed_folders({"a": 1, "b": LATER - 1}) == []


def test_only_the_files_of_the_named_folders_are_compared() -> None:
    db = index_file.memory()
    files = ListedFiles()
    for path in ("a/x", "b/x", "a0/x", "a/b/x"):
        files.put(path, doc(path.replace("/", "-"), "Ledger"))
    SqliteIndexWriter(db).synchronise(files, LATER)
    files.rows.clear()

    changes = SqliteIndexWriter(db).synchronise(files, LATER, folders=["b"])

    assert changes == Changes(removed=1)
    assert [row[0] for row in db.execute("SELECT path FROM file ORDER BY path")] == [
        "a/b/x",
        "a/x",
        "a0/x",
    ]


def test_a_refresh_reads_the_named_files_alone() -> None:
    db = index_file.memory()
    files = ListedFiles()
    for name in ("a", "b", "c", "d"):
        files.put(name, doc(name, "Ledger"))
    SqliteIndexWriter(db).synchronise(files, LATER)
    files.put("a", doc("a", "Quota"), modified=2)
    files.put("b", doc("b", "Quota"), modified=2)
    del files.rows["c"], files.rows["d"]
    files.paths_read.clear()

    assert SqliteIndexWriter(db).refresh(files, ["a", "c", "never"], LATER) == Changes(
        changed=1, removed=1
    )

    assert files.paths_read == ["a"]
    titles = db.execute("SELECT id, title FROM document ORDER BY id").fetchall()
    assert titles == [("mem:a", "Quota"), ("mem:b", "Ledger"), ("mem:d", "Ledger")]
    assert SqliteIndex(db).size == 3


def test_a_file_that_is_gone_leaves_no_row_behind() -> None:
    db = index_file.memory()
    files = ListedFiles()
    files.put("c", doc("c", "Shard", tags=("t",), files=("x.py",), thread="s"))
    SqliteIndexWriter(db).synchronise(files, 10**12)
    files.rows.clear()
    SqliteIndexWriter(db).synchronise(files, 10**12)

    for table in ("file", "document", "tag", "named_file", "passage", "text", "term"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_half_a_character_is_spelled_out() -> None:
    assert storable("a\ud800b") == "a\\ud800b"
    assert storable("数据 a") == "数据 a"
