"""A standby that answers reads and takes over, and backups that come back: with PostgreSQL's own programs."""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.postgres import Server, new_project, new_server, programs, remove
from tests.requirements import requirement

from recollect.errors import DatabaseError, StoreError, UnwritableError
from recollect.storage.postgres.audit_log import PostgresAuditLog
from recollect.storage.postgres.database import Database, PoolLimits, ProjectDatabase
from recollect.storage.postgres.members import PostgresMembers
from recollect.storage.postgres.migrating import migrate
from recollect.storage.postgres.replica import ReplicatedProject
from recollect.team.audit import AuditEntry
from recollect.team.members import Member
from recollect.team.roles import MemberRole, Permission

REPLICATED = "max_connections = 50\nwal_level = replica\nsynchronous_commit = on\nfsync = off\n"
QUICK = PoolLimits(size=2, wait_seconds=5.0, statement_seconds=10.0)
ANNA = Member("anna", MemberRole.ADMIN, "2026-11-17T10:00:00Z")


def run(program: str, *arguments: str, folder: Path) -> None:
    """One of PostgreSQL's programs, as the account that runs its servers."""
    place = programs()
    assert place is not None
    done = subprocess.run(
        [str(place / program), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        check=False,
        user="nobody" if os.geteuid() == 0 else None,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def primary(postgres_server: Server) -> Iterator[Server]:
    server = new_server(REPLICATED)
    yield server
    remove(server)


@pytest.fixture(scope="module")
def standby(primary: Server) -> Iterator[Server]:
    """A copy of the primary that follows it, and that commits wait for."""
    folder = Path(tempfile.mkdtemp(prefix="rpg"))
    if os.geteuid() == 0:
        folder.chmod(0o755)
        shutil.chown(folder, "nobody")
    server = Server(folder, REPLICATED)
    source = f"host={primary.folder} user=postgres application_name=standby"
    run("pg_basebackup", "-d", source, "-D", str(server.data), "-R", "-c", "fast", folder=folder)
    with (server.data / "postgresql.conf").open("a") as conf:
        conf.write(f"unix_socket_directories = '{folder}'\nhot_standby = on\n")
    server.start()
    with primary.admin() as admin:
        admin.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        admin.execute("SELECT pg_reload_conf()")
    yield server
    remove(server)


def project_in(database: Database) -> ProjectDatabase:
    migrate(database)
    project = new_project(database)
    PostgresMembers(project).add(ANNA)
    return project


@requirement("team:operations:replica")
def test_reads_come_from_the_replica_unless_it_is_behind_or_down(
    primary: Server, standby: Server
) -> None:
    primary.make_database("wiki")
    database, copy = Database(primary.url("wiki"), QUICK), Database(standby.url("wiki"), QUICK)
    project = project_in(database)
    now = [0.0]
    reads = ReplicatedProject(project, copy, lambda: now[0])
    note_version(project, 1)
    until_replayed(primary, standby)
    until(lambda: is_on_replica(reads))

    with standby.admin() as admin:
        admin.execute("SELECT pg_wal_replay_pause()")
        note_version(project, 2)
        assert (version(reads), is_on_replica(reads)) == (2, False)  # behind: what was written is seen
        admin.execute("SELECT pg_wal_replay_resume()")
    until_replayed(primary, standby)
    now[0] += 60.0  # a replica that was behind is asked again after a while
    until(lambda: is_on_replica(reads))
    with reads.writing():
        assert not is_on_replica(reads)

    copy.close()
    assert (version(reads), is_on_replica(reads)) == (2, False)
    database.close()


def note_version(project: ProjectDatabase, number: int) -> None:
    with project.writing() as connection:
        connection.execute(
            "INSERT INTO index_state (project, version, documents, tokens) VALUES (%s, %s, 0, 0) "
            "ON CONFLICT (project) DO UPDATE SET version = excluded.version",
            (project.key, number),
        )


def version(project: ProjectDatabase) -> int:
    with project.reading() as connection:
        row = connection.execute(
            "SELECT version FROM index_state WHERE project = %s", (project.key,)
        ).fetchone()
    assert row is not None
    return int(row[0])


def is_on_replica(project: ProjectDatabase) -> bool:
    with project.reading() as connection, project.reading() as joined:
        assert joined is connection
        row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
    assert row is not None
    return bool(row[0])


def until(condition: Callable[[], bool]) -> None:
    turn = threading.Event()
    for _ in range(200):
        if condition():
            return
        turn.wait(0.05)
    raise AssertionError("it did not come about")


def until_replayed(primary: Server, standby: Server) -> None:
    """Wait until the standby has what the primary has written."""
    with primary.admin() as admin:
        position = admin.execute("SELECT pg_current_wal_lsn()").fetchone()
    assert position is not None

    def is_replayed() -> bool:
        with standby.admin() as admin:
            row = admin.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", position).fetchone()
        return row is not None and bool(row[0])

    until(is_replayed)


def test_a_write_to_a_standby_is_refused_with_the_reason(primary: Server, standby: Server) -> None:
    primary.make_database("blog")
    database = Database(primary.url("blog"), QUICK)
    project = project_in(database)
    until_replayed(primary, standby)
    copy = Database(standby.url("blog"), QUICK)

    with pytest.raises((UnwritableError, DatabaseError), match="read-only"):
        PostgresMembers(copy.project(project.key)).add(Member("ben", MemberRole.READ, ANNA.added_at))
    copy.close()
    database.close()


@requirement("team:operations:failover")
def test_a_standby_that_was_promoted_takes_over_without_help_and_has_everything(
    primary: Server, standby: Server
) -> None:
    primary.make_database("shop")
    hosts = f"host={primary.folder},{standby.folder}"
    both = f"postgresql://recollect@/shop?{hosts}&target_session_attrs=read-write"
    database = Database(both, QUICK)
    project = project_in(database)

    primary.stop("immediate")
    with pytest.raises(StoreError):
        PostgresMembers(project).add(Member("lost", MemberRole.READ, ANNA.added_at))
    run("pg_ctl", "promote", "-w", "-D", str(standby.data), folder=standby.folder)
    with standby.admin() as admin:
        admin.execute("ALTER SYSTEM RESET synchronous_standby_names")
        admin.execute("SELECT pg_reload_conf()")

    assert list(PostgresMembers(project).all()) == [ANNA]  # acknowledged, so not lost
    PostgresMembers(project).add(Member("ben", MemberRole.READ, ANNA.added_at))
    assert len(PostgresMembers(project).all()) == 2
    database.close()


@requirement("team:operations:backup")
def test_a_dump_is_restored_with_every_row_policy_and_trigger(
    postgres_server: Server, tmp_path: Path
) -> None:
    """As the guide says: by a role that row-level security does not apply to."""
    database = Database(postgres_server.make_database("before"), QUICK)
    project = project_in(database)
    about = AuditEntry(ANNA.added_at, "anna", "person", "", Permission.WRITE_MEMORIES, "one", "done")
    PostgresAuditLog(project).append(about)
    database.close()
    file = postgres_server.folder / "backup.dump"

    source = postgres_server.url("before", "postgres")
    run("pg_dump", "--format=custom", f"--file={file}", source, folder=postgres_server.folder)
    target = postgres_server.url("after", "postgres")
    with postgres_server.admin() as admin:
        admin.execute("CREATE DATABASE after OWNER recollect")
    run("pg_restore", "--exit-on-error", "-d", target, str(file), folder=postgres_server.folder)

    restored = Database(postgres_server.url("after"), QUICK)
    assert migrate(restored) == []
    again = restored.project(project.key)
    assert list(PostgresMembers(again).all()) == [ANNA]
    assert [row.target for row in PostgresAuditLog(again).latest(9)] == ["one"]
    with pytest.raises(DatabaseError, match="grows at its end only"), again.writing() as connection:
        connection.execute("DELETE FROM audit WHERE project = %s", (again.key,))
    assert list(PostgresMembers(restored.project(new_project(restored).key)).all()) == []
    restored.close()


def test_a_dump_by_the_ordinary_role_is_refused_and_not_silently_empty(postgres_server: Server) -> None:
    place = programs()
    assert place is not None
    database = Database(postgres_server.make_database(), QUICK)
    project_in(database)
    name = database.address.name
    database.close()

    done = subprocess.run(
        [str(place / "pg_dump"), postgres_server.url(name)], capture_output=True, text=True, check=False
    )

    assert done.returncode != 0
    assert "row-level security" in done.stderr
