"""Traces are in one table for each month, which comes and goes as a whole."""

from collections.abc import Iterator
from datetime import date

import pytest
from tests.conformance.test_traces import scoring
from tests.postgres import Server, new_project
from tests.requirements import requirement

from recollect.storage.postgres.database import Database
from recollect.storage.postgres.migrating import migrate
from recollect.storage.postgres.partitions import keep_months
from recollect.storage.postgres.state import PostgresState

_TABLE_OF = "SELECT DISTINCT tableoid::regclass::text FROM trace"


@pytest.fixture
def database(postgres_server: Server) -> Iterator[Database]:
    own = Database(postgres_server.make_database())
    migrate(own)
    yield own
    own.close()


@requirement("team:postgres:retention")
def test_months_are_made_ahead_once_and_dropped_when_they_are_over(database: Database) -> None:
    made, _ = keep_months(database, date(2026, 11, 17))
    assert made == ["trace_m2026_11", "trace_m2026_12", "trace_m2027_01"]
    assert keep_months(database, date(2026, 11, 30)) == ([], [])

    made, dropped = keep_months(database, date(2027, 1, 31))

    assert (made, dropped) == (
        ["trace_m2027_02", "trace_m2027_03"],
        ["trace_m2026_11", "trace_m2026_12"],
    )


@requirement("team:postgres:retention")
def test_a_trace_is_in_the_table_of_its_month_and_goes_with_it(database: Database) -> None:
    keep_months(database, date(2026, 11, 17))
    project = new_project(database)
    traces, at = PostgresState(project).traces, "2026-11-17T00:00:00Z"
    traces.add([scoring("a1", at)], at)

    with project.reading() as connection:
        assert connection.execute(_TABLE_OF).fetchall() == [("trace_m2026_11",)]
    keep_months(database, date(2027, 1, 31))

    assert traces.latest(10) == []


def test_a_month_that_came_unprepared_stays_in_the_default_table(database: Database) -> None:
    project = new_project(database)
    traces, at = PostgresState(project).traces, "2026-12-01T00:00:00Z"
    traces.add([scoring("a1", at)], at)

    made, _ = keep_months(database, date(2026, 11, 17))

    assert made == ["trace_m2026_11", "trace_m2027_01"]
    assert [trace.scoring for trace in traces.latest(10)] == ["a1", "a1"]
