"""Bring a database to the tables of this version. Forward only; however many start, each step runs once."""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from recollect.errors import DatabaseError
from recollect.storage.postgres import migrations
from recollect.storage.postgres.database import Connection, Database
from recollect.storage.postgres.tenancy import refuse_bypass

VERSIONS = "recollect_migration"
_LOCK = 0x5EC0_11EC  # of our own choice; the same in every process that migrates
_TABLE = f"""
CREATE TABLE IF NOT EXISTS {VERSIONS} (
    number integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: its number, its name, and what it does in the transaction it is passed."""

    number: int
    name: str
    apply: Callable[[Connection], None]


@cache
def known() -> tuple[Migration, ...]:
    """Every migration of this version, in order."""
    names = sorted(module.name for module in pkgutil.iter_modules(migrations.__path__))
    steps = [
        Migration(
            int(name[1:5]), name[6:], importlib.import_module(f"{migrations.__name__}.{name}").apply
        )
        for name in names
    ]
    if len({step.number for step in steps}) != len(steps):
        raise AssertionError(f"two migrations have the same number: {names}")
    return tuple(steps)


def migrate(database: Database, steps: Sequence[Migration] | None = None) -> list[Migration]:
    """Apply what is missing, all of it or nothing, and return it.

    Raises DatabaseError for a database that a newer version has migrated, and for a login that row-level
    security does not apply to.
    """
    steps = known() if steps is None else steps
    refuse_bypass(database)
    if _missing(database, _applied(database), steps) == []:
        return []
    with database.transaction(None) as connection:
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute(_TABLE)
        missing = _missing(database, _numbers(connection), steps)
        for step in missing:
            step.apply(connection)
            connection.execute(
                f"INSERT INTO {VERSIONS} (number, name) VALUES (%s, %s)", (step.number, step.name)
            )
    return missing


def _applied(database: Database) -> set[int]:
    with database.transaction(None, read_only=True) as connection:
        exists = connection.execute("SELECT to_regclass(%s)", (VERSIONS,)).fetchone()
        return _numbers(connection) if exists and exists[0] else set()


def _numbers(connection: Connection) -> set[int]:
    return {row[0] for row in connection.execute(f"SELECT number FROM {VERSIONS}")}


def _missing(database: Database, applied: set[int], steps: Sequence[Migration]) -> list[Migration]:
    newer = applied - {step.number for step in steps}
    if newer:
        raise DatabaseError(
            str(database.address),
            f"a newer version of Recollect migrated it (step {max(newer)})",
            "upgrade Recollect here",
        )
    return [step for step in steps if step.number not in applied]
