"""The adapters of the session ports. A second engine adds one factory to the list."""

from collections.abc import Callable
from pathlib import Path

from recollect.paths import STATE_NAME
from recollect.storage.sqlite.state import StateDatabase
from recollect.working.ports import SessionDatabase

# Opens the database of a folder; the same folder again opens the same database, as another process would.
OpenDatabase = Callable[[Path], SessionDatabase]


def sqlite_database(folder: Path) -> SessionDatabase:
    return StateDatabase(str(folder / STATE_NAME))


SESSION_DATABASES: list[OpenDatabase] = [sqlite_database]
