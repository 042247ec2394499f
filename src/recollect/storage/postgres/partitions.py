"""The months of traces, each a table of its own: made before it comes, dropped when it is past its retention.

Dropping a table costs nothing, whereas deleting rows leaves work for the vacuum. A month that nobody prepared
is no error: its rows are in the default partition, and are deleted one by one.
"""

from datetime import date, timedelta

import psycopg

from recollect.learning import retention
from recollect.storage.postgres.database import Connection, Database
from recollect.storage.postgres.tenancy import isolate

MONTHS_AHEAD = 2
_LOCK = 0x5EC0_11ED  # of our own choice; the same in every process
_PREFIX = "trace_m"
_MONTHS = """
SELECT child.relname FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
WHERE inhparent = 'trace'::regclass AND child.relname LIKE %s
"""


def keep_months(database: Database, today: date) -> tuple[list[str], list[str]]:
    """Make the months that are missing and drop those that are over; the names of both.

    Raises DatabaseError for a login that may not make tables.
    """
    wanted = [_name(month) for month in _months(today)]
    over = _name(today - timedelta(days=retention.MAX_TRACE_DAYS))
    with database.transaction(None) as connection:
        if not _due(connection, wanted, over):
            return [], []
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        present = _present(connection)
        made = [month for month in _months(today) if _name(month) not in present]
        made = [month for month in made if _make(connection, month)]
        dropped = sorted(name for name in present if name < over)
        for name in dropped:
            connection.execute(f"DROP TABLE {name}")
    return [_name(month) for month in made], dropped


def _due(connection: Connection, wanted: list[str], over: str) -> bool:
    present = _present(connection)
    return not present.issuperset(wanted) or any(name < over for name in present)


def _present(connection: Connection) -> set[str]:
    rows = connection.execute(_MONTHS, (f"{_PREFIX}%",)).fetchall()
    return {str(name) for (name,) in rows}


def _make(connection: Connection, month: date) -> bool:
    """Make a month; false when rows of it are in the default partition already, where they stay."""
    first, following = f"{month:%Y-%m}", f"{_following(month):%Y-%m}"
    bounds = f"FROM ('{first}') TO ('{following}')"
    try:
        with connection.transaction():
            connection.execute(f"CREATE TABLE {_name(month)} PARTITION OF trace FOR VALUES {bounds}")
            isolate(connection, _name(month))
    except psycopg.errors.CheckViolation:
        return False
    return True


def _months(today: date) -> list[date]:
    months = [today.replace(day=1)]
    for _ in range(MONTHS_AHEAD):
        months.append(_following(months[-1]))
    return months


def _following(month: date) -> date:
    return (month.replace(day=1) + timedelta(days=32)).replace(day=1)


def _name(month: date) -> str:
    return f"{_PREFIX}{month:%Y_%m}"
