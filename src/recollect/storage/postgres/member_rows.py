"""Statements over what the gateway knows of one member's servers, and the number of their changes."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.project_rows import ProjectRows, Row

OWNED = "project = %(project)s AND member = %(member)s"
_CHANGE = """
INSERT INTO gateway_change (project, member, number) VALUES (%(project)s, %(member)s, 1)
ON CONFLICT (project, member) DO UPDATE SET number = gateway_change.number + 1
"""


class MemberRows:
    """The rows of one member in one project. `project` and `member` are bound in every statement."""

    def __init__(self, database: ProjectDatabase, member: str) -> None:
        self._database, self._member = database, member
        self._rows = ProjectRows(database, member=member)

    def read(self, sql: str, **values: object) -> list[Row]:
        """The rows that a query finds."""
        return self._rows.read(sql, **values)

    def write(self, sql: str, **values: object) -> list[Row]:
        """Run one statement; the rows that it returns."""
        return self._rows.write(sql, **values)

    def write_many(self, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each set of values, in the transaction that is open."""
        self._rows.write_many(sql, rows)

    def next_number(self, name: str) -> int:
        """A new number, which nobody else gets."""
        return self._rows.next_number(name)

    @contextmanager
    def transaction(self, *, of_a_call: bool = False) -> Iterator[None]:
        """No other writer of this member meanwhile; inside another transaction, as a part of it.

        What is written down `of_a_call` leaves `version` as it is: no call depends on it.
        """
        if self._database.in_transaction:
            yield
            return
        with self._rows.transaction(f"gateway/{self._member}"):
            if not of_a_call:
                self.write(_CHANGE)
            yield

    def version(self) -> int:
        """A number that grows when anybody changes what calls depend on."""
        rows = self.read(f"SELECT number FROM gateway_change WHERE {OWNED}")
        return int(rows[0][0]) if rows else 0
