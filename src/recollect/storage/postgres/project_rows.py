"""Statements over the rows of one project: values by name, and one writer at a time where that matters.

`project` is bound in every statement, so that each names the project it is about: row-level security would
hide the others anyway, but an index and a shard are found by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from recollect.storage.postgres.database import Connection, ProjectDatabase
from recollect.storage.postgres.text_values import restored, storable

Row = tuple[Any, ...]
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%(lock)s, 0))"
_NUMBER = """
INSERT INTO numbering (project, name, last) VALUES (%(project)s, %(name)s, %(count)s)
ON CONFLICT (project, name) DO UPDATE SET last = numbering.last + excluded.last RETURNING last
"""


class ProjectRows:
    """The rows of one project. `scope` has more values that every statement may name, such as a member."""

    def __init__(self, database: ProjectDatabase, **scope: str) -> None:
        self._database = database
        self._scope = {"project": str(database.key), **{key: storable(scope[key]) for key in scope}}

    def read(self, sql: str, **values: object) -> list[Row]:
        """The rows that a query finds."""
        with self._database.reading() as connection:
            return _fetched(connection, sql, self._bound(values))

    def write(self, sql: str, **values: object) -> list[Row]:
        """Run one statement, by itself or in the transaction that is open; the rows that it returns."""
        return self._database.write(lambda connection: _fetched(connection, sql, self._bound(values)))

    def write_many(self, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each set of values, in the transaction that is open."""
        bound = [self._bound(row) for row in rows]
        if not bound:
            return
        with self._database.writing() as connection, connection.cursor() as cursor:
            cursor.executemany(sql, bound)

    @contextmanager
    def transaction(self, area: str) -> Iterator[None]:
        """All of it or nothing, and no other transaction of this area of the project meanwhile.

        Inside another transaction it is a part of that one.
        """
        with self._database.writing() as connection:
            connection.execute(_LOCK, {"lock": f"{self._database.key}/{area}"})
            yield

    def next_number(self, name: str, count: int = 1) -> int:
        """The last of `count` new numbers, which nobody else gets, in the order of their transactions."""
        [(last,)] = self.write(_NUMBER, name=name, count=count)
        return int(last)

    def _bound(self, values: Mapping[str, object]) -> dict[str, object]:
        return {**self._scope, **{name: _adapted(value) for name, value in values.items()}}


def _adapted(value: object) -> object:
    match value:
        case str():
            return storable(value)
        case list():
            return [_adapted(each) for each in value]
        case _:
            return value


def _fetched(connection: Connection, sql: str, values: Mapping[str, object]) -> list[Row]:
    cursor = connection.execute(sql, values)
    rows: list[Row] = cursor.fetchall() if cursor.description else []
    return [tuple(map(_restored, row)) for row in rows]


def _restored(value: object) -> object:
    return restored(value) if isinstance(value, str) else value
