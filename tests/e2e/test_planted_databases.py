"""A cloned repository contains a state folder with databases of somebody else."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

from recollect.paths import INDEX_NAME
from recollect.paths import STATE_NAME as NAME
from recollect.storage.sqlite.state import StateDatabase
from recollect.working.session_state import SessionState

AT = "2026-11-14T10:00:00.000000Z"
ENDLESS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) "
    "SELECT 'made' AS key, x AS value FROM n WHERE x > 1"
)


@pytest.fixture
def state(cli: Cli) -> Path:
    """The path of the project's session database, which is not there yet."""
    return cli.root / ".recollect" / NAME


def planted(folder: Path) -> Path:
    """A database of sessions that was made elsewhere."""
    folder.mkdir()
    database = StateDatabase(str(folder / NAME))
    with database.transaction():
        database.sessions.save_state(SessionState("planted", AT, AT))
    database.close()
    return folder / NAME


def sessions(cli: Cli) -> list[str]:
    return [row["id"] for row in cli.ok("session", "list", "--json").json()["sessions"]]


@requirement("trust:state:made-here")
def test_a_session_database_from_elsewhere_is_moved_aside_and_doctor_says_so(
    cli: Cli, state: Path, tmp_path: Path
) -> None:
    shutil.copyfile(planted(tmp_path / "elsewhere"), state)

    assert sessions(cli) == []
    assert state.with_name(f"{NAME}.foreign").exists()
    assert "recollect session adopt" in cli("doctor").out


@requirement("trust:state:made-here")
def test_a_session_database_that_was_made_here_stays(cli: Cli, state: Path) -> None:
    database = StateDatabase(str(state))
    with database.transaction():
        database.sessions.save_state(SessionState("own", AT, AT))
    database.close()

    assert sessions(cli) == ["own"]
    assert not state.with_name(f"{NAME}.foreign").exists()


@requirement("trust:state:adopted")
@pytest.mark.parametrize("version", [3, 4])
def test_a_restored_session_database_is_adopted(
    cli: Cli, state: Path, tmp_path: Path, version: int
) -> None:
    shutil.copyfile(planted(tmp_path / "backup"), state)
    if version == 3:  # as an earlier version wrote it
        with sqlite3.connect(state) as db:
            db.executescript(
                "DROP TABLE run; DROP TABLE run_event; DROP TABLE run_command; DROP TABLE run_grant;"
                "DROP TABLE episode; DROP TABLE past_transcript; DROP TABLE past_draft;"
                "DROP TABLE past_session; DROP TABLE past_entry;"
                "DROP TABLE capability; DROP TABLE threshold; DROP TABLE tool_call; DROP TABLE trace;"
                "DROP TABLE trace_params;"
                "DROP TABLE meta; DROP TABLE tool_edge;"
                "ALTER TABLE session DROP COLUMN extracted; ALTER TABLE session DROP COLUMN redacted;"
                "PRAGMA user_version = 3"
            )
        db.close()
    assert sessions(cli) == []

    assert cli.ok("session", "adopt", "--json").json() == {"adopted": True}

    assert sessions(cli) == ["planted"]
    assert cli.ok("session", "adopt", "--json").json() == {"adopted": False}


@requirement("trust:state:no-code")
@pytest.mark.parametrize("name", [NAME, INDEX_NAME])
@pytest.mark.parametrize("table", ["meta", "session", "document"])
def test_a_view_over_an_endless_query_hangs_nothing(cli: Cli, name: str, table: str) -> None:
    path = cli.root / ".recollect" / name
    cli.save()
    cli.ok("search", "login")
    sessions(cli)
    StateDatabase(str(cli.root / ".recollect" / NAME)).close()
    with sqlite3.connect(path) as db:
        db.execute(f"DROP TABLE IF EXISTS {table}")
        db.execute(f"CREATE VIEW {table} AS {ENDLESS}")
    db.close()

    done = cli.process("search", "login", "--json")

    assert [hit["id"] for hit in done.json()["hits"]] == ["sign-a-jwt-at-login"]
    assert cli.process("session", "list", "--json").json()["sessions"] == []


@requirement("trust:state:no-code")
def test_a_database_with_a_trigger_is_not_adopted(cli: Cli, state: Path, tmp_path: Path) -> None:
    path = planted(tmp_path / "elsewhere")
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER planted AFTER INSERT ON session BEGIN DELETE FROM session; END")
    db.close()
    shutil.copyfile(path, state)
    assert sessions(cli) == []

    assert "views or triggers" in cli("session", "adopt").err
    assert sessions(cli) == []
