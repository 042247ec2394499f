"""Projects over three real servers, one of which is killed."""

import threading
import uuid
from collections.abc import Iterator

import pytest
from tests.postgres import Server, new_server, remove
from tests.requirements import requirement

from recollect.errors import DatabaseError, NotFoundError, RefusedError
from recollect.storage.postgres.database import Database, PoolLimits, ProjectDatabase, ProjectKey
from recollect.storage.postgres.directory import FRESH_SECONDS, Directory, Servers
from recollect.storage.postgres.members import PostgresMembers
from recollect.storage.postgres.migrating import migrate
from recollect.team.members import Member
from recollect.team.roles import MemberRole

QUICK = PoolLimits(size=2, wait_seconds=1.0, statement_seconds=5.0)
ANNA = Member("anna", MemberRole.ADMIN, "2026-11-17T10:00:00Z")


@pytest.fixture(scope="module")
def machines(postgres_server: Server) -> Iterator[list[Server]]:
    """Three servers; the last two may be killed."""
    others = [new_server(), new_server()]
    yield [postgres_server, *others]
    for server in others:
        remove(server)


@pytest.fixture
def main_database(postgres_server: Server) -> Iterator[Database]:
    database = Database(postgres_server.make_database(), QUICK)
    migrate(database)
    yield database
    database.close()


def create(servers: Servers, server: str) -> ProjectDatabase:
    """A new project on a server, with a member."""
    key = ProjectKey(uuid.uuid4().hex)
    servers.directory.place(key, f"project {key[:4]}", server)
    project = servers.project(key)
    with project.writing() as connection:
        connection.execute("INSERT INTO project (project, name) VALUES (%s, 'x')", (key,))
    PostgresMembers(project).add(ANNA)
    return project


def restart(server: Server) -> None:
    """Start a server that was killed, once the last of its processes has noticed."""
    turn = threading.Event()
    for _ in range(100):
        try:
            server.start()
        except RuntimeError:
            turn.wait(0.1)
        else:
            return
    raise AssertionError("it did not start again")


@requirement("team:directory:one-server-down")
def test_a_server_that_is_killed_takes_its_own_projects_with_it_and_no_others(
    machines: list[Server], main_database: Database
) -> None:
    _, second, third = machines
    servers = Servers(main_database, QUICK)
    places = ["", second.make_database(), third.make_database()]
    projects = [create(servers, place) for place in places]

    second.kill()
    members = [PostgresMembers(servers.project(project.key)) for project in projects]

    assert list(members[0].all()) == list(members[2].all()) == [ANNA]
    with pytest.raises(DatabaseError, match="check that it is running"):
        members[1].all()

    restart(second)
    assert list(members[1].all()) == [ANNA]  # what was acknowledged is there, and nobody had to help
    servers.close()


def test_places_are_remembered_while_the_server_of_the_directory_is_away(
    machines: list[Server],
) -> None:
    away, there = machines[2], machines[0]
    database, now = Database(away.make_database(), QUICK), [0.0]
    migrate(database)
    servers = Servers(database, QUICK, lambda: now[0])
    project = create(servers, there.make_database())

    away.stop("immediate")
    now[0] = FRESH_SECONDS * 2

    assert list(PostgresMembers(servers.project(project.key)).all()) == [ANNA]
    with pytest.raises(DatabaseError):
        servers.project(ProjectKey("never asked for"))
    away.start()
    servers.close()
    database.close()


def test_every_project_is_listed_with_its_place(main_database: Database) -> None:
    directory = Directory(main_database)
    directory.place(ProjectKey("b"), "the shop")
    directory.place(ProjectKey("a"), "the blog", "postgresql://db2/recollect")

    assert [(place.name, place.server) for place in directory.all()] == [
        ("the blog", "postgresql://db2/recollect"),
        ("the shop", ""),
    ]
    assert directory.server_of(ProjectKey("unknown")) == ""
    with pytest.raises(NotFoundError):
        directory.require(ProjectKey("unknown"))


def test_a_project_has_one_place_and_its_address_no_password(main_database: Database) -> None:
    directory = Directory(main_database)
    directory.place(ProjectKey("a"), "the shop")

    with pytest.raises(RefusedError, match="already"):
        directory.place(ProjectKey("a"), "another")
    with pytest.raises(RefusedError, match="must not contain a password") as raised:
        directory.place(ProjectKey("b"), "x", "postgresql://anna:hunter2@db/recollect")
    assert "hunter2" not in str(raised.value)
