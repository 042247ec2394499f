"""What is stored beside memories is one project's, and what the gateway knows is one person's."""

from datetime import date

import pytest
from psycopg import sql
from tests.gateway.tools import tool
from tests.postgres import new_project
from tests.requirements import requirement

from recollect.errors import NotFoundError
from recollect.gateway.listing import ServerListing
from recollect.gateway.receipts import Receipt
from recollect.gateway.vault.content import TextPart
from recollect.redaction.gate import gate
from recollect.storage.postgres.database import Database, ProjectDatabase
from recollect.storage.postgres.dismissals import PostgresDismissals
from recollect.storage.postgres.drafts import PostgresDrafts
from recollect.storage.postgres.gateway_database import PostgresGateway
from recollect.storage.postgres.state import PostgresState
from recollect.storage.postgres.vault import PostgresVault
from recollect.workflow import events
from recollect.workflow.events import JournalEntry
from recollect.working.recorder import SessionRecorder

AT = "2026-01-01T00:00:00Z"


@requirement("team:postgres:state")
def test_what_one_project_stores_beside_memories_no_other_reads(
    postgres_database: Database, postgres_project: ProjectDatabase
) -> None:
    other = new_project(postgres_database)
    state = PostgresState(postgres_project)
    SessionRecorder(state, lambda: AT).begin("s1", "codex")
    state.journal.begin("r1", "try", JournalEntry(1, AT, events.RunStarted({})))
    PostgresDrafts(postgres_project, gate).put("draft", {"title": "t"})
    PostgresDismissals(postgres_project).add("unused mem:a")
    handle = PostgresVault(postgres_project).put("s:t", [TextPart("x")]).handle

    elsewhere = PostgresState(other)
    assert elsewhere.sessions.latest(10) == []
    assert (elsewhere.journal.runs(10), elsewhere.journal.entries("r1")) == ([], [])
    assert PostgresDrafts(other, gate).all() == []
    assert PostgresDismissals(other).all() == frozenset()
    with pytest.raises(NotFoundError):
        PostgresVault(other).get(handle)


@requirement("team:projects:personal")
def test_what_the_gateway_knows_of_one_member_no_colleague_reads(
    postgres_project: ProjectDatabase,
) -> None:
    ada, bob = (PostgresGateway(postgres_project, name) for name in ("ada", "bob"))
    ada.catalogue.record("s", ServerListing([tool("s:a")]), AT)
    ada.pins.first_use("s", [tool("s:a")], "o", AT)
    ada.policy.put("allow", "s:*")
    ada.receipts.record(Receipt("s", "a", "ok", 1), str(date(2026, 1, 1)))

    assert (bob.catalogue.tools(), dict(bob.catalogue.listed()), dict(bob.pins.all())) == ([], {}, {})
    assert (bob.policy.rules(), bob.receipts.uses(), bob.version()) == ([], [], 0)


@requirement("team:postgres:state")
def test_every_table_with_a_member_is_read_by_project_and_member(postgres_database: Database) -> None:
    """Their primary keys begin with both, so that a shard and an index are found by them."""
    with postgres_database.transaction(None) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND column_name = 'member'"
            " AND table_name IN ('server', 'server_entry', 'pin', 'receipt', 'policy_rule', 'projection')"
        ).fetchall()
        assert len(tables) == 6
        for (table,) in tables:
            row = connection.execute(
                sql.SQL(
                    "SELECT array_agg(a.attname::text ORDER BY k.place) FROM pg_index AS i"
                    " CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)"
                    " JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number"
                    " WHERE i.indisprimary AND i.indrelid = {}::regclass"
                ).format(sql.Literal(table))
            ).fetchone()
            assert row is not None
            assert row[0][:2] == ["project", "member"]
