"""Do statements stay in their project? Records what adapters execute, and reads PostgreSQL's plans of it.

Sequential scans are switched off for the question: where an index that begins with the project can be used,
it is, however small the table of a test. A scan that has no condition on the project reads rows of others.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.sql import Composable

from recollect.storage.postgres.database import Database, ProjectKey

SHARED_TABLES = {"directory", "recollect_migration"}  # rows that belong to no project
_STATEMENTS = ("select", "insert", "update", "delete", "with")
_SCANS = ("Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Index Scan", "Tid Scan", "Sample Scan")
_OWN_INDEXES = "passage_hnsw_"  # partial: each has the vectors of one project
_BY_SECURITY = "a scan is scoped by row-level security alone: the statement names no project"
_ONLY_SECURITY = "project = current_setting("


@dataclass(slots=True)
class Recorder:
    """The statements that were executed, each with the values of its first execution."""

    statements: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what any connection of this process executes meanwhile."""
        execute, many = psycopg.Cursor.execute, psycopg.Cursor.executemany

        def recorded(cursor: Any, query: Any, params: Any = None, **options: Any) -> Any:
            self._note(cursor, query, params)
            return execute(cursor, query, params, **options)

        def recorded_many(cursor: Any, query: Any, params_seq: Any, **options: Any) -> Any:
            rows = list(params_seq)
            for row in rows[:1]:
                self._note(cursor, query, row)
            return many(cursor, query, rows, **options)

        psycopg.Cursor.execute = recorded  # type: ignore[assignment,method-assign]
        psycopg.Cursor.executemany = recorded_many  # type: ignore[assignment,method-assign]
        try:
            yield
        finally:
            psycopg.Cursor.execute = execute  # type: ignore[method-assign]
            psycopg.Cursor.executemany = many  # type: ignore[method-assign]

    def _note(self, cursor: Any, query: Any, params: Any) -> None:
        text = query.as_string(cursor) if isinstance(query, Composable) else query
        text = text.decode() if isinstance(text, bytes) else text
        if text.lstrip("( \n").lower().startswith(_STATEMENTS):
            self.statements.setdefault(text, params)


def crossings(database: Database, statements: dict[str, Any]) -> list[str]:
    """What reads rows of other projects: each statement with the scan that does."""
    return [
        f"{problem}\n  in {' '.join(statement.split())}"
        for statement, params in statements.items()
        for problem in _problems(database, statement, params)
    ]


def _problems(database: Database, statement: str, params: Any) -> list[str]:
    with database.transaction(ProjectKey("nobody")) as connection:
        tables = {
            row[0]
            for row in connection.execute(
                "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') "
                "AND relnamespace = 'public'::regnamespace"
            )
        }
        connection.execute("SET LOCAL enable_seqscan = off")
        row = connection.execute(f"EXPLAIN (FORMAT JSON) {statement}", params).fetchone()
    assert row is not None
    return [
        problem
        for alias, problem in _scans(row[0][0]["Plan"], tables - SHARED_TABLES, "", "")
        if problem is not _BY_SECURITY or not re.search(rf"\b{alias}\.project\b", statement)
    ]


def _scans(plan: dict[str, Any], tables: set[str], table: str, alias: str) -> Iterator[tuple[str, str]]:
    """The scans of a plan that are not scoped, by alias. A bitmap's has the table of the node above it.

    Of a join the planner may use the condition of row-level security in place of that of the join.
    """
    table, alias = plan.get("Relation Name", table), re.sub(r"_\d+$", "", plan.get("Alias", alias))
    kind, index = plan["Node Type"], plan.get("Index Name", "")
    condition = plan.get("Index Cond", "")
    if kind in _SCANS and table in tables and not index.startswith(_OWN_INDEXES):
        if "project = " not in condition and "project)" not in condition:
            yield (
                alias,
                f"{kind} on {table} {index}: no condition on the project ({condition or 'none'})",
            )
        elif condition.count("project = ") == condition.count(_ONLY_SECURITY):
            yield alias, _BY_SECURITY
    for below in plan.get("Plans", ()):
        yield from _scans(below, tables, table, alias)
