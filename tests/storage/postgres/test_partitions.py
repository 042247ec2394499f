"""Traces and events of runs are in one table for each month, which comes and goes as a whole."""

from collections.abc import Iterator
from datetime import date

import pytest
from tests.conformance.test_journal import START, entry
from tests.conformance.test_traces import scoring
from tests.postgres import Server, new_project
from tests.requirements import requirement

from recollect.storage.postgres.database import Database
from recollect.storage.postgres.migrating import known, migrate
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
    months = ["m2026_11", "m2026_12", "m2027_01"]
    assert made == [f"{table}_{month}" for table in ("trace", "run_event") for month in months]
    assert keep_months(database, date(2026, 11, 30)) == ([], [])

    made, dropped = keep_months(database, date(2027, 1, 31))

    for table in ("trace", "run_event"):
        assert [name for name in made if name.startswith(table)] == [
            f"{table}_m2027_02",
            f"{table}_m2027_03",
        ]
        assert [name for name in dropped if name.startswith(table)] == [
            f"{table}_m2026_11",
            f"{table}_m2026_12",
        ]


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

    assert [name for name in made if "trace" in name] == ["trace_m2026_11", "trace_m2027_01"]
    assert [trace.scoring for trace in traces.latest(10)] == ["a1", "a1"]


@requirement("team:postgres:retention")
def test_a_month_of_events_goes_when_its_runs_are_deleted_and_an_open_run_keeps_it(
    database: Database,
) -> None:
    keep_months(database, date(2026, 11, 17))
    journals = [PostgresState(new_project(database)).journal for _ in range(2)]
    for journal in journals:
        journal.begin("r1", "", entry(1, START, "2026-11-17T00:00:00Z"))
        journal.append("r1", [entry(2, START, "2026-11-18T00:00:00Z")], "succeeded")
    waiting = journals[0]
    waiting.begin("r2", "", entry(1, START, "2026-11-19T00:00:00Z"))
    for journal in journals:
        journal.prune("2027-01-01T00:00:00Z", 500)

    _, dropped = keep_months(database, date(2027, 1, 31))
    assert [name for name in dropped if "event" in name] == ["run_event_m2026_12"]
    assert [each.number for each in waiting.entries("r2")] == [1]

    waiting.append("r2", [entry(2, START, "2027-01-31T00:00:00Z")], "aborted")
    assert [each.number for each in waiting.entries("r2")] == [1, 2]
    waiting.prune("2027-02-01T00:00:00Z", 500)
    assert keep_months(database, date(2027, 1, 31)) == ([], ["run_event_m2026_11"])


def test_events_from_before_there_were_months_are_still_there(postgres_server: Server) -> None:
    database = Database(postgres_server.make_database())
    migrate(database, [step for step in known() if step.number < 203])
    journal = PostgresState(new_project(database)).journal
    journal.begin("r1", "", entry(1, START, "2026-11-17T00:00:00Z"))

    migrate(database)
    keep_months(database, date(2026, 11, 17))
    journal.append("r1", [entry(2, START, "2026-11-18T00:00:00Z")], "running")

    assert [each.number for each in journal.entries("r1")] == [1, 2]
    database.close()
