"""`gateway.db` of earlier versions, damaged files, and how little a second list writes."""

import sqlite3
from pathlib import Path

import pytest
from tests.gateway.tools import tool

from recollect.errors import StoreError
from recollect.gateway.listing import ServerListing
from recollect.gateway.ports import CatalogueChange
from recollect.storage.sqlite.gateway_database import MIGRATIONS, GatewayDatabase

FIRST_TABLES = """
CREATE TABLE server (name TEXT PRIMARY KEY, listed_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tool (
    server TEXT NOT NULL REFERENCES server (name) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    input_schema TEXT NOT NULL,
    PRIMARY KEY (server, name)
) WITHOUT ROWID;
INSERT INTO server VALUES ('s', '2026-01-01T00:00:00Z');
INSERT INTO tool VALUES ('s', 'a', 'Does it.', '{"properties": {}, "type": "object"}');
"""


def test_the_tools_of_a_file_without_version_are_known_and_unchanged(tmp_path: Path) -> None:
    path = str(tmp_path / "gateway.db")
    with sqlite3.connect(path) as old:
        old.executescript(FIRST_TABLES)
    old.close()

    catalogue = GatewayDatabase(path).catalogue

    assert catalogue.tools() == [tool("s:a", "Does it.")]
    assert catalogue.listed() == {"s": "2026-01-01T00:00:00Z"}
    assert catalogue.record("s", ServerListing([tool("s:a", "Does it.")]), "") == CatalogueChange()


def test_a_file_is_migrated_once(tmp_path: Path) -> None:
    path = str(tmp_path / "gateway.db")
    for _ in range(2):
        database = GatewayDatabase(path)
        assert database.rows("PRAGMA user_version") == [(len(MIGRATIONS),)]
        database.close()


def test_of_500_tools_only_the_changed_one_is_written(tmp_path: Path) -> None:
    database = GatewayDatabase(str(tmp_path / "gateway.db"))
    tools = [tool(f"s:tool{number}", "Old.") for number in range(500)]
    database.catalogue.record("s", ServerListing(tools), "")
    before = database.rows("SELECT total_changes()")[0][0]

    database.catalogue.record("s", ServerListing([*tools[:-1], tool("s:tool499", "New.")]), "")

    # The tool, when it was listed, and the number of changes.
    assert database.rows("SELECT total_changes()")[0][0] - before == 3


def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "gateway.db"
    path.write_bytes(b"no database " * 1000)

    with pytest.raises(StoreError, match=r"gateway.db.*is damaged.*recollect gateway test"):
        GatewayDatabase(str(path))
