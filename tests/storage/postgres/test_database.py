"""Connections and transactions: what a caller sees when the server, the login or the pool fails."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.postgres import Server, connected, new_project, new_server, remove

from recollect.errors import (
    DatabaseError,
    InvalidConfigError,
    InvalidError,
    StoreError,
    UnwritableError,
)
from recollect.storage.postgres.database import Connection, Database, PoolLimits, ProjectDatabase
from recollect.storage.postgres.migrating import migrate

IMPATIENT = PoolLimits(size=1, wait_seconds=0.2, statement_seconds=0.2)


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that the test may stop."""
    server = new_server()
    yield server
    remove(server)


def names(project: ProjectDatabase) -> list[str]:
    with project.reading() as connection:
        return [row[0] for row in connection.execute("SELECT name FROM project")]


def rename(connection: Connection, name: str) -> None:
    connection.execute("UPDATE project SET name = %s", (name,))


def test_a_transaction_that_fails_leaves_nothing_behind(postgres_project: ProjectDatabase) -> None:
    def fail() -> None:
        with postgres_project.writing() as connection:
            rename(connection, "half done")
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert names(postgres_project) == ["a test"]


def test_a_transaction_inside_another_is_part_of_it(postgres_project: ProjectDatabase) -> None:
    def fail_outside() -> None:
        with postgres_project.writing():
            with postgres_project.writing() as inner:
                rename(inner, "inner")
            assert names(postgres_project) == ["inner"]
            raise LookupError

    with pytest.raises(LookupError):
        fail_outside()

    assert names(postgres_project) == ["a test"]


def test_a_read_sees_one_moment_while_others_write(postgres_project: ProjectDatabase) -> None:
    def write_elsewhere() -> None:
        with postgres_project.writing() as other:
            rename(other, "later")

    with postgres_project.reading():
        before = names(postgres_project)
        writer = threading.Thread(target=write_elsewhere)
        writer.start()
        writer.join()
        assert names(postgres_project) == before

    assert names(postgres_project) == ["later"]


def test_two_transactions_that_wait_for_each_other_both_succeed(
    postgres_database: Database, postgres_project: ProjectDatabase
) -> None:
    """PostgreSQL ends one of them; it is run again."""
    database = postgres_database
    both_hold_one = threading.Barrier(2)
    waited: set[int] = set()

    def lock_two(first: int, second: int) -> int:
        def work(connection: Connection) -> int:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (first,))
            if first not in waited:
                waited.add(first)
                both_hold_one.wait(20)
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (second,))
            return first

        return database.retrying(postgres_project.key, work)

    with ThreadPoolExecutor(2) as threads:
        results = threads.map(lock_two, (71001, 71002), (71002, 71001))

    assert list(results) == [71001, 71002]


def test_a_server_that_was_restarted_is_used_again_without_help(own_server: Server) -> None:
    database = Database(own_server.make_database("restarted"))
    migrate(database)
    project = new_project(database)

    own_server.stop("immediate")
    own_server.start()

    assert names(project) == ["a test"]
    database.close()


def test_a_server_that_is_down_is_named_with_the_reason(own_server: Server) -> None:
    database = connected(own_server, "postgres", IMPATIENT)
    own_server.stop()

    with pytest.raises(DatabaseError, match=r"recollect@.*postgres.*check that it is running"):
        database.probe()
    with pytest.raises(DatabaseError, match="check that it is running"), database.transaction(None):
        pass
    database.close()


def test_a_connection_lost_in_a_transaction_is_an_error_of_ours(postgres_server: Server) -> None:
    database = connected(postgres_server)
    project = new_project(database)

    def lose() -> None:
        with project.writing() as connection:
            rename(connection, "lost")
            with postgres_server.admin() as admin:
                admin.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
            connection.execute("SELECT 1")

    with pytest.raises(DatabaseError):
        lose()

    assert names(project) == ["a test"]
    database.close()


def test_when_every_connection_is_in_use_the_next_is_told_so(postgres_server: Server) -> None:
    database = connected(postgres_server, limits=IMPATIENT)

    with (
        database.transaction(None),
        pytest.raises(DatabaseError, match="all 1 connections"),
        database.transaction(None),
    ):
        pass
    database.close()


def test_a_statement_that_takes_too_long_is_ended(postgres_server: Server) -> None:
    database = connected(postgres_server, limits=IMPATIENT)

    with (
        pytest.raises(DatabaseError, match="no answer within"),
        database.transaction(None) as connection,
    ):
        connection.execute("SELECT pg_sleep(60)")
    database.close()


def test_a_write_to_a_read_only_database_says_so(postgres_project: ProjectDatabase) -> None:
    with pytest.raises(UnwritableError, match="read-only"), postgres_project.reading() as connection:
        rename(connection, "no")


def test_a_value_that_cannot_be_stored_is_invalid_input(postgres_project: ProjectDatabase) -> None:
    with pytest.raises(InvalidError), postgres_project.writing() as connection:
        rename(connection, "a\0b")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:hunter2@[broken/name",
        "postgresql://user:hunter2@host:port:port/x?y",
        "hunter2 is no address",
    ],
)
def test_an_address_that_cannot_be_parsed_is_not_quoted(url: str) -> None:
    with pytest.raises((InvalidConfigError, StoreError)) as raised:
        Database(url, IMPATIENT).probe()

    assert "hunter2" not in str(raised.value)


def test_no_message_has_the_password(postgres_server: Server) -> None:
    url = f"postgresql://nobody_there:hunter2@/tests?host={postgres_server.folder}"
    database = Database(url, IMPATIENT)

    with pytest.raises(DatabaseError, match="nobody_there") as raised:
        database.probe()

    assert "hunter2" not in str(raised.value)
    assert "hunter2" not in repr(database.address)
    database.close()
