"""Memories in PostgreSQL: one transaction for all that a write concerns, and nothing of other projects."""

import pytest
from tests.conformance.test_memory_store import memory
from tests.postgres import Server, connected, new_project

from recollect.errors import LockedError
from recollect.ids import MemoryId
from recollect.retrieval.index import Filters
from recollect.storage.postgres.database import Database, ProjectDatabase
from recollect.storage.postgres.index import PostgresIndex
from recollect.storage.postgres.memories import PostgresMemories
from recollect.storage.postgres.revisions import PostgresRevisions


def titles(project: ProjectDatabase) -> list[str]:
    return [title for _, title, _ in PostgresIndex(project).titles(Filters())]


def test_a_memory_is_in_the_index_as_soon_as_it_is_stored(postgres_project: ProjectDatabase) -> None:
    memories = PostgresMemories(postgres_project)
    stored = memories.create(memory(title="Ledger"))
    assert titles(postgres_project) == ["Ledger"]

    stored = memories.replace(stored, memory(title="Quota"))
    assert titles(postgres_project) == ["Quota"]

    memories.delete(stored)
    assert titles(postgres_project) == []


def test_several_writes_are_stored_together_or_not_at_all(postgres_project: ProjectDatabase) -> None:
    memories = PostgresMemories(postgres_project)

    def fail() -> None:
        with memories.writing():
            memories.create(memory("a"))
            memories.create(memory("b"))
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert memories.taken() == set()
    assert titles(postgres_project) == []


def test_a_writer_waits_for_another_no_longer_than_it_is_allowed(postgres_server: Server) -> None:
    database = connected(postgres_server)
    project = new_project(database)
    other = PostgresMemories(database.project(project.key), lock_wait=0.05)

    with (
        PostgresMemories(project).writing(),
        pytest.raises(LockedError, match="try again"),
    ):
        other.create(memory())
    database.close()


def test_every_version_is_kept_with_its_author(postgres_project: ProjectDatabase) -> None:
    memories, log = (
        PostgresMemories(postgres_project, author="ada"),
        PostgresRevisions(postgres_project),
    )
    first = memories.create(memory(title="First"))
    memories.delete(memories.replace(first, memory(title="Second")))

    newest, changed, oldest = log.revisions("decisions/x.json", 9)

    assert [each.summary for each in (oldest, changed, newest)] == ["created", "changed", "deleted"]
    assert {each.author for each in (oldest, changed, newest)} == {"ada"}
    texts = log.texts("decisions/x.json", changed.name)
    assert texts is not None
    assert "First" in texts.before
    assert "Second" in texts.after
    assert log.texts("decisions/x.json", "0") is None
    assert log.texts("decisions/x.json", "1; DROP TABLE memory") is None
    assert log.texts("decisions/other.json", changed.name) is None


def test_two_projects_with_the_same_ids_never_meet(postgres_database: Database) -> None:
    ours, theirs = (PostgresMemories(new_project(postgres_database)) for _ in range(2))
    mine = ours.create(memory(title="Ours"))
    theirs.create(memory(title="Theirs"))

    ours.delete(mine)

    assert theirs.load(MemoryId("x")).memory.title == "Theirs"
    assert titles(theirs.project) == ["Theirs"]
    assert PostgresRevisions(theirs.project).revisions("decisions/x.json", 9)[0].summary == "created"
