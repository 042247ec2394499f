"""The months of traces and of runs' events, each a table of its own: made before it comes, dropped when over.

Dropping a table costs nothing, whereas deleting rows leaves work for the vacuum. A month that nobody prepared
is no error: its rows are in the default partition, and are deleted one by one.

A month of traces goes when it is past its retention. Events go with their runs, and a run that waits for a
person may be older than that: a month of events goes when it is past its retention and empty.
"""

from dataclasses import dataclass
from datetime import date, timedelta

import psycopg

from recollect.learning import retention
from recollect.storage.postgres.database import Connection, Database
from recollect.storage.postgres.tenancy import isolate

MONTHS_AHEAD = 2
_LOCK = 0x5EC0_11ED  # of our own choice; the same in every process
_MONTHS = """
SELECT child.relname FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
WHERE inhparent = %s::regclass AND child.relname LIKE %s
"""


@dataclass(frozen=True, slots=True)
class MonthlyTable:
    """A table that is partitioned by month; `only_empty` months of it are dropped, or all that are over."""

    name: str
    only_empty: bool

    def month(self, day: date) -> str:
        """The table of the month of a day. Names sort by time."""
        return f"{self.name}_m{day:%Y_%m}"


MONTHLY = (MonthlyTable("trace", only_empty=False), MonthlyTable("run_event", only_empty=True))


def keep_months(database: Database, today: date) -> tuple[list[str], list[str]]:
    """Make the months that are missing and drop those that are over; the names of both.

    Raises DatabaseError for a login that may not make tables.
    """
    made: list[str] = []
    dropped: list[str] = []
    for table in MONTHLY:
        over = table.month(today - timedelta(days=retention.MAX_TRACE_DAYS))
        with database.transaction(None) as connection:
            present = _present(connection, table)
        old = sorted(name for name in present if name < over)
        if not old and present.issuperset(table.month(month) for month in _months(today)):
            continue
        if table.only_empty and old:
            _shrink(database, old)
        with database.transaction(None) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            made += _make_missing(connection, table, today)
            dropped += [name for name in old if _drop(connection, table, name)]
    return made, dropped


def _present(connection: Connection, table: MonthlyTable) -> set[str]:
    rows = connection.execute(_MONTHS, (table.name, f"{table.name}\\_m%")).fetchall()
    return {str(name) for (name,) in rows}


def _shrink(database: Database, names: list[str]) -> None:
    """Return the space of deleted rows, so that a table without rows has no pages."""
    with database.outside_transaction() as connection:
        for name in names:
            connection.execute(f"VACUUM {name}")


def _make_missing(connection: Connection, table: MonthlyTable, today: date) -> list[str]:
    present = _present(connection, table)
    missing = [month for month in _months(today) if table.month(month) not in present]
    return [table.month(month) for month in missing if _make(connection, table, month)]


def _make(connection: Connection, table: MonthlyTable, month: date) -> bool:
    """Make a month; false when rows of it are in the default partition already, where they stay."""
    name, first, following = table.month(month), f"{month:%Y-%m}", f"{_following(month):%Y-%m}"
    bounds = f"FROM ('{first}') TO ('{following}')"
    try:
        with connection.transaction():
            connection.execute(f"CREATE TABLE {name} PARTITION OF {table.name} FOR VALUES {bounds}")
            isolate(connection, name)
    except psycopg.errors.CheckViolation:
        return False
    return True


def _drop(connection: Connection, table: MonthlyTable, name: str) -> bool:
    """Drop a month. Row-level security hides its rows from us, so its size says whether it has any."""
    if name not in _present(connection, table):
        return False
    if table.only_empty:
        connection.execute(f"LOCK TABLE ONLY {table.name}, {name}")
        row = connection.execute("SELECT pg_relation_size(%s::regclass)", (name,)).fetchone()
        if row is None or row[0]:
            return False
    connection.execute(f"DROP TABLE {name}")
    return True


def _months(today: date) -> list[date]:
    months = [today.replace(day=1)]
    for _ in range(MONTHS_AHEAD):
        months.append(_following(months[-1]))
    return months


def _following(month: date) -> date:
    return (month.replace(day=1) + timedelta(days=32)).replace(day=1)
