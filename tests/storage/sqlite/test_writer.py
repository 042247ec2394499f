"""What the SQLite writer records beside the documents."""

from tests.conformance.indexes import ListedFiles
from tests.retrieval.corpora import doc

from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.schema import storable
from recollect.storage.sqlite.writer import SqliteIndexWriter


def test_the_folder_times_are_stored_with_the_index_and_unchanged_ones_are_not_written() -> None:
    db = index_file.memory()
    index, writer = SqliteIndex(db), SqliteIndexWriter(db)
    assert index.folder_times() is None
    writer.record_folder_times("1 2")
    assert index.folder_times() == "1 2"
    before = db.total_changes
    writer.record_folder_times("1 2")
    assert db.total_changes == before
    writer.record_folder_times("1 3")
    assert index.folder_times() == "1 3"


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
