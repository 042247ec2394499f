"""Projects are kept apart by the tables themselves, whatever a statement says."""

import pytest
from tests.postgres import Server, new_project
from tests.requirements import requirement

from recollect.errors import DatabaseError
from recollect.storage.postgres.database import Database, ProjectDatabase

SHARED_TABLES = {"directory", "recollect_migration"}  # rows that belong to no project

_KEYS = """
SELECT c.conrelid::regclass::text, c.conname, array_agg(a.attname::text)
FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
WHERE c.contype IN ('p', 'u', 'f') AND c.connamespace = 'public'::regnamespace GROUP BY 1, 2
UNION ALL
SELECT i.indrelid::regclass::text, i.indexrelid::regclass::text, array_agg(a.attname::text)
FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
JOIN pg_class AS t ON t.oid = i.indrelid AND t.relnamespace = 'public'::regnamespace
WHERE i.indisunique GROUP BY 1, 2
"""
_UNGUARDED = """
SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
AND NOT (relrowsecurity AND relforcerowsecurity)
"""


@requirement("team:projects:keys")
def test_every_key_of_the_real_catalogue_contains_the_project(postgres_database: Database) -> None:
    with postgres_database.transaction(None) as connection:
        keys = connection.execute(_KEYS).fetchall()

    assert keys
    assert [
        (table, name)
        for table, name, columns in keys
        if table not in SHARED_TABLES and "project" not in columns
    ] == []


@requirement("team:projects:row-security")
def test_every_table_hides_the_rows_of_other_projects(postgres_database: Database) -> None:
    with postgres_database.transaction(None) as connection:
        unguarded = {row[0] for row in connection.execute(_UNGUARDED)}

    assert unguarded == SHARED_TABLES


def test_a_statement_that_forgets_its_project_sees_its_own_rows_alone(
    postgres_database: Database, postgres_project: ProjectDatabase
) -> None:
    other = new_project(postgres_database)

    with other.reading() as connection:
        assert connection.execute("SELECT project FROM project").fetchall() == [(other.key,)]
    with other.writing() as connection:
        assert connection.execute("DELETE FROM project").rowcount == 1
    with postgres_project.reading() as connection:
        assert connection.execute("SELECT count(*) FROM project").fetchone() == (1,)


def test_outside_a_project_there_are_no_rows(
    postgres_server: Server, postgres_project: ProjectDatabase
) -> None:
    database = postgres_project.database
    with database.transaction(None) as connection:
        assert connection.execute("SELECT count(*) FROM project").fetchone() == (0,)


def test_a_row_cannot_be_written_into_another_project(
    postgres_database: Database, postgres_project: ProjectDatabase
) -> None:
    other = new_project(postgres_database)

    with pytest.raises(DatabaseError, match="row-level security"), other.writing() as connection:
        connection.execute(
            "UPDATE project SET project = %s WHERE project = %s", (postgres_project.key, other.key)
        )
