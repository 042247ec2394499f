"""The database of claude-mem, for reading."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.errors import RefusedError
from recollect.storage.sqlite.foreign import ForeignDatabase

_MOST_ROWS = 50_000  # of one table


def rows(path: Path, tables: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of the tables that are there, each with the name of its table.

    Raises RefusedError for a file that is no database, or has none of the tables as a plain table.
    """
    database = ForeignDatabase(path)
    try:
        known = [table for table in tables if database.has(table, ("id",))]
        if not known:
            names = ", ".join(tables)
            raise RefusedError(f"{str(path)!r} is not a claude-mem database: it has none of {names}.")
        for table in known:
            for number, row in enumerate(database.rows(table, tables[table], "id")):
                if number >= _MOST_ROWS:
                    break
                yield table, dict(zip(tables[table], row, strict=True))
    finally:
        database.close()
