"""The embedded index of a project, for tests that look into its tables or damage them."""

from recollect.app.search_index import SearchIndex
from recollect.storage.sqlite.index import SqliteIndex


def embedded(index: SearchIndex) -> SqliteIndex:
    """The open SQLite index."""
    reader = index.reader()
    assert isinstance(reader, SqliteIndex)
    return reader
