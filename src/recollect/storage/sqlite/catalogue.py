"""The catalogue of tools in `gateway.db`, one for each user."""

import json
import sqlite3
from collections.abc import Mapping, Sequence

from recollect.errors import UnwritableError
from recollect.gateway.ports import CatalogueChange
from recollect.gateway.tool import UpstreamTool
from recollect.storage.sqlite.connections import connect, writing

_TABLES = """
CREATE TABLE IF NOT EXISTS server (name TEXT PRIMARY KEY, listed_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tool (
    server TEXT NOT NULL REFERENCES server (name) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    input_schema TEXT NOT NULL,
    PRIMARY KEY (server, name)
) WITHOUT ROWID;
"""
_TOOLS = "SELECT server, name, description, input_schema FROM tool"


class SqliteCatalogue:
    """The catalogue in a database. Fills the `Catalogue` port; raises UnwritableError when it cannot."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._db = self._opened()

    def _opened(self) -> sqlite3.Connection:
        try:
            return connect(self._path, _prepare)
        except sqlite3.Error as error:
            raise UnwritableError(self._path, str(error)) from None

    def tools(self) -> Sequence[UpstreamTool]:
        return [_tool(row) for row in self._db.execute(f"{_TOOLS} ORDER BY server, name")]

    def listed(self) -> Mapping[str, str]:
        return dict(self._db.execute("SELECT name, listed_at FROM server ORDER BY name").fetchall())

    def record(self, server: str, tools: Sequence[UpstreamTool], at: str) -> CatalogueChange:
        try:
            with writing(self._db):
                rows = self._db.execute(f"{_TOOLS} WHERE server = ?", (server,))
                before = {row[1]: _tool(row) for row in rows}
                self._db.execute("DELETE FROM server WHERE name = ?", (server,))
                self._db.execute("INSERT INTO server VALUES (?, ?)", (server, at))
                self._db.executemany("INSERT INTO tool VALUES (?, ?, ?, ?)", map(_row, tools))
        except sqlite3.Error as error:
            raise UnwritableError(self._path, str(error)) from None
        return _change(before, {tool.name: tool for tool in tools})

    def forget(self, server: str) -> None:
        try:
            with writing(self._db):
                self._db.execute("DELETE FROM server WHERE name = ?", (server,))
        except sqlite3.Error as error:
            raise UnwritableError(self._path, str(error)) from None

    def close(self) -> None:
        self._db.close()


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript(_TABLES)


def _tool(row: tuple[str, str, str, str]) -> UpstreamTool:
    return UpstreamTool(row[0], row[1], row[2], json.loads(row[3]))


def _row(tool: UpstreamTool) -> tuple[str, str, str, str]:
    schema = json.dumps(tool.input_schema, sort_keys=True)
    return tool.server, tool.name, tool.description, schema


def _change(before: Mapping[str, UpstreamTool], after: Mapping[str, UpstreamTool]) -> CatalogueChange:
    return CatalogueChange(
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(before.keys() - after.keys())),
        tuple(sorted(name for name in after.keys() & before.keys() if after[name] != before[name])),
    )
