"""Migrations: applied once, in order, by however many processes start at once; and never backwards."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.postgres import Server
from tests.requirements import requirement

from recollect.errors import DatabaseError
from recollect.storage.postgres import migrations
from recollect.storage.postgres.database import Connection, Database
from recollect.storage.postgres.migrating import Migration, known, migrate


def table(name: str) -> Migration:
    def apply(connection: Connection) -> None:
        connection.execute(f"CREATE TABLE {name} (number integer)")

    return Migration(int(name[1:]), name, apply)


def failing(number: int) -> Migration:
    def apply(connection: Connection) -> None:
        connection.execute("CREATE TABLE half (number integer)")
        raise LookupError

    return Migration(number, "failing", apply)


@pytest.fixture
def empty(postgres_server: Server) -> Database:
    return Database(postgres_server.make_database())


def tables(database: Database) -> set[str]:
    with database.transaction(None) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {row[0] for row in rows} - {"recollect_migration"}


def test_every_module_of_the_folder_is_a_migration() -> None:
    files = sorted(Path(next(iter(migrations.__path__))).glob("m*.py"))

    assert [f"m{step.number:04}_{step.name}" for step in known()] == [file.stem for file in files]


@requirement("team:postgres:migrations")
def test_five_that_start_at_once_apply_each_step_once(postgres_server: Server) -> None:
    url = postgres_server.make_database()
    databases = [Database(url) for _ in range(5)]

    with ThreadPoolExecutor(5) as threads:
        applied = [step for steps in threads.map(migrate, databases) for step in steps]

    assert applied == list(known())
    for database in databases:
        database.close()


def test_a_second_start_applies_nothing(empty: Database) -> None:
    migrate(empty, [table("t1")])

    assert migrate(empty, [table("t1")]) == []


def test_a_step_that_is_added_between_two_others_is_applied_later(empty: Database) -> None:
    """Areas have their own ranges of numbers, so a lower number may come after a higher one."""
    migrate(empty, [table("t1"), table("t9")])

    assert [step.name for step in migrate(empty, [table("t1"), table("t5"), table("t9")])] == ["t5"]
    assert tables(empty) == {"t1", "t5", "t9"}


def test_a_step_that_fails_leaves_the_database_as_it_was(empty: Database) -> None:
    with pytest.raises(LookupError):
        migrate(empty, [table("t1"), failing(2)])

    assert tables(empty) == set()
    assert [step.name for step in migrate(empty, [table("t1")])] == ["t1"]


def test_a_database_of_a_newer_version_is_refused(empty: Database) -> None:
    migrate(empty, [table("t1"), table("t2")])

    with pytest.raises(DatabaseError, match="upgrade Recollect"):
        migrate(empty, [table("t1")])


def test_a_login_that_sees_every_row_is_refused(postgres_server: Server) -> None:
    database = Database(postgres_server.url("tests", "postgres"))

    with pytest.raises(DatabaseError, match="row-level security"):
        migrate(database)
    database.close()
