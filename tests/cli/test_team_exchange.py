"""`migrate` and `sync` on the command line: what they print, and how they end."""

import json

from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.postgres import Server
from tests.samples import document

from recollect.cli.exits import Exit
from recollect.records.json_format import render
from recollect.views.team_exchange import MigrateOutput, SyncOutput


def put(cli: Cli, **fields: str) -> None:
    (cli.root / "decisions").mkdir(exist_ok=True)
    data = {**document(id="x"), **fields}
    (cli.root / "decisions" / "x.json").write_bytes(render(data))


def test_a_project_is_moved_kept_in_step_and_moved_back(cli: Cli, postgres_server: Server) -> None:
    put(cli)
    url = postgres_server.url("tests")

    moved = cli("migrate", "--to", url, "--json")
    assert (moved.exit_code, mismatches(moved.json(), MigrateOutput)) == (0, [])
    assert moved.json()["moved"] == 1
    again = cli("migrate", "--to", url)
    assert "0 files; 1 were already there" in again.out
    assert "Next: recollect config --user database" in again.out

    cli.env["RECOLLECT_DATABASE"] = url
    assert "are the same" in cli("sync").out
    put(cli, title="Ours")
    edited = cli("edit", "x", "--file", "-", stdin=json.dumps({"title": "Theirs"}))
    assert edited.exit_code == 0, edited.err
    clash = cli("sync", "--json")
    assert (clash.exit_code, mismatches(clash.json(), SyncOutput)) == (Exit.CONFLICT, [])
    assert {"field": "title", "files": "Ours", "database": "Theirs"} in clash.json()["conflicts"][0][
        "fields"
    ]
    shown = cli("sync")
    assert 'files:    "Ours"' in shown.out
    assert 'database: "Theirs"' in shown.out
    assert cli("sync", "--prefer", "nobody").exit_code == Exit.INVALID
    assert cli("sync", "--prefer", "database").exit_code == 0
    back = cli("migrate", "--to", "files")
    assert "unset RECOLLECT_DATABASE" in back.out


def test_without_a_database_sync_says_how_to_set_one(cli: Cli) -> None:
    run = cli("sync")

    assert run.exit_code == Exit.INVALID
    assert "RECOLLECT_DATABASE" in run.err
